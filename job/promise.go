package job

import "github.com/movenext/movenext/continuation"

// promise is a job together with the right to complete it, to be embedded in its
// completer. Call init before handing the job out. For the other packages of this module
// there is internal/promise, which comes in by [Job.Internal].
type promise[T any] struct{ job Job[T] }

// init makes the job wait for its completion.
func (p *promise[T]) init() { p.job.state.set(WaitingForActivation) }

// initDependent is init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle.
func (p *promise[T]) initDependent() {
	p.init()
	p.job.mode = dependent
}

// handOver says that the job's value is for its waiter alone.
func (p *promise[T]) handOver() { p.job.mode |= handing }

func (p *promise[T]) try(final Status, value T, err error) (continuation.Chain, bool) {
	if !p.reserve() {
		return continuation.Chain{}, false
	}
	return p.publish(final, value, err), true
}

// reserve wins the right to complete the job.
func (p *promise[T]) reserve() bool { return p.job.state.reserve(WaitingForActivation) }

// taken reports whether a reserve has been won.
func (p *promise[T]) taken() bool { return !p.job.state.is(WaitingForActivation) }

// publish completes the job, which the caller has reserved.
func (p *promise[T]) publish(final Status, value T, err error) continuation.Chain {
	p.job.value = value
	p.job.setErr(err)
	return p.job.publish(final)
}

// settle is try for callers that deliver at once.
func (p *promise[T]) settle(final Status, value T, err error) bool {
	told, ok := p.try(final, value, err)
	told.Deliver(nil)
	return ok
}
