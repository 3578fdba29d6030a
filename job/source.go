package job

import (
	"context"
	"errors"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
)

// Source is the producer's half of a job that is completed by hand: by a callback,
// a message, a test. The first TrySet… wins and returns true. All others change nothing
// and return false, after the job has ended. All methods are safe for concurrent use;
// none blocks or runs user code.
//
// It is .NET's TaskCompletionSource. A job whose source is never completed stays
// WaitingForActivation forever. If such a source becomes garbage, together with its
// waiters, it is reported to [OnUnobserved] as a failure with [ErrDropped] that names
// where it was made, provided that a hook was set when it was made. The zero Source is
// ready for use and can be embedded; it must not be copied once it is in use.
type Source[T any] struct{ promise promise[T] }

// NewSource returns a source whose job waits for it.
func NewSource[T any]() *Source[T] {
	s := new(Source[T])
	s.promise.job.core.init()
	s.promise.job.core.mayBeDropped(2)
	return s
}

// Job returns the job that the source completes, always the same.
func (s *Source[T]) Job() *Job[T] { return &s.ready().job }

// ready returns the promise, and initializes that of a zero source.
func (s *Source[T]) ready() *promise[T] {
	if state := &s.promise.job.core.state; state.hasStatus(Scheduled) { // the zero word
		s.promise.job.core.mayBeDropped(3)
		state.move(Scheduled, WaitingForActivation)
	}
	return &s.promise
}

// TrySetResult completes the job with a value.
func (s *Source[T]) TrySetResult(value T) bool {
	return s.awaitDecision(settle(s.ready(), Completed, value, nil))
}

// TrySetError makes the job fault with err. A nil err is a mistake: the job then faults
// with an error that reports it.
func (s *Source[T]) TrySetError(err error) bool {
	var zero T
	if err == nil {
		err = errors.New("job: TrySetError was given a nil error")
	}
	return s.awaitDecision(settle(s.ready(), Faulted, zero, err))
}

// TrySetCanceled makes the job Canceled with context.Canceled.
func (s *Source[T]) TrySetCanceled() bool { return s.TrySetCanceledCause(nil) }

// TrySetCanceledCause makes the job Canceled. Its error matches both context.Canceled
// and cause; a nil cause adds nothing.
func (s *Source[T]) TrySetCanceledCause(cause error) bool {
	var zero T
	return s.awaitDecision(settle(s.ready(), Canceled, zero, canceledError(cause)))
}

// TrySet completes the job with what a function returned: a nil err as
// TrySetResult, any other as a fault that keeps the value too.
func (s *Source[T]) TrySet(value T, err error) bool {
	if err == nil {
		return s.awaitDecision(settle(s.ready(), Completed, value, nil))
	}
	return s.awaitDecision(settle(s.ready(), Faulted, value, err))
}

// awaitDecision returns won. A call that lost waits until the winner's outcome is visible: its
// caller takes false to mean that the job has ended, so the status must agree. The wait
// is short, since the winner is between two steps and runs no user code there.
func (s *Source[T]) awaitDecision(won bool) bool {
	for !won && !s.promise.job.core.isCompleted() {
		interleave.Spin()
	}
	return won
}

func canceledError(cause error) error {
	if cause == nil || errors.Is(cause, context.Canceled) {
		return orElse(cause, context.Canceled)
	}
	return &cancellation{cause}
}

// cancellation matches context.Canceled, and has one leaf, the cause: a source that was
// canceled with the cause of a context, DeadlineExceeded say, says that this context has
// ended and nothing else; see endedBy.
type cancellation struct{ cause error }

// Error implements error.
func (c *cancellation) Error() string { return "context canceled: " + c.cause.Error() }

// Is reports whether target is context.Canceled.
func (c *cancellation) Is(target error) bool { return target == context.Canceled }

// Unwrap returns the cause.
func (c *cancellation) Unwrap() error { return c.cause }

// Completed jobs with the most frequent results. Nothing distinguishes two of them, so
// one of each is enough; the choice of values is .NET's.
var (
	completedVoid  = newCompleted(Completed, Void{}, nil)
	completedBools = [...]*Job[bool]{newCompleted(Completed, false, nil), newCompleted(Completed, true, nil)}
	completedInts  = func() (js [10]*Job[int]) {
		for i := range js {
			js[i] = newCompleted(Completed, i+minInt, nil)
		}
		return js
	}()
)

const minInt = -1

// FromResult returns a job that has completed with value. For [Void], for a bool and
// for an int from -1 to 8 it is always the same job and allocates nothing.
func FromResult[T any](value T) *Job[T] {
	// A pointer, since converting the value to an interface would copy it to the heap.
	if j, ok := sharedJob(&value).(*Job[T]); ok {
		return j
	}
	return newCompleted(Completed, value, nil)
}

// sharedJob returns the job that all callers share whose value is that of the pointer p, or nil.
// Inlined into FromResult, it would be compiled in each package that calls FromResult, with all
// methods of the types of jobs that it mentions.
//
//go:noinline
func sharedJob(p any) any {
	switch v := p.(type) {
	case *Void:
		return completedVoid
	case *bool:
		if *v {
			return completedBools[1]
		}
		return completedBools[0]
	case *int:
		if i := *v - minInt; 0 <= i && i < len(completedInts) {
			return completedInts[i]
		}
	}
	return nil
}

// FromError returns a job that has faulted with err. For a nil err it is
// FromResult of the zero value.
func FromError[T any](err error) *Job[T] {
	var zero T
	if err == nil {
		return FromResult(zero)
	}
	return newCompleted(Faulted, zero, err)
}

// FromCanceled returns a job that is Canceled. Its error matches both context.Canceled
// and cause, which may be nil.
func FromCanceled[T any](cause error) *Job[T] {
	var zero T
	return newCompleted(Canceled, zero, canceledError(cause))
}

func newCompleted[T any](final Status, value T, err error) *Job[T] {
	j := &Job[T]{value: value}
	j.core.setErr(err)
	j.core.publish(final)
	return j
}

// promise is a job together with the right to complete it, to be embedded in its
// completer. Call init before sharing the job. The other packages of this module use
// internal/promise, which is based on [Job.Internal]. It has functions instead of methods: a Scope
// mentions it, and each package that has one would compile the methods.
type promise[T any] struct{ job Job[T] }

// init makes the job of a promise wait for its completion.
func (c *core) init() { c.state.set(WaitingForActivation) }

// initDependent is init for a job that cannot end before other jobs have, so that
// waiting for it may close a cycle.
func (c *core) initDependent() {
	c.init()
	c.setPromiseMode(dependent)
}

// setExclusive marks the value of a promise's job as belonging to its waiter alone.
func (c *core) setExclusive() { c.setPromiseMode(exclusive) }

// reserve wins the right to complete the job of a promise.
func (c *core) reserve() bool { return c.state.reserve(WaitingForActivation) }

// taken reports whether a reserve has been won.
func (c *core) taken() bool { return !c.state.hasStatus(WaitingForActivation) }

func tryComplete[T any](p *promise[T], final Status, value T, err error) (continuation.Chain, bool) {
	if !p.job.core.reserve() {
		return continuation.Chain{}, false
	}
	return publish(p, final, value, err), true
}

// publish completes the job, which the caller has reserved.
func publish[T any](p *promise[T], final Status, value T, err error) continuation.Chain {
	p.job.value = value
	p.job.core.setErr(err)
	return p.job.core.publish(final)
}

// settle completes the job and delivers to its waiters, and reports whether it won.
func settle[T any](p *promise[T], final Status, value T, err error) bool {
	waiters, ok := tryComplete(p, final, value, err)
	waiters.Deliver(nil)
	return ok
}
