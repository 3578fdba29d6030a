//go:build (darwin || dragonfly || freebsd || netbsd || openbsd || (linux && netio_kqueue)) && !netio_portable

package netio

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// # The sleep in the system
//
// The goroutine sleeps in kevent itself, which takes an OS thread: one for all sockets, and none
// while there are no sockets. It is tempting to register the descriptor of the kqueue with Go's
// poller, like that of epoll on Linux. But Go's poller registers two filters, reading and
// writing, and these systems refuse the second for a kqueue. Even the attempt does harm: the
// first filter stays registered, and Go's poller would wake up for each of our events. Nor can
// one kqueue wait for another one of ours: some systems accept that, but never wake.
//
// The call that sleeps is also the one that fetches. So the number of a fetch marks the beginning
// of the sleep, and an event that ended the sleep proves nothing about the time after the last
// read: the reader must make its usual system call. Events that were pending before the fetch are
// proven.
//
// # Two filters
//
// A socket has one filter per direction, both added at once and edge-triggered (EV_CLEAR): data,
// room, or an end make an event, and the fetch clears it. The proof of the one race
// (socket_polled.go) needs no more. Before a fetch returns an event, the system checks whether
// its condition still holds; data already read makes no event. An end (EV_EOF) belongs to its own
// direction. The end of reading also lets writers try, as in Go's poller: some systems report the
// end of a connection only to the reader.
//
// Room is reported with each acknowledgement of the peer, not only after a write was refused.
// Such an event costs a lock, and notifies no operation unless a writer waits.
//
// # Names of sockets
//
// An event has the descriptor (Ident) and data that we choose (Udata). The slot of a socket is
// its descriptor: a descriptor has one filter of each kind, and no second socket can have the
// descriptor before the first one has been removed and has closed it. The generation is in Udata,
// which is a pointer on most systems: see kevent_bsd.go.
//
// # The end
//
// A byte in a pipe wakes the goroutine so that it ends. The pipe is in the kqueue without
// EV_CLEAR, so Poll cannot consume the event. EVFILT_USER would need no descriptors for that, but
// not all of these systems have it. The goroutine closes the kqueue under pollMu:
// otherwise the descriptor could belong to another file while Poll uses it.
//
// A write to a connection without a reader returns an error and raises no signal: Go's runtime
// ignores SIGPIPE for descriptors above 2.

// instance is a kqueue.
type instance struct {
	queue    int
	wakePipe [2]int // its read end is in the kqueue; a byte in the other ends the goroutine
	ended    atomic.Bool
	closed   bool // the kqueue is closed; guarded by pollMu
}

// open makes the instance.
func (p *poller) open() (err error) {
	syscall.ForkLock.RLock()
	p.queue, err = kqueue()
	if err == nil {
		syscall.CloseOnExec(p.queue)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return os.NewSyscallError("kqueue", err)
	}
	syscall.ForkLock.RLock()
	err = syscall.Pipe(p.wakePipe[:])
	if err == nil {
		syscall.CloseOnExec(p.wakePipe[0])
		syscall.CloseOnExec(p.wakePipe[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		closeKqueue(p.queue)
		return os.NewSyscallError("pipe", err)
	}
	p.allocateSlot(p.wakePipe[0]) // a slot without a socket: its event is dropped
	if err := p.apply(change(p.wakePipe[0], filterRead, flagAdd)); err != nil {
		p.close()
		return err
	}
	return nil
}

func (p *poller) close() {
	closeKqueue(p.queue)
	_ = syscall.Close(p.wakePipe[0])
	_ = syscall.Close(p.wakePipe[1])
}

// end makes the goroutine end.
func (p *poller) end() {
	// In this order: once it sees ended, the goroutine closes the pipe.
	_, _ = syscall.Write(p.wakePipe[1], []byte{0})
	p.ended.Store(true)
}

// apply makes changes in order, up to the first that the system refuses.
func (p *poller) apply(changes ...event) error {
	for {
		_, err := kevent(p.queue, changes, nil, nil)
		if err != syscall.EINTR {
			return os.NewSyscallError("kevent", err)
		}
	}
}

// add registers a descriptor that has the slot. Closing a descriptor removes its registrations.
func (p *poller) add(fd int, slot uint32) error {
	in := change(fd, filterRead, flagAdd|flagClear)
	out := change(fd, filterWrite, flagAdd|flagClear)
	mark(&in, p.slots[slot].generation)
	mark(&out, p.slots[slot].generation)
	return p.apply(in, out)
}

// remove undoes a registration. Closing the descriptor would also do that, but an operation may
// still be using it. Errors of the system do not matter here: later events belong to an older
// generation.
func (p *poller) remove(fd int) {
	_ = p.apply(change(fd, filterRead, flagDelete), change(fd, filterWrite, flagDelete))
}

// allocateSlot returns the slot of a descriptor.
func (p *poller) allocateSlot(fd int) uint32 {
	for len(p.slots) <= fd {
		p.slots = append(p.slots, slot{})
	}
	return uint32(fd)
}

// freeSlot frees a slot.
func (p *poller) freeSlot(i uint32) { p.advance(i) }

// loop is the poller's goroutine.
func (p *poller) loop() {
	var (
		events [maxBatch]event
		found  [maxBatch]socketEvent
	)
	for {
		number := p.fetches.Add(1)
		n := fetchEvents(p.queue, events[:], nil)
		if p.ended.Load() {
			break
		}
		p.handle(events[:n], number, found[:0])
	}
	p.pollMu.Lock()
	defer p.pollMu.Unlock()
	p.closed = true
	p.close()
}

// Poll implements [polling.Source]: a busy worker fetches events itself.
func (p *poller) Poll() {
	if !p.pollMu.TryLock() {
		return
	}
	defer p.pollMu.Unlock()
	if p.closed {
		return
	}
	var found [len(p.pollEvents)]socketEvent
	number := p.fetches.Add(1)
	n := fetchEvents(p.queue, p.pollEvents[:], &noTime)
	p.handle(p.pollEvents[:n], number, found[:0])
}

var noTime syscall.Timespec // is only read

// fetchEvents fetches pending events. It waits for them until the timeout, or forever if that is
// nil.
func fetchEvents(queue int, events []event, timeout *syscall.Timespec) int {
	for {
		n, err := kevent(queue, nil, events, timeout)
		switch err {
		case nil:
			return n
		case syscall.EINTR:
			continue
		case syscall.ETIMEDOUT: // macOS returns it now and then
			return 0
		}
		// Every other error means wrong arguments: continuing would hang
		// silently.
		panic(fmt.Sprintf("netio: kevent: %v", err))
	}
}

func slotOf(ev *event) int { return int(ev.Ident) }

// shortReadsTell: no event reports urgent data, at whose mark a read ends. So each socket is read
// until the system has nothing more.
const shortReadsTell = false

// conditionsOf translates an event.
func conditionsOf(ev *event) (bits conditions) {
	switch ev.Filter {
	case filterRead:
		bits = readable
		if ev.Flags&flagEnd != 0 {
			bits |= readEnd | writable
		}
	case filterWrite:
		bits = writable
		if ev.Flags&flagEnd != 0 {
			bits |= writeEnd
		}
	}
	if ev.Flags&flagError != 0 {
		bits = readable | readEnd | writable | writeEnd
	}
	return bits
}

// duplicate returns a duplicate of a descriptor that control passes on. One call of
// fcntl would do, but package syscall does not export it, and OpenBSD refuses system
// calls by their number.
func duplicate(control func(func(fd uintptr)) error) (int, error) {
	var (
		fd     int
		failed error
	)
	err := control(func(from uintptr) {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if fd, failed = syscall.Dup(int(from)); failed == nil {
			syscall.CloseOnExec(fd)
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, os.NewSyscallError("dup", failed)
	}
	return fd, nil
}
