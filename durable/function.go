package durable

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Forever as a timeout or a sleep never ends.
const Forever = time.Duration(math.MaxInt64)

// Function describes a durable function to an engine. S is its receiver (struct{} if it has
// none), Req its parameter after the context, Res its result before the error.
type Function[S, Req, Res any] struct {
	// Name identifies the function in stores, in all versions of the program.
	Name string

	// Layout is a hash of the contents of its checkpoints. Instances saved with another layout
	// are left to other workers, unless Resumes contains it or a chain of Migrations leads from
	// it to one of these.
	Layout     string
	Resumes    []string
	Migrations []Migration

	// Points are its points, by number. Point 0 is its beginning.
	Points []Point

	// New makes a frame at the beginning of the function. It is also called, with a zero request,
	// to load a saved frame.
	New func(receiver S, request Req) Frame
}

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
	// MoveNext runs from t.Point to the next point, and there calls the method of Turn that
	// describes what the function waits for. It returns that method's result, which is true at
	// the end. It has no effect outside the frame and t.
	MoveNext(ctx context.Context, t *Turn) (finished bool)

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

// Turn is one run of a frame, from a point to the next one. Only the code of frames uses it, on
// one goroutine.
type Turn struct {
	point int
	err   error // of the step or the wait
	got   []byte
	now   time.Time

	results [][]byte // of children

	next        int
	kind        turnKind
	signal      string
	until       time.Time
	newDeferred []deferredCall

	answers  []answerData
	children []Child
	signals  []string
	retry    *Retry    // of the step; nil: that of the engine
	policy   []byte    // retry as it is saved
	chosen   Selection // at the point from which the function continues

	misused atomic.Bool // a step or a point was called as a plain function
}

// turnKind says what a frame requests at a point.
type turnKind uint8

const (
	turnNothing turnKind = iota // MoveNext returned without a request
	turnStep
	turnReceive
	turnSleep
	turnAll
	turnAny
	turnSelect
	turnReturn
)

// deferredCall is a compensation that the function has deferred.
type deferredCall struct {
	site int
	args any // a pointer
}

// Point returns the point from which the function continues.
func (t *Turn) Point() int { return t.point }

// Err returns the error of the operation at the point from which the function continues: the
// step's error, ErrTimeout or ErrCanceled.
func (t *Turn) Err() error { return t.err }

// Step requests the step of a point.
func (t *Turn) Step(point int) bool {
	t.next, t.kind = point, turnStep
	return false
}

// StepRetry requests the step of a point, with a policy of its own.
func (t *Turn) StepRetry(point int, r Retry) bool {
	t.retry = &r
	return t.Step(point)
}

// Receive requests a signal of that name. A timeout that is not positive takes only a signal that
// has already arrived.
func (t *Turn) Receive(point int, name string, timeout time.Duration) bool {
	t.next, t.kind, t.signal, t.until = point, turnReceive, name, t.deadline(timeout)
	return false
}

// Sleep requests that the function continue after d.
func (t *Turn) Sleep(point int, d time.Duration) bool {
	t.next, t.kind, t.until = point, turnSleep, t.deadline(d)
	return false
}

// deadline returns the time of the engine's clock at which d ends; zero: never.
func (t *Turn) deadline(d time.Duration) time.Time {
	if d == Forever {
		return time.Time{}
	}
	return t.now.Add(max(d, 0))
}

// Defer keeps a compensation: if the function returns an error, Undo is called with the arguments
// to which args points.
func (t *Turn) Defer(site int, args any) {
	t.newDeferred = append(t.newDeferred, deferredCall{site, args})
}

// Return ends the function. The frame holds its results.
func (t *Turn) Return() bool {
	t.kind = turnReturn
	return true
}

// Keys returns the keys of a map, in any order, for a range over a map that contains a step.
func Keys[K comparable, V any](m map[K]V) []K { return slices.Collect(maps.Keys(m)) }

// definition is a Function without its types.
type definition struct {
	name, layout string
	resumes      []string
	migrations   map[string]Migration // by From
	points       []Point
	number       map[string]int                           // by name
	checks       map[string]func(*Instance, []byte) error // of updates, by name
	make         func(request json.RawMessage) (Frame, error)
}
