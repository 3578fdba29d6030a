package works

import "syscall"

// sleepThread blocks its thread in a system call for a moment. The runtime learns of
// that as of any call that takes long. A signal may end it early: then it goes on.
func sleepThread() {
	left := syscall.NsecToTimespec(moment.Nanoseconds())
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
		continue
	}
}
