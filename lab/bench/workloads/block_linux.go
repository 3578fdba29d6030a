package workloads

import "syscall"

// sleepThread blocks its thread in a system call for a moment. The runtime notices it like any
// long call. A signal may interrupt the sleep: it then continues.
func sleepThread() {
	left := syscall.NsecToTimespec(moment.Nanoseconds())
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
		continue
	}
}
