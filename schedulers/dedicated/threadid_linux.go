package dedicated

import "syscall"

// ThreadID returns the operating system's id of the calling thread. It is meaningful
// only on a goroutine that is locked to its thread, as the workers of this package are.
// On Linux it is gettid, on Windows GetCurrentThreadId; on other systems, which offer
// no way to ask without cgo, it is 0. It does not block.
func ThreadID() int { return syscall.Gettid() }
