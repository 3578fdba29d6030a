package job

import (
	"context"
	"errors"
	"iter"
)

// WhenEach returns a sequence of jobs in the order in which they end, each once; those
// that have ended already come first, in the order given. Ranging over it blocks until
// the next has ended; in a function marked //movenext:async a range over it suspends,
// since its twin is [WhenEachAsync]. Breaking off leaves nothing behind in the jobs
// that have not ended. When ctx ends, the last pair is a nil job and a *[WaitError]; in
// all other pairs the error is nil, and the job has its own.
//
// Jobs that are Created are started. A nil job counts as one that has faulted with
// [ErrNilJob].
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

// WhenEachAsync is [WhenEach] as a stream, whose ranges hold neither a worker nor a
// goroutine between jobs. Each range begins anew. It does not block.
func WhenEachAsync[T any](ctx context.Context, jobs ...*Job[T]) *Stream[*Job[T]] {
	return NewStream(&ends[T]{ctx, jobs})
}

// ends is the source of WhenEachAsync.
type ends[T any] struct {
	ctx  context.Context
	jobs []*Job[T]
}

// All implements StreamSource.
func (e *ends[T]) All() iter.Seq2[*Job[T], error] { return WhenEach(e.ctx, e.jobs...) }

// Each is the form that a machine ranges over: next returns the job of the next value,
// which fails with [ErrNoJobs] at the end, and stop breaks off.
func (e *ends[T]) Each() (next func() *Job[*Job[T]], stop func()) {
	c := CompletionsOf(e.jobs...)
	return func() *Job[*Job[T]] { return c.NextAsync(e.ctx) }, c.Stop
}
