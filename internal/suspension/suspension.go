// Package suspension defines how a function that the runtime calls reports that it has
// not ended.
//
// A function passed to job.Run, to a scope, to coord.SingleFlight and the like has the type
// of a plain Go function: func(context.Context) (T, error). If the function is a machine, it
// returns early when it suspends, with an error that is a [Suspended]. The caller then
// completes nothing. As its last action it passes the right to complete to that error:
//
//	caller:    v, err := fn(ctx)
//	           err is no Suspended:   complete with v, err
//	           err is a Suspended:    s.GoOn(end, worker, spent)
//	machine:   … ──▶ end.Return(v, err), or end.Fault(err) ──▶ the caller's completion
//
// So one convention is enough for every function of the runtime that takes a function, and
// wrappers that pass on a function's error need not know of it.
//
// The alternative is a second form of each such function, which takes a machine. There were
// five, visible to all users, and each further function would have needed one more.
//
// A Suspended never reaches user code. The generator passes such functions only to parameters
// whose types say that they become jobs, and operations of package parallel make them of the
// companions that their entries get. The caller of such a function calls [Of] before it uses the
// error.
package suspension

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Suspended is the error of a function that has suspended. The function's value is then
// meaningless.
type Suspended interface {
	error

	// GoOn lets the function continue. end is the [Completer] for the function's result type;
	// it is called once when the function has ended, perhaps before GoOn returns. So GoOn
	// must be the caller's last action on the operation that end completes. It is called on
	// the worker on, outside deferred functions. For spent see jobcore.Awaiting; if it is 0,
	// GoOn is the last action of the worker's current work.
	//
	// There is one exception: a Suspended that a job recovers as the value of a panic, while
	// its goroutine exits. See onstack.go in package statemachine. GoOn is then called in the
	// deferred function, and the function continues elsewhere.
	GoOn(end any, on schedulers.Worker, spent uint8)
}

// Completer is the right to complete the operation of a suspended function. Exactly one call of
// Return or Fault returns; the caller delivers its chain.
type Completer[T any] interface {
	Returner[T]
	Faulter
}

// Returner is the part of a [Completer] that knows the type of the results.
type Returner[T any] interface {
	// Return completes the operation with the results of the function. It calls methods of
	// a user's error; if one of them panics, nothing is completed, and Fault must be called
	// with that panic.
	Return(value T, err error) continuation.Chain
}

// Faulter is the part of a [Completer] that does not know it.
type Faulter interface {
	// Fault completes the operation for a function that has not returned.
	Fault(err error) continuation.Chain

	// Handle returns the job that is completed, a job.Handle.
	Handle() any
}

// Of returns err if it is a [Suspended], or nil. It checks only err itself, not the errors
// that it wraps.
func Of(err error) Suspended {
	s, _ := err.(Suspended)
	return s
}
