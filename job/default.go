package job

import (
	"context"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/schedulers"
)

// DefaultScheduler returns the scheduler of jobs whose context and options name
// none. It is a pool until [SetDefaultScheduler] sets another.
func DefaultScheduler() schedulers.Scheduler { return ambient.Default().Scheduler }

// SetDefaultScheduler makes s the default; nil brings the built-in pool back. Jobs
// that were started before stay where they are.
func SetDefaultScheduler(s schedulers.Scheduler) { ambient.SetDefault(s) }

// homeOf is ambient.Home, without a question where ctx is a job's own.
func homeOf(ctx context.Context) *schedulers.Home {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.home
	}
	return ambient.Home(ctx)
}

// timersOf returns the timers with which [Sleep] measures its time.
func timersOf(ctx context.Context) schedulers.Timers { return ambient.Timers(homeOf(ctx)) }

// workerOf is schedulers.WorkerFrom, without a question where ctx is a job's own.
func workerOf(ctx context.Context) schedulers.Worker {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.worker
	}
	return schedulers.WorkerFrom(ctx)
}
