//go:build linux && netio_kqueue && !netio_portable

package netio

import (
	"sync"
	"syscall"
)

// # An emulation of kqueue
//
// The build tag netio_kqueue is for tests: it replaces kevent.go with this file, so that the
// tests run kqueue.go on Linux. Each of the two filters is a separate epoll instance, and the
// kqueue is a third one, which contains the two. It is tempting to use one instance for both. But
// then an event of one direction would also report the other direction whenever that is ready,
// which kqueue does not do: it would make up for an event that kqueue.go has lost.
//
// The emulation behaves like a kqueue in these points: an event per filter; EV_CLEAR, or an event
// again at each fetch; EV_EOF; no event of a filter after the change that deletes it has
// returned; a fetch that waits holds an OS thread, and a signal ends it with EINTR. It does not
// report room after each acknowledgement, remove the filters of a closed descriptor, or fill in
// Data.

type event struct {
	Ident  uint64
	Filter int16
	Flags  uint16
	Fflags uint32
	Data   int64
	Udata  *byte
}

// The values are those of most of the systems.
const (
	filterRead  = -1
	filterWrite = -2

	flagAdd    = 0x1
	flagDelete = 0x2
	flagClear  = 0x20
	flagError  = 0x4000
	flagEnd    = 0x8000
)

// change returns a change of the filter of a descriptor.
func change(fd, filter, flags int) event {
	return event{Ident: uint64(fd), Filter: int16(filter), Flags: uint16(flags)}
}

// emulated is a kqueue.
type emulated struct {
	outer int
	inner [2]int // of filterRead and of filterWrite

	mu      sync.Mutex
	added   int32 // number of filters added so far, which is the name of the last one
	filters [2]map[int32]added
}

// added is a filter of a descriptor.
type added struct {
	name  int32
	event event
}

// kqueues are all open ones, by their descriptors.
var kqueues sync.Map

func kqueue() (kq int, err error) {
	var all [3]int
	for i := range all {
		if all[i], err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
			closeAll(all[:i])
			return -1, err
		}
	}
	e := &emulated{outer: all[0], inner: [2]int(all[1:])}
	for i, fd := range e.inner {
		e.filters[i] = map[int32]added{}
		ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(i)}
		if err := syscall.EpollCtl(e.outer, syscall.EPOLL_CTL_ADD, fd, &ev); err != nil {
			closeAll(all[:])
			return -1, err
		}
	}
	kqueues.Store(e.outer, e)
	return e.outer, nil
}

func closeAll(all []int) {
	for _, fd := range all {
		_ = syscall.Close(fd)
	}
}

func closeKqueue(kq int) {
	e, _ := kqueues.LoadAndDelete(kq)
	all := e.(*emulated).inner
	closeAll(append(all[:], kq))
}

// kevent makes the changes, or fetches events if there is space for several.
func kevent(kq int, changes, events []event, timeout *syscall.Timespec) (int, error) {
	found, ok := kqueues.Load(kq)
	if !ok {
		return 0, syscall.EBADF
	}
	e := found.(*emulated)
	for i := range changes {
		if err := e.change(&changes[i]); err != nil {
			return 0, err
		}
	}
	if len(events) == 0 {
		return 0, nil
	}
	for {
		n, err := e.fetch(events, timeout != nil)
		if n > 0 || err != nil || timeout != nil {
			return n, err
		}
	}
}

func (e *emulated) change(c *event) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	which, fd := -c.Filter-1, int32(c.Ident)
	_, there := e.filters[which][fd]
	if c.Flags&flagDelete != 0 {
		if !there {
			return syscall.ENOENT
		}
		delete(e.filters[which], fd)
		return syscall.EpollCtl(e.inner[which], syscall.EPOLL_CTL_DEL, int(fd), new(syscall.EpollEvent))
	}
	e.added++
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: fd, Pad: e.added}
	if c.Filter == filterWrite {
		ev.Events = syscall.EPOLLOUT
	}
	if c.Flags&flagClear != 0 {
		ev.Events |= 1 << 31 // EPOLLET
	}
	err := syscall.EpollCtl(e.inner[which], syscall.EPOLL_CTL_ADD, int(fd), &ev)
	if err == syscall.EEXIST {
		err = syscall.EpollCtl(e.inner[which], syscall.EPOLL_CTL_MOD, int(fd), &ev)
	}
	if err == nil {
		e.filters[which][fd] = added{e.added, *c}
	}
	return err
}

func (e *emulated) fetch(events []event, atOnce bool) (n int, err error) {
	wait := -1
	if atOnce {
		wait = 0
	}
	var ready [2]syscall.EpollEvent
	m, err := syscall.EpollWait(e.outer, ready[:], wait)
	if err != nil {
		return 0, err
	}
	for i, which := range ready[:m] {
		var got [maxBatch]syscall.EpollEvent // a variable that escapes here would fail a test
		room := min((len(events)-n)/(m-i), len(got))
		k, err := syscall.EpollWait(e.inner[which.Fd], got[:room], 0)
		if err != nil {
			return n, err
		}
		n += e.translate(which.Fd, got[:k], events[n:])
	}
	return n, nil
}

// translate appends the events of an inner instance to events.
func (e *emulated) translate(which int32, got []syscall.EpollEvent, events []event) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	end := uint32(syscall.EPOLLHUP | syscall.EPOLLRDHUP) // the second comes of reading alone
	for _, ev := range got {
		f := e.filters[which][ev.Fd]
		if f.name != ev.Pad {
			continue // deleted
		}
		events[n] = event{Ident: f.event.Ident, Filter: f.event.Filter, Flags: f.event.Flags &^ flagAdd, Udata: f.event.Udata}
		if ev.Events&end != 0 {
			events[n].Flags |= flagEnd
		}
		n++
	}
	return n
}
