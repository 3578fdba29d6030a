package job

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

var defaultScheduler atomic.Pointer[schedulers.Scheduler]

// builtin is the pool that is the default until another scheduler is set. It
// holds no goroutine while it is idle, so it is never shut down.
var builtin = sync.OnceValue(func() schedulers.Scheduler { return pool.New() })

// DefaultScheduler returns the scheduler of jobs whose context and options name
// none. It is a pool until [SetDefaultScheduler] sets another.
func DefaultScheduler() schedulers.Scheduler {
	if s := defaultScheduler.Load(); s != nil {
		return *s
	}
	return builtin()
}

// SetDefaultScheduler makes s the default; nil brings the built-in pool back. Jobs
// that were started before stay where they are.
func SetDefaultScheduler(s schedulers.Scheduler) {
	if s == nil {
		defaultScheduler.Store(nil)
		return
	}
	defaultScheduler.Store(&s)
}

// home returns where something runs that was given ctx: its ambient scheduler, or the default.
func home(ctx context.Context) schedulers.Scheduler {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.sched
	}
	if s := schedulers.FromContext(ctx); s != nil {
		return s
	}
	return DefaultScheduler()
}

// workerOf is schedulers.WorkerFrom, without a question where ctx is a job's own.
func workerOf(ctx context.Context) schedulers.Worker {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.worker
	}
	return schedulers.WorkerFrom(ctx)
}
