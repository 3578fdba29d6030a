package job

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

// DefaultScheduler returns the scheduler of jobs whose context and options name
// none. It is a pool until [SetDefaultScheduler] sets another.
func DefaultScheduler() schedulers.Scheduler { return defaultOne().Scheduler }

func defaultOne() *schedulers.Home {
	if h := defaultHome.Load(); h != nil {
		return h
	}
	return builtin()
}

// SetDefaultScheduler makes s the default; nil brings the built-in pool back. Jobs
// that were started before stay where they are.
func SetDefaultScheduler(s schedulers.Scheduler) {
	if s == nil {
		defaultHome.Store(nil)
		return
	}
	defaultHome.Store(schedulers.HomeFor(s))
}

// HomeOf returns where work with ctx runs: on its ambient scheduler, or the default. It
// is never nil, and does not block.
func HomeOf(ctx context.Context) *schedulers.Home {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.home
	}
	if h := schedulers.HomeOf(ctx); h != nil {
		return h
	}
	return defaultOne()
}

// workerOf is schedulers.WorkerFrom, without a question where ctx is a job's own.
func workerOf(ctx context.Context) schedulers.Worker {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.worker
	}
	return schedulers.WorkerFrom(ctx)
}
