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
// The goroutine sleeps in kevent itself, which takes an OS thread: one for all
// sockets, and none while there are no sockets. It is tempting to give the descriptor
// of the kqueue to Go's poller, as on Linux that of epoll. But Go's poller asks for
// two filters, reading and writing, and these systems refuse the second for a kqueue.
// It is no harmless attempt: the first filter stays registered, and Go's poller would
// wake up for each of our events. Nor can a kqueue wait for another one of ours: there
// are systems where it accepts that, and never wakes.
//
// The call that sleeps is the one that fetches. So the number of a fetch says when the
// sleep began, and an event that ended the sleep proves nothing about the time after the
// last read: looking makes the system call that it would make anyway. Events that were
// there before the fetch have their proof.
//
// # Two filters
//
// A socket has one filter a direction, both added at once and edge-triggered (EV_CLEAR):
// data, room, or an end make an event, and the fetch clears it. The proof of the one race
// (socket_polled.go) needs no more. Before a fetch returns an event, the system asks
// whether its condition still holds; what has been read meanwhile makes no event.
// An end (EV_EOF) is one of its own direction. That of reading lets writers try, too,
// as in Go's poller: some systems report the end of a connection to the reader alone.
//
// Room is reported with each acknowledgement of the peer, not only after a write was
// refused. Such an event costs a lock, and tells no operation unless a writer waits.
//
// # Names of sockets
//
// An event has the descriptor (Ident) and data that we choose (Udata). The slot of a
// socket is its descriptor: there is one filter of each kind for a descriptor, and no
// second socket can have the descriptor before the first is out and has closed it. The
// generation is in Udata, which is a pointer on most systems: see kevent_bsd.go.
//
// # The end
//
// A byte in a pipe wakes the goroutine for its end. It is in the kqueue without
// EV_CLEAR, so a look cannot take the event away. EVFILT_USER needs no descriptors for
// that, but not all of these systems have it. The goroutine closes the kqueue, under
// the lock of looks: the descriptor would be another's while a look uses it.
//
// A write to a connection without a reader is an error here and no signal: Go's runtime
// ignores SIGPIPE for descriptors above 2.

// instance is a kqueue.
type instance struct {
	queue int
	bell  [2]int // the pipe
	ended atomic.Bool
	gone  bool // the kqueue is closed; guarded by looking
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
	err = syscall.Pipe(p.bell[:])
	if err == nil {
		syscall.CloseOnExec(p.bell[0])
		syscall.CloseOnExec(p.bell[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		closeKqueue(p.queue)
		return os.NewSyscallError("pipe", err)
	}
	p.place(p.bell[0]) // a slot without a socket: its event is dropped
	if err := p.apply(change(p.bell[0], filterRead, flagAdd)); err != nil {
		p.close()
		return err
	}
	return nil
}

func (p *poller) close() {
	closeKqueue(p.queue)
	_ = syscall.Close(p.bell[0])
	_ = syscall.Close(p.bell[1])
}

// end makes the goroutine end.
func (p *poller) end() {
	// In this order: once it sees ended, the goroutine closes the pipe.
	_, _ = syscall.Write(p.bell[1], []byte{0})
	p.ended.Store(true)
}

// apply makes changes, in their order, up to the first that the system refuses.
func (p *poller) apply(changes ...event) error {
	for {
		_, err := kevent(p.queue, changes, nil, nil)
		if err != syscall.EINTR {
			return os.NewSyscallError("kevent", err)
		}
	}
}

// add registers a descriptor that has the slot. Closing a descriptor removes what is
// registered of it.
func (p *poller) add(fd int, slot uint32) error {
	in := change(fd, filterRead, flagAdd|flagClear)
	out := change(fd, filterWrite, flagAdd|flagClear)
	mark(&in, p.slots[slot].generation)
	mark(&out, p.slots[slot].generation)
	return p.apply(in, out)
}

// remove takes a registration back. Closing the descriptor does that, too, but an
// operation may still be inside. What the system refuses here is of no importance:
// its events are those of an older generation.
func (p *poller) remove(fd int) {
	_ = p.apply(change(fd, filterRead, flagDelete), change(fd, filterWrite, flagDelete))
}

// place returns the slot of a descriptor.
func (p *poller) place(fd int) uint32 {
	for len(p.slots) <= fd {
		p.slots = append(p.slots, slot{})
	}
	return uint32(fd)
}

// vacate frees a slot.
func (p *poller) vacate(i uint32) { p.next(i) }

// loop is the goroutine.
func (p *poller) loop() {
	var (
		events [batch]event
		found  [batch]occurrence
	)
	for {
		number := p.fetches.Add(1)
		n := fetchEvents(p.queue, events[:], nil)
		if p.ended.Load() {
			break
		}
		p.handle(events[:n], number, found[:0])
	}
	p.looking.Lock()
	defer p.looking.Unlock()
	p.gone = true
	p.close()
}

// Look implements [glance.Source]: a busy worker fetches events itself.
func (p *poller) Look() {
	if !p.looking.TryLock() {
		return
	}
	defer p.looking.Unlock()
	if p.gone {
		return
	}
	var found [len(p.seen)]occurrence
	number := p.fetches.Add(1)
	n := fetchEvents(p.queue, p.seen[:], &noTime)
	p.handle(p.seen[:n], number, found[:0])
}

var noTime syscall.Timespec // is only read

// fetchEvents fetches what has happened. It waits for that as long as the timeout says,
// nil: without an end.
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

func slotIn(ev *event) int { return int(ev.Ident) }

// shortReadsTell: no event tells of urgent data, at whose mark a read ends. So each socket is read
// until the system has nothing more.
const shortReadsTell = false

// happened translates an event.
func happened(ev *event) (bits happening) {
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
