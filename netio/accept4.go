//go:build ((linux && !netio_kqueue) || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import "syscall"

const acceptCall = "accept4"

// accept takes a connection out of a listener's queue. Its descriptor is nonblocking, and
// programs that this one starts do not inherit it.
func accept(fd int) (int, syscall.Sockaddr, error) {
	return syscall.Accept4(fd, syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
}
