package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// This file drives an iterator from a goroutine that blocks, as a range over a stream
// does in plain code.

// drive runs m to its next value or its end. Its panic, or its runtime.Goexit,
// continues in the caller.
func drive(m iteration) {
	if j := begin(m, false); j != nil {
		finish(j, nil)
	}
}

// begin runs m until it suspends, and returns the job of the rest; nil: m has finished.
// If m's home is elsewhere, it continues there.
func begin(m iteration, elsewhere bool) *job.Job[job.Void] {
	var r Run
	if elsewhere {
		r.Yield()
	} else if r.enter(m) {
		r.Rethrow()
		return nil
	}
	r.Push(context.Background(), m, m.base()) // it has its home already, or gets the default
	return startDriver(&r, m)
}

// startDriver registers the chain of frames above and including m, which have suspended in the
// run r, and returns the job that ends with m's next value or its end.
func startDriver(r *Run, m iteration) *job.Job[job.Void] {
	d := &driver{}
	d.home = m.base().home // it runs no user code, so any home will do
	d.Chain.Start(&d.Promise.Job, context.Background(), r, d, &d.Frame)
	return &d.Promise.Job
}

// enter calls MoveNext of m, whose caller is native code.
func (r *Run) enter(m StateMachine) (finished bool) {
	returned := false
	defer func() {
		if !returned {
			r.raiseOnExit()
		}
	}()
	finished = m.MoveNext(r)
	returned = true
	return finished
}

// finish waits for a job, on worker if that is not nil, and continues the panic or the
// runtime.Goexit that has ended it.
func finish(j *job.Job[job.Void], worker schedulers.Worker) {
	ctx := context.Background()
	if worker != nil {
		ctx = context.WithValue(ctx, contract.WorkerKey, worker)
	}
	if _, err := j.Wait(ctx); err != nil {
		rethrow.From(err)
	}
}

// driver is the root of a chain whose caller is a blocked goroutine.
type driver struct {
	Builder[job.Void]
	Frame
}

// Root implements rootMachine.
func (d *driver) Root() (Root, Location) { return d.Chain.Root(&d.Promise.Job), Location{} }

// MoveNext implements StateMachine: the driven frame has reached a value or its end.
func (d *driver) MoveNext(r *Run) bool {
	r.Rethrow()
	d.State = Finished
	d.SetResult(r, job.Void{}, nil)
	return true
}
