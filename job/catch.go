package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Catch returns a job that runs fn with the error of j once j has Faulted or was
// Canceled, and ends with what fn returns: a result in its place, or an error. If j has
// Completed, fn is not called and the job has j's result. With [OnlyOnFaulted] or
// [OnlyOnCanceled], fn is for that outcome alone, and the other passes: the job ends as
// j did. Scheduler, context, a nil j and other options are as with [ContinueWith]. It
// does not block.
//
// The name is that of JavaScript's promises.
func Catch[T any](ctx context.Context, j *Job[T], fn func(context.Context, error) (T, error), opts ...Option) *Job[T] {
	c := &catch[T]{fn: fn}
	if err := c.prepare(c, ctx, opts, forCatch, fn == nil); err != nil {
		return c.failed(err)
	}
	if c.only == 0 {
		c.only = forCatch.filters
	}
	return c.attach(present(j), c)
}

type catch[T any] struct {
	link[T, T]
	fn func(context.Context, error) (T, error)
}

// Completed implements continuation.Target.
func (c *catch[T]) Completed(from schedulers.Worker) continuation.Chain {
	if j := c.after.Load(); j != nil && !c.only.admits(j.Status()) {
		told, won := c.pass(j.Status(), j.value, j.err())
		if won {
			j.observed() // from here on it is our failure
		}
		return told
	}
	return c.activate(c, from)
}

// Run implements schedulers.Work.
func (c *catch[T]) Run(on schedulers.Worker) { c.run(c, on, nil) }

func (c *catch[T]) runClaimed(on schedulers.Worker) { c.execute(c, on) }

func (c *catch[T]) runNext(on schedulers.Worker, q *queue) { c.run(c, on, q) }

func (c *catch[T]) invoke(ctx context.Context) (T, error) {
	return c.fn(ctx, c.antecedent().Err())
}

func (c *catch[T]) drop() {
	c.release()
	c.fn = nil
}
