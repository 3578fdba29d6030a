package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
)

// Promise is a job together with the right to complete it, to be embedded in what
// will: it is how the runtime of generated code has machine and job in one
// allocation. Everybody else takes a [Source]. Call Init before handing the job out.
type Promise[T any] struct{ job Job[T] }

// Init makes the job wait for its completion.
func (p *Promise[T]) Init() { p.job.state.word.Store(uint32(WaitingForActivation)) }

// Job returns the job.
func (p *Promise[T]) Job() *Job[T] { return &p.job }

// TryComplete ends the job and reports whether this call did; the caller then
// delivers the chain, on its own stack or later. ctx is the context of the operation: an
// error that it ended with makes the job Canceled, any other Faulted. ctx may be nil.
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
	j := &p.job
	if !j.state.reserve(WaitingForActivation) {
		return continuation.Chain{}, false
	}
	j.value, j.err = value, err
	return j.publish(final), true
}

// settle is try for those who deliver at once.
func (p *Promise[T]) settle(final Status, value T, err error) bool {
	told, ok := p.try(final, value, err)
	told.Deliver(nil)
	return ok
}
