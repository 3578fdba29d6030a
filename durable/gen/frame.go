package gen

import (
	"context"
	"maps"
	"slices"
)

// Point describes a point of a function.
type Point struct {
	Name string // unique in the function: checkpoints are saved under it
	At   string // file:line, for human readers
	Step string // the name of the step; empty: the point waits
}

// Value is a variable of a frame.
type Value struct {
	Name string
	Ptr  any // a pointer to the variable
}

// Returning is the point of a function that has returned and is making its deferred calls.
const Returning = -1

// Frame is a durable function in progress: its variables, and the code between its points. An
// engine calls one method at a time.
type Frame interface {
	// MoveNext runs from t.Point to the next point, and there requests what the function waits
	// for: it returns the result of the method of t, or of the function of this package, that does
	// so. The result is true at the end. It has no effect outside the frame and t.
	MoveNext(ctx context.Context, t Turn) (finished bool)

	// Call calls the step at a point. The frame holds its arguments, and receives its results
	// except for the error.
	Call(ctx context.Context, point int) error

	// Live returns the variables whose values are needed at a point or after it, including the
	// arguments of its step. For point 0 that is the request, for Returning the results.
	Live(point int) []Value

	// Outcome returns pointers to the result and to the error.
	Outcome() (result any, err *error)

	// Deferred returns a pointer to the arguments of a deferred call, to be loaded, and the name
	// of its step. Undo makes the call. A function without deferred calls embeds NoDeferred.
	Deferred(site int) (args any, step string)
	Undo(ctx context.Context, site int, args any) error
}

// NoDeferred is embedded by frames without deferred calls.
type NoDeferred struct{}

// Deferred returns nothing.
func (NoDeferred) Deferred(int) (args any, step string) { return nil, "" }

// Undo does nothing.
func (NoDeferred) Undo(context.Context, int, any) error { return nil }

// Keys returns the keys of a map, in any order, for a range over a map that contains a step.
func Keys[K comparable, V any](m map[K]V) []K { return slices.Collect(maps.Keys(m)) }
