package job

import (
	"context"

	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// RunTwin is [Run] for a function that returns a job, as the twin of an async function
// does: start runs on the job's scheduler, and the job ends as the job that start
// returns. While it waits for that end it is Running and holds no worker. [Job.Cancel]
// cancels the context that start received. A nil start makes a job that has Faulted with
// [ErrNilFunc]; if start returns nil, the job faults with [ErrNilJob]. RunTwin does not
// block, and is safe for concurrent use.
//
// Deprecated: in an annotated function, pass the async function itself to [Run]; it
// suspends there.
func RunTwin[T any](ctx context.Context, start func(context.Context) *Job[T], opts ...Option) *Job[T] {
	return Run(ctx, fromTwin(start), opts...)
}

// NewTwin is [New] for a function that returns a job: RunTwin without the start.
//
// Deprecated: in an annotated function, pass the async function itself to [New].
func NewTwin[T any](ctx context.Context, start func(context.Context) *Job[T], opts ...Option) *Job[T] {
	return New(ctx, fromTwin(start), opts...)
}

// fromTwin returns the function whose twin start is. It suspends until the twin's job
// has ended.
func fromTwin[T any](start func(context.Context) *Job[T]) func(context.Context) (T, error) {
	if start == nil {
		return nil
	}
	return func(ctx context.Context) (none T, err error) {
		inner := start(ctx)
		if inner == nil {
			return none, ErrNilJob
		}
		return none, &suspendedOnTwin[T]{suspension.TwinWait[T]{Twin: inner, IsThrown: thrown, ToPanicError: toPanicError}}
	}
}

// suspendedOnTwin is a function that has suspended until the job of its twin ends.
type suspendedOnTwin[T any] struct{ suspension.TwinWait[T] } //nolint:errname // an error only for the way out

// GoOn implements suspension.Suspended.
func (f *suspendedOnTwin[T]) GoOn(end any, worker schedulers.Worker, _ uint8) {
	f.Begin(f, end, worker)
}

func (f *suspendedOnTwin[T]) waitingJob() (*core, string) {
	h, _ := f.Above().(Handle)
	return baseOf(h), "RunTwin"
}

// thrown reports whether err belongs to a job whose function has not returned. It checks
// the error itself and unwraps nothing: an error that a function has returned may wrap
// such an error.
func thrown(err error) bool {
	_, panicked := err.(*PanicError)
	return panicked || err == ErrGoexit
}

func toPanicError(value any) error { return newPanicError(value) }
