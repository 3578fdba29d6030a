//go:build !netio_portable && !netio_kqueue

package netio

import (
	"fmt"
	"os"
	"syscall"
)

// # The sleep in Go's poller
//
// The instance's descriptor is itself nonblocking and registered with the poller of Go's runtime,
// like a socket of package net: as a file, it is readable when the instance has events. So
// waiting takes no OS thread. The goroutine fetches events in batches, and sleeps again when a
// fetch finds none.
//
//	the goroutine                        the kernel
//	 1. forget the file's readiness       1. a socket is ready: put it in the instance's list
//	 2. fetch; events: handle, repeat     2. the instance is readable: notify Go's poller
//	 3. sleep until the file is ready,
//	    unless it has become so since 1
//
// Proof. RawConn.Read works this way: it resets the readiness before it calls the function, and
// sleeps only if no edge has arrived since. An event after the fetch in step 2 makes an edge
// after step 1.
//
// Closing the file wakes the goroutine, which then ends.

// event is the element of a fetch: Fd is the slot, Pad its generation.
type event = syscall.EpollEvent

// instance is an epoll instance.
type instance struct {
	epoll int
	file  *os.File
	raw   syscall.RawConn // of file
	free  []uint32        // slots; guarded by pollers

	// For Poll. open sets pollFetch once, so that a call allocates nothing.
	pollCount int
	pollFetch func(fd uintptr)
}

// open makes the instance.
func (p *poller) open() error {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		_ = syscall.Close(fd)
		return os.NewSyscallError("fcntl", err)
	}
	p.epoll, p.file = fd, os.NewFile(uintptr(fd), "epoll")
	if p.raw, err = p.file.SyscallConn(); err != nil {
		_ = p.file.Close()
		return err
	}
	p.pollFetch = func(fd uintptr) { p.pollCount = fetchEvents(int(fd), p.pollEvents[:]) }
	return nil
}

// end makes the goroutine end.
func (p *poller) end() { _ = p.file.Close() }

// shortReadsTell: a short read of a TCP socket means that nothing is left, unless an event has
// reported an end, an error or urgent data.
const shortReadsTell = true

const edgeTriggered = 1 << 31 // syscall.EPOLLET is negative on some architectures

// add registers a descriptor that has the slot.
func (p *poller) add(fd int, slot uint32) error {
	ev := syscall.EpollEvent{
		Events: syscall.EPOLLIN | syscall.EPOLLOUT | syscall.EPOLLRDHUP | syscall.EPOLLPRI | edgeTriggered,
		Fd:     int32(slot), Pad: int32(p.slots[slot].generation),
	}
	return os.NewSyscallError("epoll_ctl", syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &ev))
}

// remove undoes a registration. Another descriptor of the same socket may be open elsewhere: then
// closing ours removes nothing.
func (p *poller) remove(fd int) {
	_ = syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, fd, new(syscall.EpollEvent))
}

// allocateSlot returns a free slot.
func (p *poller) allocateSlot(int) uint32 {
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		return i
	}
	p.slots = append(p.slots, slot{})
	return uint32(len(p.slots) - 1)
}

// freeSlot frees a slot.
func (p *poller) freeSlot(i uint32) {
	p.advance(i)
	p.free = append(p.free, i)
}

// loop is the poller's goroutine.
func (p *poller) loop() {
	var (
		events [maxBatch]syscall.EpollEvent
		found  [maxBatch]socketEvent
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

// Poll implements [polling.Source]: a busy worker fetches events itself.
func (p *poller) Poll() {
	if !p.pollMu.TryLock() {
		return
	}
	defer p.pollMu.Unlock()
	var found [len(p.pollEvents)]socketEvent
	number := p.fetches.Add(1)
	p.pollCount = 0
	_ = p.raw.Control(p.pollFetch) // an error means that the poller was stopped
	p.handle(p.pollEvents[:p.pollCount], number, found[:0])
}

// fetchEvents fetches pending events. It does not wait.
func fetchEvents(epoll int, events []syscall.EpollEvent) int {
	for {
		n, err := epollWait(epoll, events)
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

func slotOf(ev *event) int32 { return ev.Fd }

// hasGeneration reports whether an event belongs to the generation.
func hasGeneration(ev *event, generation uint32) bool { return ev.Pad == int32(generation) }

// conditionsOf translates an event. An end or an error lets both directions make
// progress: their operations return it.
func conditionsOf(reported *event) (bits conditions) {
	ev := reported.Events
	if ev&syscall.EPOLLIN != 0 {
		bits |= readable
	}
	if ev&syscall.EPOLLOUT != 0 {
		bits |= writable
	}
	if ev&(syscall.EPOLLRDHUP|syscall.EPOLLPRI) != 0 { // a read ends at the mark of urgent data
		bits |= readable | readEnd
	}
	if ev&(syscall.EPOLLHUP|syscall.EPOLLERR) != 0 {
		bits |= readable | readEnd | writable | writeEnd
	}
	return bits
}

// duplicate returns a duplicate of a descriptor that control passes on.
func duplicate(control func(func(fd uintptr)) error) (int, error) {
	var (
		fd    uintptr
		errno syscall.Errno
	)
	if err := control(func(from uintptr) {
		fd, _, errno = syscall.Syscall(syscall.SYS_FCNTL, from, syscall.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, os.NewSyscallError("fcntl", errno)
	}
	return int(fd), nil
}
