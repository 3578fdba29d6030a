package statemachine

import (
	"context"
	"runtime"

	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
)

// This file is for operations of package parallel that call functions which suspend.
// Source, then result:
//
//	out, err = parallel.Map(ctx, urls, fetch)
//
//	f.map1, f.out, f.err = statemachine.Func(
//		parallel.Map(statemachine.Calling(f.ctx), f.urls, statemachine.Func2(fetchAsync)),
//	).Enter(r)
//
// An operation with such a caller returns before it has ended if it has to wait; see
// package internal/suspension.

// Calling returns the context with which a machine calls an operation of package
// parallel: ctx, with a mark that the caller can suspend. It is valid for that one call.
// ctx may be nil.
func Calling(ctx context.Context) context.Context { return suspension.Caller{Context: ctx} }

// Action takes the error of an operation without another result.
func Action(err error) ActionCall { return ActionCall{err} }

// Func takes the results of an operation with a result.
func Func[T any](v T, err error) FuncCall[T] { return FuncCall[T]{v, err} }

// ActionCall is a call of an operation without result; see [Action].
type ActionCall struct{ err error }

// FuncCall is a call of an operation with a result; see [Func].
type FuncCall[T any] struct {
	v   T
	err error
}

// pausedAction is the error of an operation that has not ended.
type pausedAction interface {
	error
	Job() *job.Job[suspension.End]
}

// pausedFunc is the same for an operation with a result.
type pausedFunc[T any] interface {
	pausedAction

	// Value returns the results of the operation, once it has ended with err. It is
	// called once, and may run user code.
	Value(err error) (T, error)
}

// Enter returns the error of the operation, or the wait that the machine has to make.
func (c ActionCall) Enter(r *Run) (*ActionWait, error) {
	if p, ok := c.err.(pausedAction); ok {
		r.Await(p.Job())
		return &ActionWait{p}, nil
	}
	return nil, c.err
}

// Enter returns the results of the operation, or the wait that the machine has to make.
func (c FuncCall[T]) Enter(r *Run) (*FuncWait[T], T, error) {
	if p, ok := c.err.(pausedFunc[T]); ok {
		r.Await(p.Job())
		return &FuncWait[T]{p}, c.v, nil
	}
	return nil, c.v, c.err
}

// ActionWait is the wait for an operation without result.
type ActionWait struct{ action pausedAction }

// FuncWait is the wait for an operation with a result.
type FuncWait[T any] struct{ call pausedFunc[T] }

// Results returns the error of the operation, which has ended. If one of its functions
// has called runtime.Goexit, so does Results.
func (w *ActionWait) Results(r *Run) error {
	err, goexit := outcomeOf(r, w.action)
	if goexit {
		runtime.Goexit()
	}
	return err
}

// Results is [ActionWait.Results] with the result.
func (w *FuncWait[T]) Results(r *Run) (T, error) {
	err, goexit := outcomeOf(r, w.call)
	v, err := w.call.Value(err)
	if goexit {
		runtime.Goexit()
	}
	return v, err
}

// outcomeOf returns the outcome of an operation that has ended.
func outcomeOf(r *Run, p pausedAction) (err error, goexit bool) {
	end, err := JobResult(r, p.Job())
	switch {
	case err != nil: // the machine's home has refused it
		return err, false
	case end.Goexit:
		return job.ErrGoexit, true
	default:
		return end.Err, false
	}
}
