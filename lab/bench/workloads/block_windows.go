package workloads

import "syscall"

var sleep = syscall.NewLazyDLL("kernel32.dll").NewProc("Sleep")

// sleepThread blocks its thread in a system call for a moment. The system rounds that up to its
// clock's step.
func sleepThread() {
	_, _, _ = sleep.Call(uintptr(moment.Milliseconds()))
}
