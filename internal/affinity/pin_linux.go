package affinity

import (
	"reflect"
	"runtime"
	"syscall"
)

// pin asks the kernel. It reads words of the machine's size, the lowest processors first, which on
// a big-endian machine of 32 bits is not how a uint64 lies in memory; Go has no such port.
//
// The address comes from package reflect, since the runtime of this module does not import unsafe.
// What is behind it is on the heap, which Go does not move, and is kept alive until the call has
// returned.
func pin(mask *[words]uint64) error {
	v := reflect.ValueOf(mask)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, words*8, v.Pointer())
	runtime.KeepAlive(mask)
	if errno != 0 {
		return errno
	}
	return nil
}
