// Package promise implements the completing side of a job that has no function, for the
// packages of this module. Machines, locks, sockets and loops contain a [Promise]. Programs
// use a job.Source.
package promise

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/job"
)

// Promise is a job together with the right to complete it. It is embedded in its completer,
// so that a generated machine and its job are one allocation. Call Init before passing the
// job to other code.
//
// It has functions instead of methods, and those that need not know the type have no parameter:
// gc compiles methods and functions with one in each package that has a machine with such a
// result. None blocks. Init, InitDependent and HoldContext must be called before the job is passed
// to other code; the others are safe for concurrent use.
type Promise[T any] struct{ Job job.Job[T] }

func internals(j jobcore.Job) jobcore.Internals {
	_, in := j.Internal(jobcore.Key{})
	return in
}

// Init sets the job of a promise to the state in which it waits for its completion.
func Init(j jobcore.Job) { internals(j).Init() }

// InitDependent is Init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle.
func InitDependent(j jobcore.Job) { internals(j).InitDependent() }

// HoldContext makes the operation a user of ctx, if ctx is a job's context or derived from
// one: that context does not end before [ReleaseContext] is called with the same
// ctx. So an operation that a job's function has started may outlive the function, as a job
// may.
func HoldContext(j jobcore.Job, ctx context.Context) { internals(j).HoldContext(ctx) }

// ReleaseContext undoes [HoldContext]. It is called once, when the outcome is known.
func ReleaseContext(j jobcore.Job, ctx context.Context) { internals(j).ReleaseContext(ctx) }

// SetExclusive marks the value of the job as belonging to its waiter alone: a machine that awaits
// the job gets the value even if its home is gone.
func SetExclusive(j jobcore.Job) { internals(j).SetExclusive() }

// TryComplete completes the job and reports whether this call did; the caller then delivers
// the chain, on its own stack or later. ctx is the context of the operation, or nil. An err
// that matches the end of ctx makes the job Canceled, any other Faulted.
func TryComplete[T any](p *Promise[T], ctx context.Context, value T, err error) (continuation.Chain, bool) {
	v, in := p.Job.Internal(jobcore.Key{})
	if !in.Reserve(ctx, err) {
		return continuation.Chain{}, false
	}
	*v.(*T) = value
	return in.Publish(err), true
}

// TryFail is [TryComplete] without a value.
func TryFail(j jobcore.Job, ctx context.Context, err error) (continuation.Chain, bool) {
	in := internals(j)
	if !in.Reserve(ctx, err) {
		return continuation.Chain{}, false
	}
	return in.Publish(err), true
}

// Perform runs f, completes the job with its outcome, and notifies the waiters. It is what a
// goroutine of this module runs for a job: a panic of f, and a runtime.Goexit, are outcomes,
// as they are of a job's function. f may call users' code: callbacks, and methods of contexts.
// So does TryComplete, which asks ctx whether it has ended, and err whether that is the reason.
func Perform[T any](p *Promise[T], ctx context.Context, f func() (T, error)) {
	why := job.ErrGoexit // nil: the job has ended
	defer func() {
		if panicked, ok := why.(*job.PanicError); ok { // the goroutine exits nevertheless
			why = Exiting(panicked)
		}
		fail(&p.Job, why)
	}()
	perform(p, ctx, f, &why)
	fail(&p.Job, why)
	why = nil
}

// perform is Perform without the end of a function that does not return: why is then its panic.
func perform[T any](p *Promise[T], ctx context.Context, f func() (T, error), why *error) {
	defer func() {
		if *why == nil {
			return
		}
		if x := recover(); x != nil {
			*why = Panic(x)
		}
	}()
	v, failed := f()
	waiters, ok := TryComplete(p, ctx, v, failed)
	if *why = nil; ok {
		waiters.Deliver(nil)
	}
}

// fail completes the job with why, unless that is nil.
func fail(j jobcore.Job, why error) {
	if why == nil {
		return
	}
	if waiters, ok := TryFail(j, context.Background(), why); ok {
		waiters.Deliver(nil)
	}
}

// Exiting returns p as the error of a job whose function has called runtime.Goexit, during which
// the panic began.
func Exiting(p *job.PanicError) *job.PanicError {
	q := &job.PanicError{Value: p.Value, Stack: p.Stack, Async: p.Async} // p may be another job's
	*q.Internal(jobcore.Key{}) = true
	return q
}

// Exits reports whether err, a job's error, means that its function has called runtime.Goexit,
// whether or not a panic began during that.
func Exits(err error) bool {
	p, panicked := err.(*job.PanicError)
	return err == job.ErrGoexit || panicked && *p.Internal(jobcore.Key{})
}

// Failed returns the job of an operation that failed with err before it began: Canceled if
// err is how ctx has ended, Faulted otherwise.
func Failed[T any](ctx context.Context, err error) *job.Job[T] {
	var p Promise[T]
	Init(&p.Job)
	var none T
	TryComplete(&p, ctx, none, err) // the job is not shared yet and has no continuations
	return &p.Job
}

// FailedVoid is [Failed] for an operation without a value. It is not inlined: a generic caller
// would compile Failed in each package that calls it.
//
//go:noinline
func FailedVoid(ctx context.Context, err error) *job.Job[job.Void] { return Failed[job.Void](ctx, err) }

// Thrown reports whether err, a job's error, means that the function has not returned, because
// of a panic or a Goexit. It checks only err itself: an error that wraps another job's panic
// was returned by the function.
func Thrown(err error) bool {
	_, panicked := err.(*job.PanicError)
	return panicked || err == job.ErrGoexit
}

// Panic returns the error for a panic value that was just recovered, with the stack of
// the calling goroutine. Call it in the deferred function that recovered. A value that
// already is a *job.PanicError is returned unchanged.
func Panic(value any) *job.PanicError {
	if p, ok := value.(*job.PanicError); ok {
		return p
	}
	return &job.PanicError{Value: value, Stack: panics.Here().Text()}
}
