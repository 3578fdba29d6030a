//go:build (darwin || dragonfly || freebsd || netbsd || openbsd || (linux && (race || msan || asan || 386 || s390x))) && !netio_portable

package netio

import "syscall"

// recv reads from a socket. It does not wait.
func recv(fd int, p []byte) (int, error) { return syscall.Read(fd, p) }

// peek returns an error if nothing can be read from a socket. It does not wait.
func peek(fd int) error {
	var one [1]byte
	_, _, err := syscall.Recvfrom(fd, one[:], syscall.MSG_PEEK)
	return err
}

// send writes to a connected socket. It does not wait.
func send(fd int, p []byte) (int, error) { return syscall.Write(fd, p) }
