// Package ambient says where work runs if nothing but its context is known: on the
// scheduler that the context carries, or on the default one of the process; and which
// timers measure its time.
package ambient

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

var defaultHome atomic.Pointer[schedulers.Home]

// builtin is the pool that is the default until another scheduler is set. It
// holds no goroutine while it is idle, so it is never shut down.
var builtin = sync.OnceValue(func() *schedulers.Home { return schedulers.HomeFor(pool.New()) })

// Default returns where work runs whose context names no scheduler. It is never nil, and
// does not block.
func Default() *schedulers.Home {
	if h := defaultHome.Load(); h != nil {
		return h
	}
	return builtin()
}

// SetDefault makes s the default; nil brings the built-in pool back.
func SetDefault(s schedulers.Scheduler) {
	if s == nil {
		defaultHome.Store(nil)
		return
	}
	defaultHome.Store(schedulers.HomeFor(s))
}

// Home returns where work with ctx runs: on its ambient scheduler, or the default. It
// is never nil, and does not block. ctx may be nil.
func Home(ctx context.Context) *schedulers.Home {
	if h := schedulers.HomeOf(ctx); h != nil {
		return h
	}
	return Default()
}
