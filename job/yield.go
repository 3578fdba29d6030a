package job

import (
	"context"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// Yield lets other work run first: the work that is queued at the caller's scheduler, if
// that queue is served in order of arrival. It is runtime.Gosched for work. A generated
// machine suspends and goes to the end of its home's queue. Plain code waits for its
// turn at the scheduler that runs it; its worker pumps or is replaced meanwhile, as in
// any wait. Outside of all schedulers, and if its scheduler cannot be notified
// ([schedulers.Here]), plain code waits at the default one. If a scheduler can neither
// pump nor replace the worker, the caller continues at once.
func Yield() {
	worker := schedulers.Here()
	_ = dispatch.Yield(worker, queueOf(worker))
}

// YieldAsync returns a job that completes when its turn comes in the queue of the
// scheduler that the caller runs on. It is the twin of [Yield].
func YieldAsync() *Job[Void] {
	worker := schedulers.Here()
	y := new(yielded)
	y.promise.job.core.init()
	hint := schedulers.Hint{From: worker, Flags: schedulers.PreferFairness}
	if err := schedulers.TrySubmit(queueOf(worker), y, hint); err != nil {
		y.Abandon(err)
	}
	return &y.promise.job
}

// queueOf returns the scheduler of worker, or the default one.
func queueOf(worker schedulers.Worker) schedulers.Scheduler {
	if worker == nil {
		return ambient.Default()
	}
	return dispatch.HomeFor(worker.Scheduler())
}

// yielded is a place in a queue. It is not a job with a function, since a waiter would
// run that in place, and no other work would have run first.
type yielded struct{ promise promise[Void] }

// Run implements schedulers.Work.
func (y *yielded) Run(worker schedulers.Worker) {
	waiters, _ := tryComplete(&y.promise, Completed, Void{}, nil)
	waiters.Deliver(worker)
}

// Abandon implements schedulers.Work.
func (y *yielded) Abandon(reason error) {
	settle(&y.promise, Faulted, Void{}, orElse(reason, ErrShutdown))
}

// SwitchTo moves a generated machine to s: the machine that calls it resumes there, and
// after each later suspension too. The caller of that machine does not move: when the
// function that called SwitchTo ends, its caller continues at its own home. Plain code,
// which cannot move, waits for a turn at s. SwitchTo returns nil, or the reason why s
// refused or ctx ended, even if s is busy or stuck then. In those cases the machine has not
// moved.
func SwitchTo(ctx context.Context, s schedulers.Scheduler) error {
	_, err := SwitchToAsync(ctx, s).Await()
	return err
}

// SwitchToAsync returns a job that completes when its turn at s comes, or is Canceled when ctx
// ends first. It is the twin of [SwitchTo].
func SwitchToAsync(ctx context.Context, s schedulers.Scheduler) *Job[Void] {
	t := &turn{}
	c := &t.job.core
	err := c.prepare(&t.body, t, ctx, []Option{On(s)}, forJob, false)
	switch {
	case err != nil:
		c.faultWith(err)
	case t.body.parent.Err() != nil:
		c.cancel(nil)
	default:
		t.watch.Start(t.body.parent, t)
		_ = c.submit(t.body.home, c.flags) // if it is canceled now, its turn changes nothing
	}
	return &t.job
}

// turn is a job that does nothing when its turn comes. Other jobs that have not begun are canceled
// when their turn comes; whoever waits for a turn wants to know at once. A waiter may run it in
// place, in contrast to the place in a queue of [Yield]: the turn is there then.
type turn struct {
	job   Job[Void]
	body  body
	watch ctxwatch.Watch
}

func (t *turn) base() *core { return &t.job.core }

func (t *turn) completer() jobCompleter { return (*completer[Void])(&t.job) }

func (t *turn) invoke(context.Context) error { return nil }

func (t *turn) drop() { t.watch.Stop() }

// ContextEnded implements ctxwatch.Listener.
func (t *turn) ContextEnded(*ctxwatch.Watch) { t.job.core.cancel(nil) }
