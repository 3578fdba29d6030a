package heldlock

import (
	"context"
	"sync"

	"example.com/vet/twins"

	"github.com/movenext/movenext/coord"
)

var n int

//movenext:async
func held(ctx context.Context, mu *sync.Mutex, other *coord.Mutex) (int, error) {
	mu.Lock()                     
	v, err := twins.Fetch(ctx, "") // want `mu\.Lock, called at line 16, is held across this suspension; a waiter for the lock blocks a worker, which may be the one that would unlock it; unlock it first, or use a coord\.Mutex, which may be held across a suspension \[heldlock\]`
	mu.Unlock()
	if err != nil {
		return v, err
	}

	if err := other.Lock(ctx); err != nil {
		return 0, err
	}
	defer other.Unlock()
	return twins.Fetch(ctx, "")
}

//movenext:async
func released(ctx context.Context, mu *sync.Mutex) error {
	mu.Lock()
	n++
	mu.Unlock()
	return twins.Pause(ctx)
}

//movenext:async
func deferred(ctx context.Context, mu *sync.RWMutex) error {
	mu.RLock()
	defer mu.RUnlock()
	return twins.Pause(ctx) // want `mu.RLock, called at line 40, is held across this suspension`
}

//movenext:async
func onOnePath(ctx context.Context, mu *sync.Mutex, early bool) error {
	mu.Lock()
	if early {
		mu.Unlock()
	}
	for range 3 {
		if err := twins.Pause(ctx); err != nil { // want `mu.Lock, called at line 47, is held`
			return err
		}
	}
	return nil
}
