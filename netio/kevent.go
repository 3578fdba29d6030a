//go:build (darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import "syscall"

// The parts of the system that kqueue.go needs. The tests on Linux replace them with an
// emulation.

// event is a change of the instance, or the element of a fetch.
type event = syscall.Kevent_t

const (
	filterRead  = syscall.EVFILT_READ
	filterWrite = syscall.EVFILT_WRITE

	flagAdd    = syscall.EV_ADD
	flagDelete = syscall.EV_DELETE
	flagClear  = syscall.EV_CLEAR
	flagEnd    = syscall.EV_EOF
	flagError  = syscall.EV_ERROR
)

// change returns a change of the filter of a descriptor.
func change(fd, filter, flags int) (ev event) {
	syscall.SetKevent(&ev, fd, filter, flags)
	return ev
}

func kqueue() (int, error) { return syscall.Kqueue() }

func closeKqueue(kq int) { _ = syscall.Close(kq) }

func kevent(kq int, changes, events []event, timeout *syscall.Timespec) (int, error) {
	return syscall.Kevent(kq, changes, events, timeout)
}
