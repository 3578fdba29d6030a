package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
)

// Rethrow raises again the panic, with its value, or the runtime.Goexit that ended a
// suspended callee. If the callee returned it does nothing. It is the first call of a
// generated Results.
func (r *Run) Rethrow() {
	if f := r.failure; f != nil {
		r.failure = nil
		r.raise(f)
	}
}

// Refusal returns the reason why the awaited operation has no result, or nil. The reason
// is that the home refused the resumed chain, or that the context of a sleep has ended.
func (r *Run) Refusal() error {
	f := r.failure
	if f == nil {
		return nil
	}
	r.failure = nil
	r.raise(f)
	return f.refusal
}

// AwaitedJob returns the job that holds the outcome of an await of j, for a machine that has
// been resumed: j, or if the machine's home is gone, a job that has failed with
// [job.ErrShutdown]. A job with a value that belongs to the machine alone, such as one that
// it pulls from a stream, is returned in any case: otherwise the value would be lost, since
// no other caller can get it. It does not block.
func AwaitedJob[T any](r *Run, j *job.Job[T]) *job.Job[T] {
	if r.failure == nil {
		return j
	}
	return unlessRefused(r, j)
}

func unlessRefused[T any](r *Run, j *job.Job[T]) *job.Job[T] {
	if err := r.Refusal(); err != nil && !hasExclusiveValue(j) {
		return job.FromError[T](err)
	}
	return j
}

// JobResult returns the results of [AwaitedJob]: what j.Await() returns in plain code. A machine
// written by hand calls it whether it has suspended or not.
func JobResult[T any](r *Run, j *job.Job[T]) (T, error) { return AwaitedJob(r, j).GetResult() }

// hasExclusiveValue reports whether j has completed with a value for its waiter alone.
func hasExclusiveValue(j job.Handle) bool {
	in := jobcore.Of(j)
	return in != nil && in.HasExclusiveValue()
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
// function that was called through its twin, has ended. An exception is a job that
// called runtime.Goexit, during a hot start: [TwinResult] exits again, and would end the
// starter's goroutine if the job was quick, but not if it was slow. So the machine
// suspends, and exits where it is resumed.
func TwinEnded[T any](r *Run, j *job.Job[T]) bool {
	return j.IsCompleted() && (r.cache != nil || !promise.Exits(j.Err())) && r.Proceed()
}

// TwinResult returns the results of a function that was called through its twin. It
// raises a panic or a runtime.Goexit of the function again, as the plain call would.
func TwinResult[T any](r *Run, j *job.Job[T]) (T, error) {
	v, err := JobResult(r, j)
	if err != nil {
		rethrow.From(err)
	}
	return v, err
}

// AwaiterOf returns the awaiter of a. For a nil awaitable or a nil awaiter it returns a
// job that has failed with awaiter.ErrNilAwaitable, as in awaiter.Await.
func AwaiterOf[T any](a awaiter.Awaitable[T]) awaiter.Awaiter[T] {
	if a != nil {
		if w := a.GetAwaiter(); w != nil {
			return w
		}
	}
	return job.FromError[T](awaiter.ErrNilAwaitable)
}
