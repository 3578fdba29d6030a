package affinity

import (
	"reflect"
	"runtime"
	"syscall"
)

// pin makes the system call. The kernel reads words of the machine's size, the lowest
// processors first. On a big-endian 32-bit machine a uint64 has another layout in memory,
// but Go has no such port.
//
// The address is taken with package reflect, since the runtime of this module does
// not import unsafe. It points to the heap, where Go moves no objects, and the
// object is kept alive until the call has returned.
func pin(mask *[words]uint64) error {
	v := reflect.ValueOf(mask)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, words*8, v.Pointer())
	runtime.KeepAlive(mask)
	if errno != 0 {
		return errno
	}
	return nil
}
