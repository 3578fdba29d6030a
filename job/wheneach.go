package job

import (
	"context"
	"errors"
	"iter"
)

// WhenEach returns a sequence of jobs in the order in which they end, each once; those that
// have ended already come first, in the order given. Ranging over it blocks until the next
// has ended. Breaking off leaves nothing behind in the jobs that have not. When ctx ends, the last
// pair is a nil job and a *[WaitError]; in all other pairs the error is nil, and the
// job tells its own.
//
// Jobs that are Created are started. A nil job counts as one that has faulted with [ErrNilJob].
// [Completions] is the form of it that generated code suspends in.
func WhenEach[T any](ctx context.Context, jobs ...*Job[T]) iter.Seq2[*Job[T], error] {
	return func(yield func(*Job[T], error) bool) {
		c := CompletionsOf(jobs...)
		defer c.Stop()
		for {
			j, err := c.Next(ctx)
			if errors.Is(err, ErrNoJobs) || !yield(j, err) || err != nil {
				return
			}
		}
	}
}
