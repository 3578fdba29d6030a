package parallel

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// adapter is a suspended body with a result. It adapts the body to its participant, which
// expects only an error.
type adapter[R any] struct {
	suspension.Suspended
	keep func(result R, err error) error
	end  suspension.Completer[job.Void]
}

// deferResult returns the error of a body with a result. If the error means that the body has
// suspended, keep gets the body's results when the body ends; keep runs no user code.
func deferResult[R any](err error, keep func(result R, err error) error) error {
	if rest := suspension.Of(err); rest != nil {
		return &adapter[R]{Suspended: rest, keep: keep}
	}
	return err
}

// GoOn implements suspension.Suspended.
func (r *adapter[R]) GoOn(end any, on schedulers.Worker, spent uint8) {
	r.end = end.(suspension.Completer[job.Void])
	r.Suspended.GoOn(r, on, spent)
}

// Return implements suspension.Completer.
func (r *adapter[R]) Return(result R, err error) continuation.Chain {
	return r.end.Return(job.Void{}, r.keep(result, err))
}

// Fault implements suspension.Completer.
func (r *adapter[R]) Fault(err error) continuation.Chain { return r.end.Fault(err) }

// Handle implements suspension.Completer.
func (r *adapter[R]) Handle() any { return r.end.Handle() }

// paused is the error of an operation that has not ended when its caller, a
// machine, gets it. User code never sees it.
type paused struct{ job *job.Job[end] }

// Error implements error.
func (*paused) Error() string { return "parallel: the operation has suspended" }

// pausedValue is [paused] for an operation with a result.
type pausedValue[T any] struct { //nolint:errname // an error by type alone
	paused
	value func(err error) (T, error) // may run user code
}

// conclude returns the results of an operation that has ended with err: at once, or if it
// is paused, later.
func conclude[T any](err error, value func(err error) (T, error)) (T, error) {
	if p, ok := err.(*paused); ok {
		var none T
		return none, &pausedValue[T]{*p, value}
	}
	return value(err)
}
