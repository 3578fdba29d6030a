// Package ambient determines where work runs if only its context is known: on the
// scheduler that the context carries, or on the default scheduler of the process. It also
// determines which timers the work uses.
package ambient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

var defaultHome atomic.Pointer[schedulers.Home]

// builtin is the pool that is the default until another scheduler is set. It
// holds no goroutine while it is idle, so it is never shut down.
var builtin = sync.OnceValue(func() *schedulers.Home { return dispatch.HomeFor(pool.New()) })

// stands holds the homes of simulations that stand in for the default, as an immutable slice;
// nil: there is none.
var stands struct {
	sync.Mutex // of writers
	in         atomic.Pointer[[]*schedulers.Home]
}

// StandIn makes s the default for the work that s runs, and for no other, until end is called,
// once. It takes precedence over SetDefault. Other goroutines of the process keep the usual
// default, including goroutines that such work starts. It does not block, and is safe for
// concurrent use.
//
// s must run its work by [schedulers.RunOn], since the scheduler of work without a context is
// read from the stack.
func StandIn(s schedulers.Scheduler) (end func()) {
	h := dispatch.HomeFor(s)
	change(func(in []*schedulers.Home) []*schedulers.Home { return append(in, h) })
	return func() {
		change(func(in []*schedulers.Home) []*schedulers.Home {
			return slices.DeleteFunc(in, func(other *schedulers.Home) bool { return other == h })
		})
	}
}

// change replaces the slice of stands by the result of f for a copy of it.
func change(f func([]*schedulers.Home) []*schedulers.Home) {
	stands.Lock()
	defer stands.Unlock()
	var in []*schedulers.Home
	if old := stands.in.Load(); old != nil {
		in = slices.Clone(*old)
	}
	if in = f(in); len(in) == 0 {
		stands.in.Store(nil)
		return
	}
	stands.in.Store(&in)
}

// standIn returns the home, among those of in, on whose worker the calling goroutine runs, or
// nil.
func standIn(in []*schedulers.Home) (home *schedulers.Home) {
	dispatch.HereOn(func(on schedulers.Worker) bool {
		s := on.Scheduler()
		for _, h := range in {
			if dispatch.Same(h, s) {
				home = h
			}
		}
		return home != nil
	})
	return home
}

// Default returns the home of work whose context names no scheduler. It is never nil. Default
// does not block. While a scheduler stands in, it walks the stack, which takes about a
// microsecond.
func Default() *schedulers.Home {
	if in := stands.in.Load(); in != nil {
		if h := standIn(*in); h != nil {
			return h
		}
	}
	if h := defaultHome.Load(); h != nil {
		return h
	}
	return builtin()
}

// SetDefault makes s the default; nil restores the built-in pool.
func SetDefault(s schedulers.Scheduler) {
	if s == nil {
		defaultHome.Store(nil)
		return
	}
	defaultHome.Store(dispatch.HomeFor(s))
}

// Home returns the home of work with ctx: its ambient scheduler, or the default. It is never
// nil. Home does not block. ctx may be nil.
func Home(ctx context.Context) *schedulers.Home {
	if h := dispatch.HomeOf(ctx); h != nil {
		return h
	}
	return Default()
}
