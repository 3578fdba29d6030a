// Package promise has the other end of a job that has no function, for the packages of
// this module: machines, locks, sockets and loops are objects that hold one. Programs use a
// job.Source.
package promise

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/panics"
	"github.com/movenext/movenext/job"
)

// Promise is a job together with the right to complete it, to be embedded in its
// completer: so the runtime of generated code has machine and job in one allocation. Call
// Init before handing the job out.
//
// No method blocks. Those up to Stay are called before the job is handed out, the others
// are safe for concurrent use.
type Promise[T any] struct{ job job.Job[T] }

func (p *Promise[T]) insides() jobcore.Insides {
	_, in := p.job.Internal(jobcore.Key{})
	return in
}

// Init makes the job wait for its completion.
func (p *Promise[T]) Init() { p.insides().Init() }

// InitDependent is Init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle.
func (p *Promise[T]) InitDependent() { p.insides().InitDependent() }

// HandOver says that the job's value is for its waiter alone, as an element is that was
// taken out of a queue: a machine whose home is gone when the value comes must not lose
// it. It is called after Init.
func (p *Promise[T]) HandOver() { p.insides().HandOver() }

// Stay has the operation count as a user of ctx, if that is a job's or lies in one: the
// job's context does not end before [Promise.Leave] is called with the same ctx. What is
// started in a job's function and left behind lives on that way, as a job does.
func (p *Promise[T]) Stay(ctx context.Context) { p.insides().Stay(ctx) }

// Leave takes [Promise.Stay] back. It is called once, when the outcome is known.
func (p *Promise[T]) Leave(ctx context.Context) { p.insides().Leave(ctx) }

// Job returns the job.
func (p *Promise[T]) Job() *job.Job[T] { return &p.job }

// TryComplete ends the job and reports whether this call did; the caller then delivers
// the chain, on its own stack or later. ctx is the context of the operation: an error
// that it ended with makes the job Canceled, any other Faulted. ctx may be nil.
func (p *Promise[T]) TryComplete(ctx context.Context, value T, err error) (continuation.Chain, bool) {
	v, in := p.job.Internal(jobcore.Key{})
	if !in.Reserve(ctx, err) {
		return continuation.Chain{}, false
	}
	*v.(*T) = value
	return in.Publish(err), true
}

// Thrown reports whether err, a job's error, is that of a function that has not returned: of a
// panic or a Goexit. It looks at the error itself: one that wraps another job's panic was
// returned by the function.
func Thrown(err error) bool {
	_, panicked := err.(*job.PanicError)
	return panicked || err == job.ErrGoexit
}

// Panic returns the error for a panic value that was just recovered, with the stack of
// the calling goroutine; call it in the deferred function that recovered. A value that is
// a *job.PanicError already is returned as it is.
func Panic(value any) *job.PanicError {
	if p, ok := value.(*job.PanicError); ok {
		return p
	}
	return &job.PanicError{Value: value, Stack: panics.Here().Text()}
}
