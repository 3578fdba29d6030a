package dedicated

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// Runner is for long-running work: each work item gets an OS thread of its own,
// at once, for as long as it runs. It holds no thread while it has no work. Make
// one with [NewRunner]. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Timers, Limiter and Meter.
//
// A scheduler of few workers treats work that is flagged with [schedulers.LongRunning]
// in the same way, but on a goroutine: that is enough for work that waits or computes.
// A separate thread is for work that changes the thread (its priority, its signal mask, a
// C library's thread-local state), or that a profiler must not mix with other work.
type Runner struct {
	timerQueue
	tally   tally.Tally
	name    string
	started atomic.Int64
}

// lane is the worker of one work item.
type lane struct {
	runner *Runner
	id     int
}

// NewRunner returns a runner of that name; an empty name means "long-running".
func NewRunner(name string) *Runner {
	if name == "" {
		name = "long-running"
	}
	r := &Runner{name: name}
	r.tally.WorkerPerItem = true
	return r
}

// Name returns the name given to [NewRunner].
func (r *Runner) Name() string { return r.name }

// Submit starts w on a thread of its own and returns nil, or refuses it with
// [schedulers.ErrShutdown] after Shutdown has been called and with
// [schedulers.ErrRejected] if w is nil. Hints are ignored. It does not block.
//
// The thread ends with the work, and any state that the work left on it is lost.
func (r *Runner) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if err := r.tally.Enter(r.name, r, w); err != nil {
		return err
	}
	on := &lane{runner: r, id: int(r.started.Add(1))}
	go func() {
		schedulers.ClearLabels()
		runtime.LockOSThread() // and never unlocked: the thread ends with its goroutine
		r.tally.Run(w, on, nil)
	}()
	return nil
}

// Shutdown refuses all further work with [schedulers.ErrShutdown] and returns nil when
// the last work has ended, or the cause of ctx if ctx ends first. Nothing is ever
// queued here, so nothing is abandoned, and running work continues. Shutdown blocks. It
// may be called any number of times, also concurrently. A nil ctx never ends. Timers
// are not affected.
func (r *Runner) Shutdown(ctx context.Context) error { return r.tally.Shutdown(ctx, func() {}) }

// MaxConcurrency returns 0, which means no limit.
func (r *Runner) MaxConcurrency() int { return 0 }

// Metrics implements [schedulers.Meter]; Workers is the number of threads.
func (r *Runner) Metrics() schedulers.Metrics { return r.tally.Metrics() }

// Scheduler implements [schedulers.Worker].
func (l *lane) Scheduler() schedulers.Scheduler { return l.runner }

// ID implements [schedulers.Worker]: a number that is unique among all work of
// the runner.
func (l *lane) ID() int { return l.id }
