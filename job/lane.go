package job

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// lane is a scheduler that runs each work item on a new goroutine, and at most a given
// number of them at a time.
//
// It is tempting to use a pool. But the whole process shares a lane, and in tests a
// synctest bubble shares it with code outside the bubble. A worker that was started in a
// bubble and takes work from outside would run it on the bubble's clock, and fail on its
// channels. Here work runs in the bubble of its submitter or, if it had to wait for a
// permit, in the bubble of the work whose permit it gets. And the lane has no timer,
// which would belong to the bubble that first set it. For work that blocks, the few
// hundred nanoseconds that a goroutine takes to start do not matter.
type lane struct {
	mu    interleave.Mutex
	limit int
	taken int
	queue []schedulers.Work // work that waits for a permit, the oldest first

	submitted, completed, panicked uint64

	full   schedulers.Hook[schedulers.Metrics]
	warned bool // of this time that the lane is full
}

// Submit implements schedulers.Scheduler.
func (l *lane) Submit(w schedulers.Work, _ schedulers.Hint) error {
	l.mu.Lock()
	l.submitted++
	if l.taken < l.limit {
		l.taken++
		l.mu.Unlock()
		go l.run(w)
		return nil
	}
	l.queue = append(l.queue, w)
	warn := !l.warned
	l.warned = true
	m, full := l.metrics(), l.full
	l.mu.Unlock()
	if warn {
		full.Call(m)
	}
	return nil
}

func (l *lane) run(w schedulers.Work) { runloop.Once(nil, w, nil, l.releasePermit) }

// releasePermit passes a permit to the next work item. It is also called if the work panics or
// calls runtime.Goexit.
func (l *lane) releasePermit(panicked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.completed++
	if panicked {
		l.panicked++
	}
	l.admit()
}

// admit starts waiting work, as long as there are permits; mu is held.
func (l *lane) admit() {
	for len(l.queue) > 0 && l.taken < l.limit {
		w := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		l.taken++
		go l.run(w)
	}
	if len(l.queue) == 0 {
		l.warned = false
	}
}

// resize changes the limit and returns the previous one. Permits that are taken stay taken.
func (l *lane) resize(limit int) (before int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, l.limit = l.limit, limit
	l.admit()
	return before
}

// setHook sets the hook that is called when the lane becomes full.
func (l *lane) setHook(h schedulers.Hook[schedulers.Metrics]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = h
}

// metrics returns the current numbers; mu is held.
func (l *lane) metrics() schedulers.Metrics {
	return schedulers.Metrics{
		Submitted: l.submitted, Completed: l.completed, Panicked: l.panicked,
		Queued: uint64(len(l.queue)), Running: uint64(l.taken), Workers: uint64(l.taken),
	}
}

// Metrics implements schedulers.Meter.
func (l *lane) Metrics() schedulers.Metrics {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.metrics()
}

// maxBlocking bounds the goroutines, and with them the OS threads, that blocking
// work can hold at one time. The Go runtime ends a process that has 10 000 threads;
// tokio's lane for the same purpose holds 512.
const maxBlocking = 512

// blockingLane runs blocking functions, so that work which waits for a disk never takes
// a worker away from work which computes. There is one per process, since threads belong
// to the process.
var blockingLane = sync.OnceValue(func() *schedulers.Home {
	return dispatch.HomeFor(&lane{limit: maxBlocking, full: schedulers.NewHook("job.OnBlockingFull", warnFull)})
})

// Blocking runs fn, which blocks its thread (a file, a C call, a driver without
// contexts), on a dedicated lane. The lane runs at most 512 functions at a time, unless
// [SetBlockingLimit] says otherwise; the rest wait in its queue, see [OnBlockingFull].
// The ambient scheduler in fn's context is that of ctx, so jobs that fn starts do not
// run on the lane. An fn that waits for another Blocking job keeps its own permit
// meanwhile: do not nest them deeply.
func Blocking[T any](ctx context.Context, fn func(context.Context) (T, error)) *Job[T] {
	t := &runJob[T]{fn: fn}
	err := t.job.core.prepare(&t.body, t, ctx, nil, forJob, fn == nil)
	t.body.home, t.body.hidden = blockingLane(), true
	t.job.core.launch(err)
	return &t.job
}

// theLane is the process's lane.
func theLane() *lane { return blockingLane().Scheduler.(*lane) }

// SetBlockingLimit limits the functions of [Blocking] that run at a time to n, and
// returns the previous limit, initially 512. An n below one counts as one. Each function
// holds an OS thread while it blocks in a system call or in C, and the Go runtime ends a
// process with 10 000 threads. It may be called at any time; functions that already run
// are not stopped. It is safe for concurrent use and does not block.
func SetBlockingLimit(n int) (before int) { return theLane().resize(max(1, n)) }

// BlockingMetrics returns the numbers of the lane of [Blocking]: how many functions were
// submitted and have completed so far, and how many run and are queued now.
func BlockingMetrics() schedulers.Metrics { return theLane().Metrics() }

// OnBlockingFull sets the hook that is called when the lane of [Blocking] becomes full:
// a function has to wait for a permit, and none had to before. It is not called again
// until the queue has been empty. It gets the numbers of that moment and runs on the
// goroutine that called Blocking. It must not block; a panic in it is contained (see
// [schedulers.Hook]). Without a hook, or if hook is nil, a line is written to standard
// error, but only the first time: a lane at its limit may become full a thousand times a
// second. OnBlockingFull is safe for concurrent use.
func OnBlockingFull(hook func(schedulers.Metrics)) {
	if hook == nil {
		hook = warnFull
	}
	theLane().setHook(schedulers.NewHook("job.OnBlockingFull", hook))
}

// warnFull is the default hook.
func warnFull(m schedulers.Metrics) {
	if warnedFull.CompareAndSwap(false, true) {
		_, _ = fmt.Fprintf(os.Stderr, "movenext: the lane of job.Blocking is full: %d run, %d wait; see job.SetBlockingLimit\n", m.Running, m.Queued)
	}
}

// warnedFull records that the line was written.
var warnedFull interleave.Bool
