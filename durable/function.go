package durable

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"
)

// Forever is a time to wait for a signal that never ends.
const Forever = time.Duration(math.MaxInt64)

// Function describes a durable function to an engine: S is its receiver (struct{} for
// none), Req its parameter after the context, Res its result before the error.
type Function[S, Req, Res any] struct {
	// Name names it in stores, in all versions of the program.
	Name string

	// Layout is a hash of what its checkpoints contain. Instances saved with another one
	// are stuck, unless Resumes has it, or one of Migrations leads to one of these.
	Layout     string
	Resumes    []string
	Migrations []Migration

	// Points are its points, by number. Point 0 is its beginning.
	Points []Point

	// New makes a frame at the beginning of the function. It is also called to load a
	// saved one, with a zero request.
	New func(receiver S, request Req) Frame
}

// Point describes a point of a function.
type Point struct {
	Name string // unique in the function: what a checkpoint is saved under
	At   string // file:line, for people
	Step string // the name of the step; empty: it waits
}

// Value is a variable of a frame.
type Value struct {
	Name string
	Ptr  any // a pointer to it
}

// Returning is the point of a function that has returned and makes its deferred calls.
const Returning = -1

// Frame is a durable function in progress: its variables, and the code between its points. An
// engine calls one method at a time.
type Frame interface {
	// MoveNext runs from t.Point to the next one, and says there what the function waits
	// for: it returns what a method of Turn returned, which is true at the end. It has no
	// effect outside of the frame and t.
	MoveNext(ctx context.Context, t *Turn) (finished bool)

	// Call calls the step at a point. Its arguments are in the frame, and its results
	// are kept there, except for the error.
	Call(ctx context.Context, point int) error

	// Live are the variables whose values are needed at a point or after it, the
	// arguments of its step among them. For point 0 it is the request, for Returning
	// there are the results.
	Live(point int) []Value

	// Outcome returns pointers to the result and to the error.
	Outcome() (result any, err *error)

	// Deferred returns a pointer to the arguments of a deferred call, to be loaded; Undo
	// makes the call. A function without deferred calls embeds NoDeferred.
	Deferred(site int) (args any, step string)
	Undo(ctx context.Context, site int, args any) error
}

// NoDeferred is embedded by frames without deferred calls.
type NoDeferred struct{}

// Deferred returns nothing.
func (NoDeferred) Deferred(int) (args any, step string) { return nil, "" }

// Undo does nothing.
func (NoDeferred) Undo(context.Context, int, any) error { return nil }

// Turn is one run of a frame, from a point to the next one. It is for the code of frames, and
// for one goroutine.
type Turn struct {
	point int
	err   error // of the step, or of the wait
	got   []byte
	now   time.Time

	results [][]byte // of children

	next   int
	kind   turnKind
	signal string
	until  time.Time
	pushed []deferredCall

	answers  []answered
	children []Child
}

// turnKind says what a frame asks for.
type turnKind uint8

const (
	turnNothing turnKind = iota // MoveNext returned without asking
	turnStep
	turnReceive
	turnSleep
	turnAll
	turnAny
	turnReturn
)

// deferredCall is a compensation that has been deferred.
type deferredCall struct {
	site int
	args any // a pointer
}

// Point is where the function continues.
func (t *Turn) Point() int { return t.point }

// Err is the error of what the function waited for at its point: the step's, ErrTimeout or
// ErrCanceled.
func (t *Turn) Err() error { return t.err }

// Step asks for the step of a point.
func (t *Turn) Step(point int) bool {
	t.next, t.kind = point, turnStep
	return false
}

// Receive asks for a signal of that name. A timeout that is not positive takes only what has
// arrived.
func (t *Turn) Receive(point int, name string, timeout time.Duration) bool {
	t.next, t.kind, t.signal, t.until = point, turnReceive, name, t.deadline(timeout)
	return false
}

// Sleep asks to continue after a time.
func (t *Turn) Sleep(point int, d time.Duration) bool {
	t.next, t.kind, t.until = point, turnSleep, t.deadline(d)
	return false
}

// deadline is the time of an engine's clock; zero: never.
func (t *Turn) deadline(d time.Duration) time.Time {
	if d == Forever {
		return time.Time{}
	}
	return t.now.Add(max(d, 0))
}

// Defer keeps a compensation: Undo is called with these arguments, to which args points, if
// the function returns an error.
func (t *Turn) Defer(site int, args any) { t.pushed = append(t.pushed, deferredCall{site, args}) }

// Return ends the function. Its results are in the frame.
func (t *Turn) Return() bool {
	t.kind = turnReturn
	return true
}

// Received returns the signal that has arrived at a point of Receive, or the error.
func Received[T any](t *Turn) (T, error) {
	var v T
	if t.err != nil {
		return v, t.err
	}
	return decodePayload[T](t.got)
}

// Keys are the keys of a map, in any order: what a range over a map with a step inside visits.
func Keys[K comparable, V any](m map[K]V) []K { return slices.Collect(maps.Keys(m)) }

// described is a Function without its types.
type described struct {
	name, layout string
	resumes      []string
	migrations   map[string]Migration // by From
	points       []Point
	number       map[string]int                           // by name
	checks       map[string]func(*Instance, []byte) error // of updates, by name
	make         func(request json.RawMessage) (Frame, error)
}
