//go:build linux && !race && !msan && !asan && !386 && !s390x && !netio_portable

package netio

import (
	"syscall"
	"unsafe"
)

// # System calls that keep the processor
//
// Around each system call, package syscall tells Go's runtime that the goroutine may be gone for
// long. If all processors were idle, this wakes the runtime's monitor. After some 20 µs, the
// monitor gives the processor to another thread: a write takes that long when the kernel delivers
// packets to their receivers meanwhile. Both switch between threads for nothing. The functions
// below omit all that. Measured with an echo of 64 bytes on 1 000 connections:
//
//	                         µs of CPU a message    switches between threads
//	package syscall          5.2                    1 in 12 messages
//	only the transfers here  4.6                    1 in 24
//	the fetches, too         4.0                    1 in 90
//
// They may keep the processor because they do not wait. MSG_DONTWAIT says so in each call. It is
// tempting to rely on O_NONBLOCK instead, but that flag belongs to the file description, which an
// adopted connection shares with its duplicates. If one of them cleared it, a thread would wait
// together with its processor, and the garbage collector would wait for both. A long buffer
// still goes through package syscall, since copying takes time as well: 10 µs for 64 kB.
//
// The kernel needs an address, and only package unsafe turns a pointer into one. The race
// detector learns from package syscall what the kernel has read and written, so it needs the
// plain calls (nonblocking_plain.go, epollwait_plain.go).

// maxKept is the size in bytes of the longest buffer for a call that keeps the processor.
const maxKept = 32 << 10

// recv reads from a socket. It does not wait.
func recv(fd int, p []byte) (int, error) {
	if len(p) > maxKept {
		return syscall.Read(fd, p)
	}
	return rawResult(syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))),
		uintptr(len(p)), syscall.MSG_DONTWAIT, 0, 0))
}

// peek returns an error if nothing can be read from a socket. It does not wait.
func peek(fd int) error {
	var one [1]byte
	_, err := rawResult(syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&one)),
		uintptr(len(one)), syscall.MSG_DONTWAIT|syscall.MSG_PEEK, 0, 0))
	return err
}

// send writes to a connected socket. It does not wait.
func send(fd int, p []byte) (int, error) {
	if len(p) > maxKept {
		return syscall.Write(fd, p)
	}
	return rawResult(syscall.RawSyscall6(syscall.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))),
		uintptr(len(p)), syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, 0, 0))
}

// epollWait fetches pending events from an epoll instance. It does not wait.
func epollWait(epoll int, events []syscall.EpollEvent) (int, error) {
	return rawResult(syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(epoll), uintptr(unsafe.Pointer(unsafe.SliceData(events))),
		uintptr(len(events)), 0, 0, 0))
}

// rawResult translates what a system call returns.
func rawResult(n, _ uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
