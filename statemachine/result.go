package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
)

// Rethrow raises again what ended a suspended callee: the panic with its
// value, or runtime.Goexit. If the callee returned it does nothing. It is
// the first thing that a generated Results does.
func (r *Run) Rethrow() {
	if o := r.outcome; o != nil {
		r.outcome = nil
		r.raise(o)
	}
}

// Refusal returns why the awaited operation has no result, or nil: home did not take
// the chain when it was resumed, or the context of its sleep has ended.
func (r *Run) Refusal() error {
	o := r.outcome
	if o == nil {
		return nil
	}
	r.outcome = nil
	r.raise(o)
	return o.refusal
}

// JobResult returns the outcome of an awaited job: what j.Await() returns in plain
// code, or [job.ErrShutdown] if the machine's home is gone. A value that the job has for
// the machine alone (promise.Promise.HandOver) is returned in any case: the caller would not
// have it, and no other caller could get it.
func JobResult[T any](r *Run, j *job.Job[T]) (T, error) {
	if r.outcome != nil {
		if err := r.Refusal(); err != nil && !handedOver(j) {
			var zero T
			return zero, err
		}
	}
	return j.GetResult()
}

// handedOver reports whether j has completed with a value for its waiter alone.
func handedOver[T any](j *job.Job[T]) bool {
	in := jobcore.Of(j)
	return in != nil && in.HandedOver()
}

// Result is [JobResult] for any other awaiter.
func Result[T any](r *Run, a awaiter.Awaiter[T]) (T, error) {
	if err := r.Refusal(); err != nil {
		var zero T
		return zero, err
	}
	return a.GetResult()
}

// TwinEnded reports whether the machine can continue at once, because j, the job of a
// function that was called through its twin, has ended. A job that called runtime.Goexit is
// the exception during a hot start: [TwinResult] exits again, and would take the starter's
// goroutine with it if the job was quick, and not if it was slow. So the machine suspends,
// and exits where it is resumed.
func TwinEnded[T any](r *Run, j *job.Job[T]) bool {
	return j.IsCompleted() && (r.lender != nil || j.Err() != job.ErrGoexit) && r.Proceed()
}

// TwinResult returns the results of a function that was called through its twin's job.
// A panic or a runtime.Goexit in it is raised again here, as the plain call would have.
func TwinResult[T any](r *Run, j *job.Job[T]) (T, error) {
	v, err := JobResult(r, j)
	if err != nil {
		rethrow.From(err)
	}
	return v, err
}
