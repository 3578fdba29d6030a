package statemachine

import (
	"context"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/schedulers"
)

// Task is one run of a chain of calls: from its hot start, or from where it was
// resumed, to where it suspends or ends. It is what the running frames share, and
// nothing of it is needed while the chain is suspended. A hot start has its Task on its
// stack. A resumption borrows one: see lending.go.
//
// One goroutine uses a Task, the one that runs the chain.
type Task struct {
	top  *Frame // the frame that runs or, when the chain has suspended, the one to resume
	last *Frame // the outermost frame promoted in this run

	// What the top frame waits for; nil: it yields. While the frame runs: what is kept
	// for it.
	awaiting any
	// The timers that arm what it waits for, if that is a sleep.
	timers schedulers.Timers

	// How the last callee ended, if not by returning; or why the awaited operation has
	// no result: home refused, a sleep's context has ended.
	outcome *outcome

	// The panic that was raised again last: it has a newer stack now, and this is
	// where the first one is.
	raised *outcome

	// What the goroutine was given for the chain; nil: nothing. During a hot start, by
	// SetGoroutineLabels. See labels.go.
	labels *schedulers.Labels

	holder *schedulers.Holder // what locks have noted that the machine took; see Holder

	lender *lender // where it runs and was borrowed; nil during a hot start
	next   *Task   // of the free ones there

	// The awaited jobs that were run within this run, and those that others have run
	// around it (nested).
	runs int32
	// The awaits that were complete; see budget.go.
	ready int32
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

// SwitchTo moves f to s: it continues there, also after each later suspension. Its
// caller stays where it is. It always returns false. After the resume [Task.Refusal]
// tells whether s took it.
func (t *Task) SwitchTo(f *Frame, s schedulers.Scheduler) bool {
	f.home = schedulers.HomeFor(s)
	return t.Yield()
}

// Push puts a promoted frame, whose MoveNext has returned false, under the frames that
// were promoted before it: its callees. ctx is the function's first context
// parameter, or nil; its ambient scheduler becomes the frame's home.
func (t *Task) Push(ctx context.Context, m framed) {
	f := m.base()
	f.self = m
	if f.home == nil {
		f.home = schedulers.HomeOf(ctx)
	}
	if t.last == nil {
		t.top = f
	} else {
		t.last.caller = f
	}
	t.last = f
}

// elsewhere reports whether the home of f, which has been there before, is known to be
// another place than this. A hot start may be anywhere: what it calls starts hot as
// well.
func (t *Task) elsewhere(f *Frame) bool {
	return f.self != nil && t.lender != nil && t.top != nil && !f.atHomeOf(t.top)
}

// framed is a StateMachine that embeds Frame.
type framed interface {
	StateMachine
	base() *Frame
}

func (f *Frame) base() *Frame { return f }

// setHomes gives every frame that was promoted since the last resume its home: its
// own, or its caller's. bottom is the frame below them, which has one.
//
// Frames are linked from the inside out, and homes are inherited from the outside
// in, so frames without a home are remembered until one with a home is reached.
func setHomes(top, bottom *Frame) {
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
