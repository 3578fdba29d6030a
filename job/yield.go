package job

import (
	"context"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/schedulers"
)

// Yield lets other work go first: what is queued where the caller runs, if that is served in
// order of arrival. A generated machine suspends and goes to the end of its home's queue. Plain
// code waits for a turn at the scheduler that runs it, and has its worker pump or be replaced
// meanwhile, as in any wait; outside of all schedulers, and where its scheduler cannot be notified
// ([schedulers.Here]), at the default one. A scheduler that can do neither lets the caller
// continue at once. It is runtime.Gosched for work.
func Yield() {
	by := schedulers.Here()
	_ = schedulers.Wait(context.Background(), by, nil, yieldTo(by).Done())
}

// YieldAsync returns a job that completes when its turn has come in the queue of the
// scheduler that the caller runs on; see [Yield], whose twin it is. It does not block.
func YieldAsync() *Job[Void] { return yieldTo(schedulers.Here()) }

// yielded is a place in a queue. It is no job with a function, since a waiter would run that in
// place, and nothing would have gone first.
type yielded struct{ promise promise[Void] }

func yieldTo(by schedulers.Worker) *Job[Void] {
	home := ambient.Default()
	if by != nil {
		home = schedulers.HomeFor(by.Scheduler())
	}
	y := new(yielded)
	y.promise.init()
	if err := schedulers.TrySubmit(home, y, schedulers.Hint{From: by, Flags: schedulers.PreferFairness}); err != nil {
		y.Abandon(err)
	}
	return &y.promise.job
}

// Run implements schedulers.Work.
func (y *yielded) Run(on schedulers.Worker) {
	waiters, _ := y.promise.try(Completed, Void{}, nil)
	waiters.Deliver(on)
}

// Abandon implements schedulers.Work.
func (y *yielded) Abandon(reason error) {
	y.promise.settle(Faulted, Void{}, orElse(reason, ErrShutdown))
}

func pass(context.Context) error { return nil }

// SwitchTo continues at s: a generated machine that calls it resumes there, and after
// each later suspension too. Its caller stays where it is: when the function that
// called SwitchTo ends, its caller continues at its own home. Plain code, which cannot
// move, waits for a turn at s. It returns nil, or why s refused or ctx ended.
func SwitchTo(ctx context.Context, s schedulers.Scheduler) error {
	_, err := SwitchToAsync(ctx, s).Await()
	return err
}

// SwitchToAsync returns a job that completes when a turn at s has come. It is the twin
// of [SwitchTo].
func SwitchToAsync(ctx context.Context, s schedulers.Scheduler) *Job[Void] {
	return Go(ctx, pass, On(s))
}
