package statemachine

import (
	"fmt"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// StateMachine is implemented by generated frames, which embed [Frame].
type StateMachine interface {
	// MoveNext runs the function from where it stopped to its next suspension
	// (false) or to its end (true).
	MoveNext(r *Run) bool
}

// The values of [Frame].State in addition to the suspension points, which count from 1. A function
// without deferred calls is Finished already while it runs: nothing asks.
const (
	NotStarted int32 = 0
	Running    int32 = -1
	Finished   int32 = -2
)

// Frame is the part of a frame that all functions share. It comes first in every
// generated frame. It is used by one goroutine at a time.
//
// It has no methods. gc compiles a wrapper for each method of an embedded type and each type that
// embeds it, and users have several for each function. So what could be a method is a function.
type Frame struct {
	// It makes frame types incomparable, so that the compiler generates no comparison
	// functions for them.
	_ [0]func()

	// State is the suspension point where the function stopped.
	State int32

	// ticket is not 0 while the chain is suspended at this frame and tracked; see package
	// internal/tracking. While the frame is on the stack, it is onHost or 0; see onstack.go.
	// It fits in the padding before a pointer.
	ticket uint32

	// Set by Push and Start, when the frame is permanently on the heap.
	self   StateMachine     // the object that embeds this frame
	caller *Frame           // continues when this frame has finished; nil: this is the root
	home   *schedulers.Home // where it resumes
}

// sameHome reports whether f and g have the same home.
func sameHome(f, g *Frame) bool {
	return f.home == g.home || dispatch.Same(f.home.Scheduler, g.home.Scheduler)
}

// Misuse panics: MoveNext was called on a frame that runs or has finished, as its state tells.
// Generated code never does that; a machine driven by hand may.
func Misuse(state int32) {
	switch state {
	case Running:
		panic("statemachine: MoveNext called on a machine that is running")
	case Finished:
		panic("statemachine: MoveNext called on a machine that has finished")
	}
	panic(fmt.Sprintf("statemachine: MoveNext called with an unknown state %d", state))
}
