package job

import (
	"context"

	"github.com/movenext/movenext/internal/ambient"
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
	_ = schedulers.Wait(context.Background(), worker, nil, yieldTo(worker).Done())
}

// YieldAsync returns a job that completes when its turn comes in the queue of the
// scheduler that the caller runs on. It is the twin of [Yield]. It does not block.
func YieldAsync() *Job[Void] { return yieldTo(schedulers.Here()) }

// yielded is a place in a queue. It is not a job with a function, since a waiter would
// run that in place, and no other work would have run first.
type yielded struct{ promise promise[Void] }

func yieldTo(worker schedulers.Worker) *Job[Void] {
	home := ambient.Default()
	if worker != nil {
		home = schedulers.HomeFor(worker.Scheduler())
	}
	y := new(yielded)
	y.promise.init()
	if err := schedulers.TrySubmit(home, y, schedulers.Hint{From: worker, Flags: schedulers.PreferFairness}); err != nil {
		y.Abandon(err)
	}
	return &y.promise.job
}

// Run implements schedulers.Work.
func (y *yielded) Run(worker schedulers.Worker) {
	waiters, _ := y.promise.try(Completed, Void{}, nil)
	waiters.Deliver(worker)
}

// Abandon implements schedulers.Work.
func (y *yielded) Abandon(reason error) {
	y.promise.settle(Faulted, Void{}, orElse(reason, ErrShutdown))
}

func doNothing(context.Context) error { return nil }

// SwitchTo moves a generated machine to s: the machine that calls it resumes there, and
// after each later suspension too. The caller of that machine does not move: when the
// function that called SwitchTo ends, its caller continues at its own home. Plain code,
// which cannot move, waits for a turn at s. SwitchTo returns nil, or the reason why s
// refused or ctx ended.
func SwitchTo(ctx context.Context, s schedulers.Scheduler) error {
	_, err := SwitchToAsync(ctx, s).Await()
	return err
}

// SwitchToAsync returns a job that completes when its turn at s comes. It is the twin of
// [SwitchTo].
func SwitchToAsync(ctx context.Context, s schedulers.Scheduler) *Job[Void] {
	return Go(ctx, doNothing, On(s))
}
