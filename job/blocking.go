package job

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// maxBlocking bounds the goroutines, and with them the OS threads, that blocking
// work can hold at one time. The Go runtime ends a process that has 10 000 threads;
// tokio's lane of the same purpose holds 512.
const maxBlocking = 512

// blockingLane runs blocking functions, so that work which waits for a disk never takes
// a worker from work which computes. The process has one, since threads belong to the
// process.
var blockingLane = sync.OnceValue(func() *schedulers.Home {
	return schedulers.HomeFor(&lane{slots: maxBlocking, full: schedulers.NewHook("job.OnBlockingFull", warnFull)})
})

// Blocking runs fn, which blocks its thread (a file, a C call, a driver without
// contexts), on a dedicated lane. The lane runs at most 512 functions at a time, unless
// [SetBlockingLimit] says otherwise; the rest wait in its queue, see [OnBlockingFull].
// The ambient scheduler in fn's context is that of ctx, so what fn starts does not run
// on the lane. An fn that waits for another Blocking job keeps its own slot meanwhile:
// do not nest them deeply. It does not block.
func Blocking[T any](ctx context.Context, fn func(context.Context) (T, error)) *Job[T] {
	t := &runJob[T]{fn: fn}
	if err := t.prepare(t, ctx, nil, forJob, fn == nil); err != nil {
		return t.failed(err)
	}
	t.home, t.hidden = blockingLane(), true
	_ = t.submit(t.home, t.flags)
	return &t.Job
}

// theLane is the process's lane.
func theLane() *lane { return blockingLane().Scheduler.(*lane) }

// SetBlockingLimit bounds how many functions of [Blocking] run at a time to n, and
// returns the previous bound, 512 at first. An n below one counts as one. Each function
// holds an OS thread while it blocks in a system call or in C, and the Go runtime ends
// a process with 10 000 threads. It may be called at any time; what runs is not
// stopped. It is safe for concurrent use and does not block.
func SetBlockingLimit(n int) (before int) { return theLane().resize(max(1, n)) }

// BlockingMetrics returns the numbers of the lane of [Blocking]: what was submitted and
// has completed so far, what runs and what is queued now. It does not block.
func BlockingMetrics() schedulers.Metrics { return theLane().Metrics() }

// OnBlockingFull has hook called when the lane of [Blocking] becomes full: a function
// has to wait for a slot, and none had to before. It is called once until the queue
// has been empty again, with the numbers of that moment, on the goroutine that called
// Blocking. It must not block; a panic in it is contained (see [schedulers.Hook]).
// Without one, and with nil, a line is written to standard error. It is safe for
// concurrent use.
func OnBlockingFull(hook func(schedulers.Metrics)) {
	if hook == nil {
		hook = warnFull
	}
	theLane().tell(schedulers.NewHook("job.OnBlockingFull", hook))
}

func warnFull(m schedulers.Metrics) {
	_, _ = fmt.Fprintf(os.Stderr, "movenext: the lane of job.Blocking is full: %d run, %d wait; see job.SetBlockingLimit\n", m.Running, m.Queued)
}
