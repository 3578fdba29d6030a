package job

import (
	"runtime/trace"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// core is the part of a job that does not depend on the type of its result.
type core struct {
	state state

	// How the job was made. Written before it is handed out; passed by its function.
	flags  schedulers.Flags
	mode   mode
	only   filter // of a continuation: the outcomes that it is for
	passed uint8  // the final status to take on, where the error does not decide it

	waiting continuation.List

	// What a job with a function has beside; nil for a job that others complete. Written
	// before the job is handed out.
	own *body

	// What most jobs never need. Made when asked for.
	rare atomic.Pointer[rare]
}

// owner is the object around a job with a function of its own.
type owner interface {
	schedulers.Work
	// runClaimed runs a job that the caller has claimed.
	runClaimed(on schedulers.Worker)
	base() *core
	drop() // forgets the function, which will not run
}

// rare holds what most jobs never need, so that they do not pay for it.
type rare struct {
	id   uint64
	name string

	// Set before the job is handed out, if it was asked for.
	made uintptr     // where the job was made
	task *trace.Task // of the execution tracer

	// RunSynchronously was called, so the job may run anywhere.
	aside atomic.Bool

	// Written before the job is published as Faulted.
	failure *failure

	// Nil in most jobs that have this part. See setErr.
	err error

	mu   sync.Mutex    // protects done and, in a race of Starts, body.sched
	done chan struct{} // made by Done

	// Continuations that whoever has run the job's function runs right after it.
	synchronous continuation.List
}

var lastID atomic.Uint64

// extras returns the job's rare part, making it if need be.
func (c *core) extras() *rare {
	if r := c.rare.Load(); r != nil {
		return r
	}
	r := &rare{id: lastID.Add(1)}
	if c.rare.CompareAndSwap(nil, r) {
		return r
	}
	return c.rare.Load()
}

// setErr writes the error, between reserve and finish, by who won reserve. It lies in the rare part, since most jobs have none:
// with a place for it in each job, two words of every job would be nil for ever.
func (c *core) setErr(err error) {
	if err != nil {
		c.extras().err = err
	} else if r := c.rare.Load(); r != nil {
		r.err = nil // one that was set and was not to be, by a method of its own that has panicked
	}
}

// err returns the error. It is read only after a final status was seen, or by who writes it.
func (c *core) err() error {
	if r := c.rare.Load(); r != nil {
		return r.err
	}
	return nil
}

// publish makes the outcome visible and returns who must be told. The caller
// has won a reserve and written the result.
func (c *core) publish(final Status) continuation.Chain {
	c.finish(final)
	told := c.waiting.Complete()
	if r := c.rare.Load(); r != nil {
		told = told.Join(r.synchronous.Complete())
	}
	return told
}

// finish makes the outcome visible.
func (c *core) finish(final Status) {
	if final == Faulted {
		c.fail()
	}
	c.state.finish(final)
}

// abort completes a job, whose function will not run, that the caller has reserved.
func (c *core) abort(final Status, err error) continuation.Chain {
	c.setErr(err)
	if c.own != nil {
		c.own.owner.drop()
		c.endOwn()
	}
	return c.publish(final)
}

// status is the state's, except for a zero Job, which nobody has made and nobody will run.
func (c *core) status() Status {
	s := c.state.status()
	if s == Scheduled && c.own == nil {
		return Created
	}
	return s
}

func (c *core) isCompleted() bool { return c.state.status().IsFinal() }

// register adds n to be told of the completion; false: the job is complete. It
// starts a Created job, since nobody waits for what nobody starts.
func (c *core) register(n *continuation.Node) bool {
	c.startIfCreated()
	return c.waiting.Add(n)
}

func (c *core) startIfCreated() {
	if c.own != nil && c.state.status() == Created {
		// A refusal faults the job, and a lost race means that it is started:
		// both are what the caller wants to wait for.
		_ = c.start(nil)
	}
}
