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
	runtime.LockOSThread() // want `the function suspends at line 17 while it is locked to its thread; it continues on another thread; run it on a scheduler of schedulers/dedicated, or remove the annotation \[threadlock\]`
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
