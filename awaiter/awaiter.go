package awaiter

import "github.com/movenext/movenext/continuation"

// Completion is the part of the protocol that does not depend on the result's type.
type Completion interface {
	// IsCompleted reports whether the result is available. It does not block.
	// Once true it stays true.
	IsCompleted() bool

	// OnCompleted arranges for k.Resume to be called once the result is
	// available, on any goroutine, perhaps before OnCompleted returns. It does
	// not block.
	OnCompleted(k continuation.Continuation)
}

// Awaiter is one await of an operation that yields a T.
type Awaiter[T any] interface {
	Completion

	// GetResult returns the result. It is called after IsCompleted has returned true or
	// the continuation was resumed, and then does not block.
	GetResult() (T, error)
}

// Awaitable is anything that can be awaited.
type Awaitable[T any] interface {
	// GetAwaiter returns the awaiter of one await. It may start the operation, and
	// does not block.
	GetAwaiter() Awaiter[T]
}

// Registrar is a [Completion] that accepts a node of the caller, so that awaiting it
// allocates nothing. It is optional.
type Registrar interface {
	// Register adds n and returns true, or returns false if the result is already
	// available; n is then unchanged. See continuation.List.Add.
	Register(n *continuation.Node) bool
}
