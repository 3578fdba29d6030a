package job

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job/root"
)

// continued is the job of ContinueWith.
type continued[T, U any] struct {
	job        Job[U]
	link       link
	fn         func(context.Context, *Job[T]) (U, error)
	antecedent *Job[T] // that of the link; used by the winner of the right to complete the job
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
func ContinueWith[T, U any](ctx context.Context, j *Job[T], fn root.FuncOf[*Job[T], U], opts ...Option) *Job[U] {
	c := &continued[T, U]{fn: fn, antecedent: orNilJob(j)}
	err := c.job.core.prepare(&c.link.body, c, ctx, opts, forContinuation, fn == nil)
	c.link.attach(&c.job.core, &c.antecedent.core, err)
	return &c.job
}

func (c *continued[T, U]) base() *core { return &c.job.core }

func (c *continued[T, U]) completer() jobCompleter { return (*completer[U])(&c.job) }

func (c *continued[T, U]) continues() *link { return &c.link }

func (c *continued[T, U]) invoke(ctx context.Context) (err error) {
	c.link.takeAntecedent()
	j := c.antecedent
	c.antecedent = nil
	c.job.value, err = c.fn(ctx, j)
	return err
}

func (c *continued[T, U]) drop() {
	c.link.release()
	c.fn, c.antecedent = nil, nil
}

// ContinueWith is the function [ContinueWith] for an fn without a result, so that calls
// can be chained in the order in which they run. A continuation that changes the type of
// the result has to be made by a function: Go's methods have no type parameters.
func (j *Job[T]) ContinueWith(ctx context.Context, fn root.ActionOf[*Job[T]], opts ...Option) *Job[Void] {
	antecedent := orNilJob(j) // not j: a variable that changes would be allocated
	c := &continuedVoid{fn: func(ctx context.Context) error { return fn(ctx, antecedent) }}
	err := c.job.core.prepare(&c.link.body, c, ctx, opts, forContinuation, fn == nil)
	c.link.attach(&c.job.core, &antecedent.core, err)
	return &c.job
}

// continuedVoid is the job of the method ContinueWith. Its function knows the antecedent. A
// [continued] would be compiled for each type of a job that a package mentions.
type continuedVoid struct {
	job  Job[Void]
	link link
	fn   func(context.Context) error
}

func (c *continuedVoid) base() *core { return &c.job.core }

func (c *continuedVoid) completer() jobCompleter { return (*completer[Void])(&c.job) }

func (c *continuedVoid) continues() *link { return &c.link }

func (c *continuedVoid) invoke(ctx context.Context) error {
	c.link.takeAntecedent()
	return c.fn(ctx)
}

func (c *continuedVoid) drop() {
	c.link.release()
	c.fn = nil
}

// Then returns a job that runs fn with the result of j once j has Completed. If j ends
// in another way, fn is not called and the job ends as j did: with the same status and
// error. Scheduler, context and options are those of [ContinueWith], except the filters.
// A wait for it on a worker may run j and fn in place; a runtime.Goexit in them then ends the
// waiter's goroutine, as in [Job.Wait].
//
// The name is that of JavaScript's promises.
func Then[T, U any](ctx context.Context, j *Job[T], fn root.FuncOf[T, U], opts ...Option) *Job[U] {
	t := &then[T, U]{fn: fn, antecedent: orNilJob(j)}
	err := t.job.core.prepare(&t.link.body, t, ctx, opts, forThen, fn == nil)
	t.job.core.only = only(Completed)
	t.link.attach(&t.job.core, &t.antecedent.core, err)
	return &t.job
}

type then[T, U any] struct {
	job        Job[U]
	link       link
	fn         func(context.Context, T) (U, error)
	antecedent *Job[T]
}

func (t *then[T, U]) base() *core { return &t.job.core }

func (t *then[T, U]) completer() jobCompleter { return (*completer[U])(&t.job) }

func (t *then[T, U]) continues() *link { return &t.link }

// pass implements passer. The job has no value, since the types differ.
func (t *then[T, U]) pass() {}

func (t *then[T, U]) invoke(ctx context.Context) (err error) {
	t.link.takeAntecedent()
	v, _ := t.antecedent.GetResult()
	t.antecedent = nil
	t.job.value, err = t.fn(ctx, v)
	return err
}

func (t *then[T, U]) drop() {
	t.link.release()
	t.fn, t.antecedent = nil, nil
}

// Catch returns a job that runs fn with the error of j once j has Faulted or was
// Canceled, and ends with the result or the error that fn returns. If j has Completed,
// fn is not called and the job has j's result. With [OnlyOnFaulted] or [OnlyOnCanceled],
// fn handles only that outcome; otherwise the job ends as j did. Scheduler, context, a
// nil j and other options are as with [ContinueWith].
//
// The name is that of JavaScript's promises.
func Catch[T any](ctx context.Context, j *Job[T], fn root.FuncOf[error, T], opts ...Option) *Job[T] {
	c := &catch[T]{fn: fn, antecedent: orNilJob(j)}
	err := c.job.core.prepare(&c.link.body, c, ctx, opts, forCatch, fn == nil)
	if c.job.core.only == 0 {
		c.job.core.only = forCatch.filters
	}
	c.link.attach(&c.job.core, &c.antecedent.core, err)
	return &c.job
}

type catch[T any] struct {
	job        Job[T]
	link       link
	fn         func(context.Context, error) (T, error)
	antecedent *Job[T]
}

func (c *catch[T]) base() *core { return &c.job.core }

func (c *catch[T]) completer() jobCompleter { return (*completer[T])(&c.job) }

func (c *catch[T]) continues() *link { return &c.link }

// pass implements passer.
func (c *catch[T]) pass() { c.job.value = c.antecedent.value }

func (c *catch[T]) invoke(ctx context.Context) (err error) {
	c.link.takeAntecedent()
	failed := c.antecedent.Err()
	c.antecedent = nil
	c.job.value, err = c.fn(ctx, failed)
	return err
}

func (c *catch[T]) drop() {
	c.link.release()
	c.fn, c.antecedent = nil, nil
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
func Finally[T any](ctx context.Context, j *Job[T], fn root.Action, opts ...Option) *Job[T] {
	f := &finally[T]{fn: fn, antecedent: orNilJob(j)}
	err := f.job.core.prepare(&f.link.body, f, ctx, opts, forFinally, fn == nil)
	if err == nil {
		f.link.body.shield()
	}
	f.job.core.mode |= lazy | unstoppable
	f.link.attach(&f.job.core, &f.antecedent.core, err)
	return &f.job
}

type finally[T any] struct {
	job        Job[T]
	link       link
	fn         func(context.Context) error
	antecedent *Job[T]
}

func (f *finally[T]) base() *core { return &f.job.core }

func (f *finally[T]) completer() jobCompleter { return &finallyEnd[T]{f, f.antecedent} }

func (f *finally[T]) continues() *link { return &f.link }

func (f *finally[T]) invoke(ctx context.Context) (err error) {
	f.link.takeAntecedent()
	failed := f.fn(ctx)
	if suspension.Of(failed) != nil {
		return failed
	}
	f.job.value, err = f.outcomeAfter(f.antecedent, failed)
	return err
}

// outcomeAfter returns the outcome of the job once fn has returned the error failed.
func (f *finally[T]) outcomeAfter(antecedent *Job[T], failed error) (T, error) {
	v, err := antecedent.GetResult()
	if failed != nil {
		return v, joinErrors(err, failed)
	}
	f.job.core.final = uint8(antecedent.Status())
	return v, err
}

// finallyEnd is the right to complete the job once an fn that has suspended ends. It adapts the
// end of fn to that of the job, since their result types differ.
type finallyEnd[T any] struct {
	finally    *finally[T]
	antecedent *Job[T]
}

// Return implements suspension.Completer.
func (e *finallyEnd[T]) Return(_ Void, failed error) continuation.Chain {
	v, err := e.finally.outcomeAfter(e.antecedent, failed)
	return (*completer[T])(&e.finally.job).Return(v, err)
}

// Fault implements suspension.Completer.
func (e *finallyEnd[T]) Fault(err error) continuation.Chain {
	e.finally.antecedent = e.antecedent
	return (*completer[T])(&e.finally.job).Fault(err)
}

// Handle implements suspension.Completer.
func (e *finallyEnd[T]) Handle() any { return &e.finally.job }

// crashError implements keeper: the job's result survives a crash of fn, whose error is
// joined to the job's.
func (f *finally[T]) crashError(failed error) error {
	if f.link.get(0) != nil {
		return failed // the context of the job panicked, before fn was called
	}
	v, err := f.antecedent.GetResult()
	f.job.value = v
	return joinErrors(err, failed)
}

func joinErrors(err, failed error) error {
	if err == nil {
		return failed
	}
	return errors.Join(err, failed)
}

func (f *finally[T]) drop() {
	f.link.release()
	f.fn, f.antecedent = nil, nil
}
