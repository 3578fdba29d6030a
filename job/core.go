package job

import (
	"runtime"
	"runtime/trace"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// core is the part of a job that does not depend on the type of its result.
type core struct {
	// It makes jobs, and what contains one, incomparable: a function that compares two of them
	// would be compiled for each type of results.
	_ [0]func()

	state state

	// How the job was made. Written before the job is shared.
	flags schedulers.Flags
	mode  mode
	only  filter // of a continuation: the outcomes that it handles

	// The final status, once the list below is closed. Before that, the status that the
	// job's function requests if the error does not decide it, or 0.
	final uint8

	waiting continuation.List

	// The extra part of a job with a function; nil for a job that others complete.
	// Written before the job is shared.
	own *body

	// Fields that most jobs never need. Made on demand.
	extra interleave.Pointer[extra]
}

// extra holds the fields that most jobs never need, so that those jobs do not pay for
// them.
type extra struct {
	id   uint64
	name string

	diagnostics *diagnostics // by diagnostics; set before the job is shared

	// Of a WhenAll: the jobs that it waits for. Set before the job is shared.
	countdown *countdown

	// Written before the job is published as Faulted.
	failure *failure

	// Nil in most jobs that have this part. See setErr.
	err error

	real  interleave.Pointer[realContext]  // see body.materialize
	waits interleave.Pointer[contextWaits] // see body.WatchSource

	mu   interleave.Mutex // protects done and, in a race of Starts, body.home
	done chan struct{}    // made by Done

	// Continuations that the runner of the job's function runs right after it.
	synchronous continuation.List
}

// diagnostics holds what the job's [Diagnostics] and the hook for unobserved failures record.
type diagnostics struct {
	creationPC uintptr     // where the job was made, or 0
	task       *trace.Task // of the execution tracer
	subject    Handle      // the job itself, if listeners are told its life; see told.go

	ticket uint32 // in the table of tracked jobs, or 0; see package tracking

	dropFailure *failure // of a source that was made while a hook for unobserved failures was set
}

// ensureDiagnostics returns the part for diagnostics, making it if need be. The job is not shared
// yet.
func (e *extra) ensureDiagnostics() *diagnostics {
	if e.diagnostics == nil {
		e.diagnostics = new(diagnostics)
	}
	return e.diagnostics
}

var lastID interleave.Uint64

// ensureExtra returns the job's extra part, making it if need be.
func (c *core) ensureExtra() *extra {
	if r := interleave.LoadPointer(&c.extra); r != nil {
		return r
	}
	r := &extra{id: lastID.Add(1)}
	if interleave.CompareAndSwapPointer(&c.extra, nil, r) {
		return r
	}
	return interleave.LoadPointer(&c.extra)
}

// setErr writes the error. The winner of the right to complete the job calls it, before
// the list is closed. The error is kept in the extra part, since most jobs have none: in
// most jobs, a field of the job itself would be two words that stay nil.
func (c *core) setErr(err error) {
	if err != nil {
		c.ensureExtra().err = err
	} else if r := interleave.LoadPointer(&c.extra); r != nil {
		r.err = nil // of an earlier attempt, whose error panicked when its methods were called
	}
}

// err returns the error. It is called only by its writer, or after the job has been
// seen to have ended.
func (c *core) err() error {
	if r := interleave.LoadPointer(&c.extra); r != nil {
		return r.err
	}
	return nil
}

// publish makes the outcome visible and returns the waiters to notify. The caller has
// won a reserve and written the result.
func (c *core) publish(final Status) continuation.Chain {
	c.conclude(final)
	waiters := c.waiting.Complete()
	if r := interleave.LoadPointer(&c.extra); r != nil {
		waiters = waiters.Join(r.synchronous.Complete())
		if r.diagnostics != nil && r.diagnostics.dropFailure != nil {
			r.diagnostics.dropFailure.settled.Store(true)
			runtime.KeepAlive(c) // or the cleanup could come before the mark
		}
	}
	return waiters
}

// conclude writes the final status. Closing the list makes it visible.
func (c *core) conclude(final Status) {
	if final == Faulted {
		c.fail()
	}
	if r := interleave.LoadPointer(&c.extra); r != nil {
		r.leaveTracking(final)
	}
	c.final = uint8(final)
}

// abort completes a reserved job whose function will not run.
func (c *core) abort(final Status, err error) continuation.Chain {
	c.setErr(err)
	if c.own != nil {
		c.own.owner.drop()
		c.endOwn()
	}
	return c.publish(final)
}

// status returns the status of the state word until the job has ended, then the final
// one. A zero Job, which was never made and will never run, counts as Created.
func (c *core) status() Status {
	if c.isCompleted() {
		return Status(c.final)
	}
	s := c.state.status()
	if s == Scheduled && c.own == nil {
		return Created
	}
	return s
}

func (c *core) isCompleted() bool { return c.waiting.Closed() }

// register adds n to be notified of the completion; false: the job is complete. It starts a
// Created job, since a waiter would otherwise wait for a job that is never started.
func (c *core) register(n *continuation.Node) bool {
	c.startIfCreated()
	return c.waiting.Add(n)
}
