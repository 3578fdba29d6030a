//go:build linux && !netio_portable

package netio

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/movenext/movenext/internal/glance"
	"github.com/movenext/movenext/internal/timers"
)

// # One goroutine for all sockets
//
// All sockets are registered with one epoll instance, edge-triggered, for their
// whole life: a wait needs no system call of its own. The instance's descriptor
// is itself nonblocking and registered with the poller of Go's runtime, like a
// socket of package net: it is a file that is readable when the instance has
// events. So waiting takes no OS thread. One goroutine sleeps there; it fetches
// events in batches, and sleeps again when a fetch finds none.
//
//	the goroutine                        the kernel
//	 1. forget the file's readiness       1. a socket is ready: put it in the instance's list
//	 2. fetch: events? handle, again      2. the instance is readable: tell Go's poller
//	 3. sleep until the file is ready,
//	    unless it has become so since 1
//
// Proof. RawConn.Read works this way: it resets the readiness before it calls the
// function, and sleeps only if no edge has come since. An event after the fetch
// in step 2 makes an edge after step 1.
//
// The first socket starts the instance and the goroutine, and the end of the last
// one stops them: closing the file wakes the goroutine. Without that an idle
// program would keep both.
//
// # Busy workers
//
// While all processors compute, Go's poller looks only every 10 ms, and so long would
// the goroutine sleep. So a busy worker fetches events itself now and then (package
// glance). On two processors that compute in pieces of 20 µs, a hundred connections
// exchange 1.5 to 1.8 times the messages of goroutines, at 0.5 to 0.7 of their 99th
// percentile; without it they exchanged 0.27 of them, at 4.3 times the percentile. Two
// fetches at a time are no difficulty: the system gives an event to one of them.
//
// It is tempting to submit what waited to the worker that looks. Its own newest work
// comes first, so among a thousand connections some waited for 23 ms instead of 13.
//
// # Names of sockets
//
// The instance knows a socket by a slot and its generation, not by a pointer and
// not by the descriptor. A batch may name a socket that was closed after the
// fetch, and whose descriptor and slot now belong to another socket: then the
// generation differs. It is tempting to look the descriptor up in a map, but that
// finds the other socket.

// batch is how many events a fetch takes.
const batch = 128

// happening is the set of conditions that an event reports.
type happening uint8

const (
	readable happening = 1 << iota
	writable
	readEnd  // the peer has shut its side, or worse
	writeEnd // nothing can be written any more
)

// poller is an epoll instance.
type poller struct {
	epoll  int
	file   *os.File
	raw    syscall.RawConn // of file
	timers timers.Queue
	began  time.Time

	fetches atomic.Uint32 // how many have begun
	// Of Look. looking guards the next two; see is made once, so that a look allocates
	// nothing.
	looking sync.Mutex
	seen    [batch / 4]syscall.EpollEvent
	count   int
	see     func(fd uintptr)

	// Guarded by pollers.
	slots []slot
	free  []uint32
	live  int
}

// slot is the entry of one socket. Its generation counts the sockets that have left it.
type slot struct {
	of         *socket
	generation uint32
}

// pollers guards all pollers, of which one at most has sockets: current.
var (
	pollers sync.Mutex
	current *poller
)

// now is the time on the poller's clock: never 0.
func (p *poller) now() int64 { return int64(time.Since(p.began)) + 1 }

// register puts a new socket into the current poller.
func register(s *socket) error {
	pollers.Lock()
	defer pollers.Unlock()
	p := current
	if p == nil {
		var err error
		if p, err = newPoller(); err != nil {
			return err
		}
	}
	i := p.place()
	ev := syscall.EpollEvent{
		Events: syscall.EPOLLIN | syscall.EPOLLOUT | syscall.EPOLLRDHUP | edgeTriggered,
		Fd:     int32(i), Pad: int32(p.slots[i].generation),
	}
	if err := syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, s.fd, &ev); err != nil {
		p.free = append(p.free, i)
		if p.live == 0 {
			p.stop()
		}
		return os.NewSyscallError("epoll_ctl", err)
	}
	p.slots[i].of = s
	s.poller, s.slot = p, i
	s.in.ready, s.out.ready = true, true
	p.live++
	if current == nil {
		current = p
		glance.Open(p)
		go p.loop()
	}
	return nil
}

const edgeTriggered = 1 << 31 // syscall.EPOLLET is negative on some architectures

// place returns a free slot; pollers is held, here and below.
func (p *poller) place() uint32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	p.slots = append(p.slots, slot{})
	return uint32(len(p.slots) - 1)
}

// unregister takes s out. Events that were fetched already find another generation.
func (p *poller) unregister(s *socket) {
	pollers.Lock()
	defer pollers.Unlock()
	// Another descriptor of the same socket may be open elsewhere: then closing
	// ours removes nothing.
	_ = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, s.fd, new(syscall.EpollEvent))
	p.slots[s.slot] = slot{generation: p.slots[s.slot].generation + 1}
	p.free = append(p.free, s.slot)
	if p.live--; p.live == 0 {
		p.stop()
	}
}

// stop ends a poller without sockets.
func (p *poller) stop() {
	if current == p {
		current = nil
		glance.Close()
	}
	_ = p.file.Close()
}

// errBubble is why a poller does not begin in a bubble.
var errBubble = errors.New("netio: the poller cannot start inside of a testing/synctest bubble, whose clock and goroutines stand " +
	"still while the network does not; open the first Listener or Conn outside of it, or use net.Pipe there")

func newPoller() (*poller, error) {
	if glance.InBubble() {
		return nil, errBubble
	}
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	p := &poller{epoll: fd, file: os.NewFile(uintptr(fd), "epoll"), began: time.Now()}
	if p.raw, err = p.file.SyscallConn(); err != nil {
		_ = p.file.Close()
		return nil, err
	}
	p.see = func(fd uintptr) { p.count = fetchEvents(int(fd), p.seen[:]) }
	return p, nil
}

// loop is the goroutine.
func (p *poller) loop() {
	var (
		events [batch]syscall.EpollEvent
		found  [batch]occurrence
		n      int
		number uint32
	)
	fetch := func(fd uintptr) bool {
		number = p.fetches.Add(1)
		n = fetchEvents(int(fd), events[:])
		return n > 0
	}
	for p.raw.Read(fetch) == nil {
		p.handle(events[:n], number, found[:0])
	}
}

// fetchEvents fetches what has happened. It does not wait.
func fetchEvents(epoll int, events []syscall.EpollEvent) int {
	for {
		n, err := syscall.EpollWait(epoll, events, 0)
		switch err {
		case nil:
			return n
		case syscall.EINTR:
			continue
		}
		// Every other error means wrong arguments: continuing would hang
		// silently.
		panic(fmt.Sprintf("netio: epoll_wait: %v", err))
	}
}

// occurrence is an event whose socket is known.
type occurrence struct {
	at   *socket
	bits happening
}

// handle notifies the sockets of a batch; found has room for them.
func (p *poller) handle(events []syscall.EpollEvent, fetch uint32, found []occurrence) {
	pollers.Lock()
	for _, ev := range events {
		if sl := p.slots[ev.Fd]; sl.of != nil && int32(sl.generation) == ev.Pad {
			found = append(found, occurrence{sl.of, happened(ev.Events)})
		}
	}
	pollers.Unlock()
	for i := range found {
		found[i].at.event(found[i].bits, fetch)
		found[i].at = nil
	}
}

// happened translates an event. An end or an error lets both directions make
// progress: their operations return it.
func happened(ev uint32) (bits happening) {
	if ev&syscall.EPOLLIN != 0 {
		bits |= readable
	}
	if ev&syscall.EPOLLOUT != 0 {
		bits |= writable
	}
	if ev&syscall.EPOLLRDHUP != 0 {
		bits |= readable | readEnd
	}
	if ev&(syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		bits |= readable | readEnd | writable | writeEnd
	}
	return bits
}

// Look implements [glance.Source]: a busy worker fetches events itself.
func (p *poller) Look() {
	if !p.looking.TryLock() {
		return
	}
	defer p.looking.Unlock()
	var found [len(p.seen)]occurrence
	number := p.fetches.Add(1)
	p.count = 0
	_ = p.raw.Control(p.see) // an error means that the poller was stopped
	p.handle(p.seen[:p.count], number, found[:0])
}
