package dedicated

import "syscall"

// ThreadID returns the operating system's id of the calling thread. It is meaningful
// only on a goroutine that is locked to its thread, as the workers of this package are.
// On Linux it calls gettid, on Windows GetCurrentThreadId. On other systems, which offer
// no call for it without cgo, it returns 0. It does not block.
func ThreadID() int { return syscall.Gettid() }
