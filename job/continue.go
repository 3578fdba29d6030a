package job

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// continued is the job of ContinueWith.
type continued[T, U any] struct {
	link[T, U]
	fn func(context.Context, *Job[T]) (U, error)
}

// ContinueWith returns a job that runs fn with j once j has ended, whatever its outcome. A
// continuation is a job like any other: it can be waited for and continued itself. Several
// continuations of one job are siblings: each becomes runnable when j ends, in the order
// in which they were added. A Created j is not started.
//
// It runs on the scheduler of the option [On], else on the ambient one of ctx, else on
// the default. It never runs on the goroutine that completes j, unless
// [RunSynchronously] requests that. Only ctx cancels it: when ctx ends before j does,
// the continuation is Canceled at once and j does not keep it; [LazyCancellation] and
// [Shielded] change that. The outcome of j does not cancel it; fn can check j. With one
// of the filters [OnlyOnCompleted], [OnlyOnFaulted] and [OnlyOnCanceled] it runs only if
// j ended that way, and is Canceled with [ErrFiltered] if not. A nil j counts as a job
// that has Faulted with [ErrNilJob], and fn gets such a job. See also [Then], [Catch]
// and [Finally].
func ContinueWith[T, U any](ctx context.Context, j *Job[T], fn func(context.Context, *Job[T]) (U, error), opts ...Option) *Job[U] {
	c := &continued[T, U]{fn: fn}
	if err := c.task.prepare(c, ctx, opts, forContinuation, fn == nil); err != nil {
		return c.task.faultWith(err)
	}
	return c.attach(orNilJob(j), c)
}

// ContinueWith is the function [ContinueWith] for an fn without a result, so that calls
// can be chained in the order in which they run. A continuation that changes the type of
// the result has to be made by a function: Go's methods have no type parameters.
func (j *Job[T]) ContinueWith(ctx context.Context, fn func(context.Context, *Job[T]) error, opts ...Option) *Job[Void] {
	if fn == nil {
		return ContinueWith[T, Void](ctx, j, nil, opts...)
	}
	return ContinueWith(ctx, j, func(ctx context.Context, j *Job[T]) (Void, error) { return Void{}, fn(ctx, j) }, opts...)
}

// Completed implements continuation.Target: the antecedent has ended.
func (c *continued[T, U]) Completed(from schedulers.Worker) continuation.Chain {
	if c.task.core.only != 0 {
		if j := c.antecedent.Load(); j != nil && !c.task.core.only.admits(j.Status()) {
			var zero U
			waiters, _ := c.passOn(Canceled, zero, canceledError(ErrFiltered))
			return waiters
		}
	}
	return c.activate(c, from)
}

// Run implements schedulers.Work.
func (c *continued[T, U]) Run(worker schedulers.Worker) { c.task.run(c, worker, nil) }

func (c *continued[T, U]) runClaimed(worker schedulers.Worker) { c.task.execute(c, worker) }

func (c *continued[T, U]) runNext(worker schedulers.Worker, q *queue) { c.task.run(c, worker, q) }

func (c *continued[T, U]) invoke(ctx context.Context) (U, error) {
	return c.fn(ctx, c.takeAntecedent())
}

func (c *continued[T, U]) drop() {
	c.release()
	c.fn = nil
}

// Then returns a job that runs fn with the result of j once j has Completed. If j ends
// in another way, fn is not called and the job ends as j did: with the same status and
// error. Scheduler, context and options are those of [ContinueWith], except the filters.
// A wait for it on a worker may run j and fn in place; a runtime.Goexit in them then ends the
// waiter's goroutine, as in [Job.Wait].
//
// The name is that of JavaScript's promises.
func Then[T, U any](ctx context.Context, j *Job[T], fn func(context.Context, T) (U, error), opts ...Option) *Job[U] {
	t := &then[T, U]{fn: fn}
	if err := t.task.prepare(t, ctx, opts, forThen, fn == nil); err != nil {
		return t.task.faultWith(err)
	}
	return t.attach(orNilJob(j), t)
}

type then[T, U any] struct {
	link[T, U]
	fn func(context.Context, T) (U, error)
}

// Completed implements continuation.Target.
func (t *then[T, U]) Completed(from schedulers.Worker) continuation.Chain {
	if j := t.antecedent.Load(); j != nil && j.Status() != Completed {
		var zero U
		waiters, won := t.passOn(j.Status(), zero, j.core.err())
		if won {
			j.observeFailure() // from here on it is the failure of this job
		}
		return waiters
	}
	return t.activate(t, from)
}

// Run implements schedulers.Work.
func (t *then[T, U]) Run(worker schedulers.Worker) { t.task.run(t, worker, nil) }

func (t *then[T, U]) runClaimed(worker schedulers.Worker) { t.task.execute(t, worker) }

func (t *then[T, U]) runNext(worker schedulers.Worker, q *queue) { t.task.run(t, worker, q) }

func (t *then[T, U]) invoke(ctx context.Context) (U, error) {
	v, _ := t.takeAntecedent().GetResult()
	return t.fn(ctx, v)
}

func (t *then[T, U]) drop() {
	t.release()
	t.fn = nil
}

// Catch returns a job that runs fn with the error of j once j has Faulted or was
// Canceled, and ends with the result or the error that fn returns. If j has Completed,
// fn is not called and the job has j's result. With [OnlyOnFaulted] or [OnlyOnCanceled],
// fn handles only that outcome; otherwise the job ends as j did. Scheduler, context, a
// nil j and other options are as with [ContinueWith].
//
// The name is that of JavaScript's promises.
func Catch[T any](ctx context.Context, j *Job[T], fn func(context.Context, error) (T, error), opts ...Option) *Job[T] {
	c := &catch[T]{fn: fn}
	if err := c.task.prepare(c, ctx, opts, forCatch, fn == nil); err != nil {
		return c.task.faultWith(err)
	}
	if c.task.core.only == 0 {
		c.task.core.only = forCatch.filters
	}
	return c.attach(orNilJob(j), c)
}

type catch[T any] struct {
	link[T, T]
	fn func(context.Context, error) (T, error)
}

// Completed implements continuation.Target.
func (c *catch[T]) Completed(from schedulers.Worker) continuation.Chain {
	if j := c.antecedent.Load(); j != nil && !c.task.core.only.admits(j.Status()) {
		waiters, won := c.passOn(j.Status(), j.value, j.core.err())
		if won {
			j.observeFailure() // from here on it is the failure of this job
		}
		return waiters
	}
	return c.activate(c, from)
}

// Run implements schedulers.Work.
func (c *catch[T]) Run(worker schedulers.Worker) { c.task.run(c, worker, nil) }

func (c *catch[T]) runClaimed(worker schedulers.Worker) { c.task.execute(c, worker) }

func (c *catch[T]) runNext(worker schedulers.Worker, q *queue) { c.task.run(c, worker, q) }

func (c *catch[T]) invoke(ctx context.Context) (T, error) {
	return c.fn(ctx, c.takeAntecedent().Err())
}

func (c *catch[T]) drop() {
	c.release()
	c.fn = nil
}

// Finally returns a job that runs fn once j has ended, whatever its outcome, and then
// ends as j did: with the same value, error and status. If fn fails, be it by a panic or
// runtime.Goexit, the job has j's value and has Faulted with j's error and fn's, joined.
//
// It is to j what a deferred call is to a function, so fn runs in any case: the end of
// ctx neither cancels the job nor reaches fn, whose context has no deadline (bound it in
// fn if need be), and [Job.Cancel] returns false. A nil j counts as a job that has
// Faulted with [ErrNilJob], so fn runs for it too. Only a scheduler that refuses or
// abandons the job keeps fn from running; the job then fails with that reason. Scheduler
// and other options are those of [ContinueWith], except the filters and [Shielded].
func Finally[T any](ctx context.Context, j *Job[T], fn func(context.Context) error, opts ...Option) *Job[T] {
	f := &finally[T]{fn: fn}
	if err := f.task.prepare(f, ctx, opts, forFinally, fn == nil); err != nil {
		return f.task.faultWith(err)
	}
	f.task.shield()
	f.task.core.mode |= lazy | unstoppable
	return f.attach(orNilJob(j), f)
}

type finally[T any] struct {
	link[T, T]
	fn        func(context.Context) error
	preceding *Job[T] // the antecedent; link has dropped its own reference when fn runs
}

// Completed implements continuation.Target.
func (f *finally[T]) Completed(from schedulers.Worker) continuation.Chain {
	return f.activate(f, from)
}

// Run implements schedulers.Work.
func (f *finally[T]) Run(worker schedulers.Worker) { f.task.run(f, worker, nil) }

func (f *finally[T]) runClaimed(worker schedulers.Worker) { f.task.execute(f, worker) }

func (f *finally[T]) runNext(worker schedulers.Worker, q *queue) { f.task.run(f, worker, q) }

func (f *finally[T]) invoke(ctx context.Context) (T, error) {
	f.preceding = f.takeAntecedent()
	failed := f.fn(ctx)
	if rest := suspension.Of(failed); rest != nil {
		var none T
		return none, &finallyRest[T]{Suspended: rest, finally: f, preceding: f.preceding}
	}
	return f.outcomeAfter(f.preceding, failed)
}

// outcomeAfter returns the outcome of the job once fn has returned the error failed.
func (f *finally[T]) outcomeAfter(preceding *Job[T], failed error) (T, error) {
	v, err := preceding.GetResult()
	if failed != nil {
		return v, joinErrors(err, failed)
	}
	f.task.core.final = uint8(preceding.Status())
	return v, err
}

// finallyRest is an fn that has suspended. It adapts the end of fn to the end of the
// job, whose result types differ.
type finallyRest[T any] struct { //nolint:errname // an error by type alone
	suspension.Suspended
	finally   *finally[T]
	preceding *Job[T]
}

// GoOn implements suspension.Suspended.
func (r *finallyRest[T]) GoOn(_ any, worker schedulers.Worker, spent uint8) {
	r.Suspended.GoOn(r, worker, spent)
}

// Return implements suspension.Completer.
func (r *finallyRest[T]) Return(_ Void, failed error) continuation.Chain {
	v, err := r.finally.outcomeAfter(r.preceding, failed)
	return r.finally.task.Return(v, err)
}

// Fault implements suspension.Completer.
func (r *finallyRest[T]) Fault(err error) continuation.Chain {
	r.finally.preceding = r.preceding
	return r.finally.task.Fault(err)
}

// Handle implements suspension.Completer.
func (r *finallyRest[T]) Handle() any { return &r.finally.task.Job }

// crashError implements keeper: the job's result survives a crash of fn, whose error is
// joined to the job's.
func (f *finally[T]) crashError(failed error) error {
	if f.preceding == nil {
		return failed // the context of the job panicked, before fn was called
	}
	v, err := f.preceding.GetResult()
	f.task.value = v
	return joinErrors(err, failed)
}

func joinErrors(err, failed error) error {
	if err == nil {
		return failed
	}
	return errors.Join(err, failed)
}

func (f *finally[T]) drop() {
	f.release()
	f.fn, f.preceding = nil, nil
}
