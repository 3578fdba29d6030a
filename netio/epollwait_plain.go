//go:build linux && (race || msan || asan || 386 || s390x) && !netio_portable && !netio_kqueue

package netio

import "syscall"

// epollWait fetches pending events from an epoll instance. It does not wait.
func epollWait(epoll int, events []syscall.EpollEvent) (int, error) {
	return syscall.EpollWait(epoll, events, 0)
}
