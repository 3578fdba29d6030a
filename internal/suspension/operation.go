package suspension

import "context"

// # Operations that call functions
//
// An operation of package parallel calls many functions, and its caller waits for all of
// them. A machine that calls an operation marks the context: since every operation takes a
// context, none needs a second form. The operation unwraps the context at once, and bodies
// get another one, so the mark does not reach them.
//
//	machine:    parallel.For(Caller{ctx}, 0, n, body)
//	operation:  nothing has suspended:   its results, as for any caller
//	            something has:           an error that carries the job of an End

// Caller is the context of an operation that a machine calls. The Context in it may be
// nil.
type Caller struct{ context.Context }

// End describes how an operation whose caller is suspended has ended. It is the value of a
// job, and not its error: an operation returns a panic in a body as an error, but a panic
// that is a job's error would be raised.
type End struct {
	Err    error
	Goexit bool // a body has called runtime.Goexit, and so must the caller
}
