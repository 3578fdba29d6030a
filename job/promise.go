package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
)

// Promise is a job together with the right to complete it, to be embedded in its
// completer: so the runtime of generated code has machine and job in one allocation.
// All other code uses a [Source]. Call Init before handing the job out.
type Promise[T any] struct{ job Job[T] }

// Init makes the job wait for its completion.
func (p *Promise[T]) Init() { p.job.state.set(WaitingForActivation) }

// InitDependent is Init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle; see [CircleOf].
func (p *Promise[T]) InitDependent() {
	p.Init()
	p.job.mode = dependent
}

// HandOver says that the job's value is for its waiter alone, as an element is that was
// taken out of a queue: a machine whose home is gone when the value comes must not lose
// it; see [HandedOver]. It is called after Init, before the job is handed out, and does
// not block.
func (p *Promise[T]) HandOver() { p.job.mode |= handing }

// HandedOver reports whether h has completed with a value for its waiter alone. It does not block.
func HandedOver(h Handle) bool {
	c := baseOf(h)
	return c != nil && c.own == nil && c.mode&handing != 0 && c.status() == Completed
}

// Stay has the operation count as a user of ctx, if that is a job's or lies in one: the
// job's context does not end before [Promise.Leave] is called with the same ctx. It is
// called before the job is handed out, and does not block. What is started in a job's
// function and left behind lives on that way, as a job does.
func (p *Promise[T]) Stay(ctx context.Context) {
	if ctx == nil {
		return
	}
	if b := enclosing(ctx); b != nil && b.Hold() {
		p.job.mode |= staying
	}
}

// Leave takes [Promise.Stay] back. It is called once, when the outcome is known, and
// does not block.
func (p *Promise[T]) Leave(ctx context.Context) {
	if p.job.mode&staying == 0 {
		return
	}
	if b := enclosing(ctx); b != nil {
		b.Release()
	}
}

// Job returns the job.
func (p *Promise[T]) Job() *Job[T] { return &p.job }

// TryComplete ends the job and reports whether this call did; the caller then delivers
// the chain, on its own stack or later. ctx is the context of the operation: an error
// that it ended with makes the job Canceled, any other Faulted. ctx may be nil.
func (p *Promise[T]) TryComplete(ctx context.Context, value T, err error) (continuation.Chain, bool) {
	switch {
	case err == nil:
		return p.try(Completed, value, nil)
	case endedBy(ctx, err):
		return p.try(Canceled, value, err)
	default:
		return p.try(Faulted, value, err)
	}
}

func (p *Promise[T]) try(final Status, value T, err error) (continuation.Chain, bool) {
	if !p.reserve() {
		return continuation.Chain{}, false
	}
	return p.publish(final, value, err), true
}

// reserve wins the right to complete the job.
func (p *Promise[T]) reserve() bool { return p.job.state.reserve(WaitingForActivation) }

// taken reports whether a reserve has been won.
func (p *Promise[T]) taken() bool { return !p.job.state.is(WaitingForActivation) }

// publish completes the job, which the caller has reserved.
func (p *Promise[T]) publish(final Status, value T, err error) continuation.Chain {
	p.job.value = value
	p.job.setErr(err)
	return p.job.publish(final)
}

// settle is try for callers that deliver at once.
func (p *Promise[T]) settle(final Status, value T, err error) bool {
	told, ok := p.try(final, value, err)
	told.Deliver(nil)
	return ok
}
