package threadlock

import (
	"context"
	"runtime"

	"example.com/vet/twins"
)

// locked is locked.
//
//movenext:async
func locked(ctx context.Context) error {
	runtime.LockOSThread() // want `the function suspends at line 17 and goes on on another thread; a scheduler of schedulers/dedicated has threads of its own \[threadlock\]`
	defer runtime.UnlockOSThread()
	println()
	return twins.Pause(ctx)
}

//movenext:async
func unlocked(ctx context.Context) error {
	runtime.LockOSThread()
	println()
	runtime.UnlockOSThread()
	return twins.Pause(ctx)
}

func plain(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return twins.Pause(ctx)
}
