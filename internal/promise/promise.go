// Package promise implements the completing side of a job that has no function, for the
// packages of this module: machines, locks, sockets and loops contain a [Promise]. Programs
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
// No method blocks. Init, InitDependent, SetExclusive and HoldContext must be called before
// the job is passed to other code; the other methods are safe for concurrent use.
type Promise[T any] struct{ job job.Job[T] }

func (p *Promise[T]) internals() jobcore.Internals {
	_, in := p.job.Internal(jobcore.Key{})
	return in
}

// Init sets the job to the state in which it waits for its completion.
func (p *Promise[T]) Init() { p.internals().Init() }

// InitDependent is Init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle.
func (p *Promise[T]) InitDependent() { p.internals().InitDependent() }

// SetExclusive declares that only the job's waiter gets its value, like an element that was
// taken out of a queue: a machine whose home is gone when the value arrives must not lose
// it. It is called after Init.
func (p *Promise[T]) SetExclusive() { p.internals().SetExclusive() }

// HoldContext makes the operation a user of ctx, if ctx is a job's context or derived from
// one: that context does not end before [Promise.ReleaseContext] is called with the same
// ctx. So an operation that a job's function has started may outlive the function, as a job
// may.
func (p *Promise[T]) HoldContext(ctx context.Context) { p.internals().HoldContext(ctx) }

// ReleaseContext undoes [Promise.HoldContext]. It is called once, when the outcome is known.
func (p *Promise[T]) ReleaseContext(ctx context.Context) { p.internals().ReleaseContext(ctx) }

// Job returns the job.
func (p *Promise[T]) Job() *job.Job[T] { return &p.job }

// TryComplete completes the job and reports whether this call did; the caller then delivers
// the chain, on its own stack or later. ctx is the context of the operation, or nil. An err
// that matches the end of ctx makes the job Canceled, any other Faulted.
func (p *Promise[T]) TryComplete(ctx context.Context, value T, err error) (continuation.Chain, bool) {
	v, in := p.job.Internal(jobcore.Key{})
	if !in.Reserve(ctx, err) {
		return continuation.Chain{}, false
	}
	*v.(*T) = value
	return in.Publish(err), true
}

// Failed returns the job of an operation that failed with err before it began: Canceled if
// err is how ctx has ended, Faulted otherwise.
func Failed[T any](ctx context.Context, err error) *job.Job[T] {
	var p Promise[T]
	p.Init()
	var none T
	p.TryComplete(ctx, none, err) // the job is not shared yet and has no continuations
	return p.Job()
}

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
