package statemachine

import (
	"context"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Task is what a chain of suspended calls shares: its top frame, and its way back
// onto a scheduler. It is work, continuation and registration in one. A hot start has
// one on its stack, which is copied into the root's when that is promoted.
//
// # Who may touch it
//
// At each moment exactly one of three owns a task and all its frames: the goroutine
// that runs it, the operation that it is registered with, the scheduler
// that it was submitted to. Ownership passes
//
//	running ──register──▶ registered ──Completed──▶ submitted ──Run──▶ running
//	   │                                                ▲
//	   └────────────────── yield ──────────────────────┘
//
// by the list's compare-and-swap, the list's swap, and the scheduler's queue, each of
// which orders what came before it. So the fields are plain. The price is one
// rule: registering is the last thing that the running goroutine does with
// a task. A line after it is a data race.
type Task struct {
	node continuation.Node

	// The frame that runs or, while suspended, the one to resume.
	top *Frame

	// Used while running.
	last     *Frame            // the outermost frame promoted since the last resume
	awaiting any               // what the top frame waits for; nil: it yields. While running: what is kept
	on       schedulers.Worker // where it runs; nil during a hot start

	// How the last callee ended, if not by returning; or why home refused.
	outcome *outcome

	// The panic that was raised again last: it has a newer stack now, and this is
	// where the first one is.
	raised *outcome
}

// Await notes what the running frame waits for. It always returns false, so that
// generated code suspends with "return t.Await(x)". Registration follows when all
// frames have been promoted.
func (t *Task) Await(c awaiter.Completion) bool {
	t.awaiting = c
	return false
}

// Yield suspends once: the task goes to the end of its home's queue. It
// always returns false.
func (t *Task) Yield() bool {
	t.awaiting = nil
	return false
}

// SwitchTo moves f to s: it goes on there, and so after each later suspension.
// Its caller stays where it is. It always returns false. After the resume [Task.Refusal] tells whether s
// took it.
func (t *Task) SwitchTo(f *Frame, s schedulers.Scheduler) bool {
	f.home = s
	return t.Yield()
}

// Push puts a promoted frame, whose MoveNext has returned false, under the frames that
// were promoted before it: its callees. ctx is the function's first context
// parameter, or nil; its ambient scheduler becomes the frame's home.
func (t *Task) Push(ctx context.Context, m framed) {
	f := m.base()
	f.self = m
	if f.home == nil {
		f.home = schedulers.FromContext(ctx)
	}
	if t.last == nil {
		t.top = f
	} else {
		t.last.caller = f
	}
	t.last = f
}

// framed is a StateMachine that embeds Frame.
type framed interface {
	StateMachine
	base() *Frame
}

func (f *Frame) base() *Frame { return f }

// settle gives every frame that was promoted since the last resume its home: its
// own, or its caller's. bottom is the frame below them, which has one.
//
// Frames are linked from the inside out, and homes are inherited from the outside
// in, so frames without a home are remembered until one with a home is reached.
func settle(top, bottom *Frame) {
	for f := top; f != bottom; {
		g := f
		for g.home == nil {
			g = g.caller
		}
		for ; f != g; f = f.caller {
			f.home = g.home
		}
		if f != bottom {
			f = f.caller
		}
	}
}
