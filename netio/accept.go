//go:build (darwin || (linux && netio_kqueue)) && !netio_portable

package netio

import "syscall"

const acceptCall = "accept"

// accept is accept4 for systems without that call. A program started between accepting and
// marking would inherit the descriptor. Starting a program takes the lock for writing, so that
// cannot happen. The lock is held only briefly, since the listener is nonblocking.
func accept(fd int) (int, syscall.Sockaddr, error) {
	syscall.ForkLock.RLock()
	accepted, from, err := syscall.Accept(fd)
	if err == nil {
		syscall.CloseOnExec(accepted)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, nil, err
	}
	if err := syscall.SetNonblock(accepted, true); err != nil {
		_ = syscall.Close(accepted)
		return -1, nil, err
	}
	return accepted, from, nil
}
