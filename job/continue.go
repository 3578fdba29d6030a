package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// continued is the job of ContinueWith.
type continued[T, U any] struct {
	link[T, U]
	fn func(context.Context, *Job[T]) (U, error)
}

// ContinueWith returns a job that runs fn with j once j has ended, in whatever way. A
// continuation is a job like any other: it can be waited for and continued itself.
// Several continuations of one job are siblings: each becomes runnable when j ends, in
// the order in which they were added. A Created j is not started. ContinueWith does not
// block.
//
// It runs on the scheduler of the option [On], else on the ambient one of ctx, else on
// the default; never on the goroutine that completes j, unless [RunSynchronously] asks
// for it. Only ctx cancels it: when ctx ends before j does, the continuation is
// Canceled at once and j does not keep it; [LazyCancellation] and [Shielded] change
// that. The outcome of j does not cancel it; fn can ask j. With one of the filters
// [OnlyOnCompleted], [OnlyOnFaulted] and [OnlyOnCanceled] it runs only if j ended that
// way, and is Canceled with [ErrFiltered] if not. A nil j counts as one that has
// Faulted with [ErrNilJob]; fn is given a job that says so. See also [Then], [Catch]
// and [Finally].
func ContinueWith[T, U any](ctx context.Context, j *Job[T], fn func(context.Context, *Job[T]) (U, error), opts ...Option) *Job[U] {
	c := &continued[T, U]{fn: fn}
	if err := c.prepare(c, ctx, opts, forContinuation, fn == nil); err != nil {
		return c.failed(err)
	}
	return c.attach(present(j), c)
}

// ContinueWith is the function [ContinueWith] for an fn that has no result of its own,
// so that calls can be written in their order. What changes the type of the result has
// to be a function: Go's methods have no type parameters.
func (j *Job[T]) ContinueWith(ctx context.Context, fn func(context.Context, *Job[T]) error, opts ...Option) *Job[Void] {
	if fn == nil {
		return ContinueWith[T, Void](ctx, j, nil, opts...)
	}
	return ContinueWith(ctx, j, func(ctx context.Context, j *Job[T]) (Void, error) { return Void{}, fn(ctx, j) }, opts...)
}

// Completed implements continuation.Target: the antecedent has ended.
func (c *continued[T, U]) Completed(from schedulers.Worker) continuation.Chain {
	if c.only != 0 {
		if j := c.after.Load(); j != nil && !c.only.admits(j.Status()) {
			var zero U
			told, _ := c.pass(Canceled, zero, canceledError(ErrFiltered))
			return told
		}
	}
	return c.activate(c, from)
}

// Run implements schedulers.Work.
func (c *continued[T, U]) Run(on schedulers.Worker) { c.run(c, on, nil) }

func (c *continued[T, U]) runClaimed(on schedulers.Worker) { c.execute(c, on) }

func (c *continued[T, U]) runNext(on schedulers.Worker, q *queue) { c.run(c, on, q) }

func (c *continued[T, U]) invoke(ctx context.Context) (U, error) {
	return c.fn(ctx, c.antecedent())
}

func (c *continued[T, U]) drop() {
	c.release()
	c.fn = nil
}
