package statemachine

import (
	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/job"
)

// What generated code does with values whose types it cannot name: an unexported type
// of another package, or one that is made of such. A type that has no name can still be
// inferred, from anything that has to do with it. So machines say which type they mean
// by a pointer to it, which is nil: a like. A frame has such a value in a field of type
// any, as a pointer to it, so that variables of an interface type keep that type.

// Like returns a nil pointer to the type of v.
func Like[T any](T) *T { return nil }

// New returns a pointer to a new zero value of the type that like points to.
func New[T any](like *T) *T { return new(T) }

// Kept returns the variable that a field of a frame holds, and makes it if needed. It
// panics if the field holds one of another type, which generated code never does.
func Kept[T any](field *any, like *T) *T {
	if *field == nil {
		*field = new(T)
	}
	return (*field).(*T)
}

// Typed returns v, which assignment converts to the type that like points to.
func Typed[T any](v T, like *T) T { return v }

// Asserted returns v as the type that like points to, and whether it is of that type,
// as an assertion does.
func Asserted[T any](v any, like *T) (T, bool) {
	t, ok := v.(T)
	return t, ok
}

// AwaiterOf returns the awaiter of a. A nil awaitable and a nil awaiter are a job that
// has failed with awaiter.ErrNilAwaitable, as in awaiter.Await.
func AwaiterOf[T any](a awaiter.Awaitable[T]) awaiter.Awaiter[T] {
	if a != nil {
		if w := a.GetAwaiter(); w != nil {
			return w
		}
	}
	return job.FromError[T](awaiter.ErrNilAwaitable)
}
