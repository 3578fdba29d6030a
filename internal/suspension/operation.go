package suspension

import "context"

// # Operations that call functions
//
// An operation of package parallel calls many functions, and its caller waits for
// all of them. A machine that calls one marks itself in the context, because
// every operation takes a context first, so no operation needs a second form. The
// operation unwraps it at once: bodies get a context of their own, so the mark
// goes no further.
//
//	machine:    parallel.For(Caller{ctx}, 0, n, body)
//	operation:  nothing has suspended:   its results, as for any caller
//	            something has:           an error that carries the job of an [End]

// Caller is the context of an operation that a machine calls. The Context in it may be
// nil.
type Caller struct{ context.Context }

// End says how an operation has ended whose caller is suspended. It is
// the value of a job, and not its error: an operation returns a panic in a body
// as an error, and the error of a job would be raised.
type End struct {
	Err    error
	Goexit bool // a body has called runtime.Goexit, and so does the caller
}
