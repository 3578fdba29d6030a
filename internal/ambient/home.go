// Package ambient says where work runs if nothing but its context is known: on the
// scheduler that the context carries, or on the default one of the process; and which
// timers measure its time.
package ambient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

var defaultHome atomic.Pointer[schedulers.Home]

// builtin is the pool that is the default until another scheduler is set. It
// holds no goroutine while it is idle, so it is never shut down.
var builtin = sync.OnceValue(func() *schedulers.Home { return schedulers.HomeFor(pool.New()) })

// stands are the homes of simulations that stand for the default, the latest last.
var stands struct {
	sync.Mutex
	in     []*schedulers.Home
	latest atomic.Pointer[schedulers.Home]
}

// StandIn makes s the default, whatever SetDefault says, until end is called, once. Calls
// may overlap: the latest that has not ended counts. It does not block, and is safe for
// concurrent use.
func StandIn(s schedulers.Scheduler) (end func()) {
	h := schedulers.HomeFor(s)
	stands.Lock()
	defer stands.Unlock()
	stands.in = append(stands.in, h)
	stands.latest.Store(h)
	return func() {
		stands.Lock()
		defer stands.Unlock()
		stands.in = slices.DeleteFunc(stands.in, func(other *schedulers.Home) bool { return other == h })
		var latest *schedulers.Home
		if n := len(stands.in); n > 0 {
			latest = stands.in[n-1]
		}
		stands.latest.Store(latest)
	}
}

// Default returns where work runs whose context names no scheduler. It is never nil, and
// does not block.
func Default() *schedulers.Home {
	if h := stands.latest.Load(); h != nil {
		return h
	}
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
