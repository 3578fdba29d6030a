package job

import (
	"context"

	"github.com/movenext/movenext/schedulers"
)

// Yield lets other work go first. In plain code it waits for a turn in
// the default scheduler's queue; in a generated machine it is a suspension that goes
// to the end of the queue of the machine's own home.
func Yield() { _, _ = YieldAsync().Await() }

// YieldAsync returns a job that completes when its turn in the default scheduler's
// queue has come. It is the twin of [Yield].
func YieldAsync() *Job[Void] {
	return Go(context.Background(), pass, PreferFairness())
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
