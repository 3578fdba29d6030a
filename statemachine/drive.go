package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
)

// This file drives an iterator from a goroutine that blocks, as a range over a stream
// does in plain code.

// drive runs m to its next value or its end. Its panic, or its runtime.Goexit,
// continues in the caller.
func drive(m framed) {
	if j := begin(m, false); j != nil {
		finish(j)
	}
}

// begin runs m until it suspends, and returns the job of the rest; nil: m has finished.
// If m's home is elsewhere, it continues there.
func begin(m framed, elsewhere bool) *job.Job[job.Void] {
	var r Run
	if elsewhere {
		r.Yield()
	} else if m.MoveNext(&r) {
		r.Rethrow()
		return nil
	}
	r.Push(context.Background(), m) // it has its home already, or gets the default
	d := &driver{}
	d.home = m.base().home // it runs no user code, so any home will do
	return d.Start(context.Background(), &r, d)
}

// finish waits for the job that begin has returned.
func finish(j *job.Job[job.Void]) {
	if _, err := j.Await(); err != nil {
		rethrow.From(err)
	}
}

// driver is the root of a chain whose caller is a blocked goroutine.
type driver struct {
	Builder[job.Void]
	Frame
}

// MoveNext implements StateMachine: the driven frame has reached a value or its end.
func (d *driver) MoveNext(r *Run) bool {
	r.Rethrow()
	d.State = Finished
	d.SetResult(r, job.Void{}, nil)
	return true
}
