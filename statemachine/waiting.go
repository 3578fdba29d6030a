package statemachine

import (
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Reporting waits
//
// A suspended chain of calls has no stack that a report could print. But it has frames,
// each of which knows where it stopped, and the frames are linked from callee to caller.
// So a chain can report the suspended calls that it consists of, and the job at their end.
// Package job calls these methods while the chain's node is detached from the list that it
// waits in. The chain cannot be resumed meanwhile, so its plain fields can be read.
//
// A user's own awaiter may call back at any time, even after the chain has continued. So a
// chain that waits for such an awaiter cannot be examined, and reports do not show its calls.

// Location is the place in the source where a function is suspended: its name as the
// runtime has it, the import path of its package with the name of the file, and the line.
type Location = schedulers.Place

// At returns the location of f. lines are the lines of the function's suspension points, in
// order. While the function runs, the line is not known, and File is empty.
func At(f *Frame, function, file string, lines ...int) Location {
	at := Location{Function: function}
	if n := int(f.State); n > 0 && n <= len(lines) {
		at.File, at.Line = file, lines[n-1]
	}
	return at
}

// LocationOf returns the location of a machine that reports it, as generated ones do.
func LocationOf(machine any) (at Location, ok bool) {
	switch m := machine.(type) {
	case rootMachine:
		_, at = m.Root()
	case interface{ Location() Location }:
		at = m.Location()
	default:
		return at, false
	}
	return at, at.Function != ""
}

const (
	// maxShownCalls is how many suspended calls of one chain appear in a report.
	maxShownCalls = 64
	// maxKnownCalls is the maximum depth at which the job of a chain is found from its top:
	// in deeper chains stacks end early and cycles are not detected. The search runs
	// before each await of a job that depends on others, and a recursion of a million
	// calls must not cost a million steps.
	maxKnownCalls = 1024
)

// WaitingFrames is for reports of package job: the suspended calls, the innermost first.
// If there are more than 64, the last frame has the number of the others.
func (c *chain) WaitingFrames() []job.Frame { return calls(c.top) }

// calls is [chain.WaitingFrames] for the calls from f outwards.
func calls(f *Frame) []job.Frame {
	var frames []job.Frame
	more := 0
	for ; f != nil; f = f.caller {
		if len(frames) == maxShownCalls {
			more++
			continue
		}
		frames = append(frames, describe(f))
	}
	if more > 0 {
		frames = append(frames, job.Frame{What: fmt.Sprintf("%d more async functions", more)})
	}
	return frames
}

// describe returns the frame as a level of an asynchronous stack.
func describe(f *Frame) job.Frame {
	level := job.Frame{What: "async function"}
	if at, ok := LocationOf(f.self); ok {
		level.Function, level.File, level.Line = at.Function, at.File, at.Line
	}
	if j := rootOf(f).job; j != nil {
		level.Job = fmt.Sprintf("#%d", j.ID())
	}
	return level
}

// asyncStack returns the suspended calls below the running frame, and the waiters for
// their job.
func (r *Run) asyncStack() []job.Frame {
	frames := calls(r.top)
	if h := outermostJob(r.top); h != nil {
		frames = append(frames, job.AsyncStack(h)[1:]...) // the job itself is the outermost call's
	}
	return frames
}
