// Package jobcore gives the other packages of this module access to operations of a job
// that are hidden from programs: completing it, and awaiting it as a machine does.
//
// The internals of a job are unexported fields of package job. Machines, locks, sockets and
// loops need some of them. If these were moved to package job, the whole module would become
// one package. If the operations were exported, the documentation would list them among the
// functions for programs, which must not call them. So each *job.Job has one method,
// Internal, which takes a [Key]. Programs cannot name that type, since this package is
// internal.
//
// The measurements are in docs/decisions/0025-programs-do-not-meet-what-only-the-runtime-needs.md.
package jobcore

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// Key gives access to the internals of a job.
type Key struct{}

// Job is implemented by every *job.Job.
type Job interface {
	// Internal returns a *T, which points to the job's value, and the Internals. For a nil
	// job both are nil.
	Internal(Key) (value any, in Internals)
}

// Of returns the Internals of a job.Handle, or nil if j is not a job, or is a nil one.
func Of(j any) Internals {
	if j, ok := j.(Job); ok {
		_, in := j.Internal(Key{})
		return in
	}
	return nil
}

// Unproven is added to the spent budget where a worker is known only from a hint: from the
// context of a waiter that runs a job in place. The waiter may have got that context from
// another goroutine.
const Unproven uint8 = 1 << 7

// MaxRuns is how many awaited jobs a machine runs itself before it yields to the work
// queued on its worker. It is the number of work items that the pool takes from one queue
// before it checks the others.
const MaxRuns = 61

// Ran is the outcome of [Awaiting].RunFor.
type Ran uint8

// The outcomes.
const (
	NotRun            Ran = iota
	RanUntilSuspended     // its machine continues elsewhere
	RanToEnd
)

// Internals are the operations of a job for the packages of this module. None blocks.
type Internals interface {
	Completing
	Awaiting
	Telling
}

// Telling is for machines whose lives are told; see package tracking.
type Telling interface {
	// TellMade tells the listener, if it wants the life of this job, that the machine m of
	// the job h was made and has started. It is called before the job is returned to code
	// of the program.
	TellMade(h any, m tracking.Machine)

	// IsTold reports whether the life of the job is told.
	IsTold() bool

	// About returns the data for a report about a job that has a function.
	About() About

	// Waiters calls f with the groups of waiters of the job, as inspect.Waiters returns them:
	// an asynchronous stack, which is a []job.Frame, and the number of the waiters.
	Waiters(f func(stack any, count int))

	// Label returns the name of the job in quotes, or its number.
	Label() string
}

// About is the data for a report about a job. A field is zero if it is not known.
type About struct {
	Home       schedulers.Scheduler
	CreationPC uintptr         // the program counter where it was made
	Parent     Internals       // the job in whose function it was made
	Suspended  bool            // its function has suspended, so it is a machine
	Status     uint8           // a job.Status
	Context    context.Context // of its function
}

// Completing is the part for the completer of a job that has no function. It is used
// through promise.Promise, which documents the methods.
type Completing interface {
	Init()
	InitDependent()
	SetExclusive()
	HoldContext(ctx context.Context)
	ReleaseContext(ctx context.Context)

	// Reserve tries to win the right to complete the job, and returns false if another
	// completer was faster. The job will end like an operation with ctx that returns err.
	// Reserve may call methods of err, which are user code; it does so before it wins. The
	// winner writes the value, and calls Publish.
	Reserve(ctx context.Context, err error) bool

	// Publish completes the job, and returns the waiters to notify.
	Publish(err error) continuation.Chain
}

// Awaiting is the part for machines, and others, that await the job.
type Awaiting interface {
	// Register adds n to the continuations of the job, which it starts if it is Created, and
	// returns true; or it returns false if the job has ended.
	Register(n *continuation.Node) bool

	// Unregister takes n back, unless it was delivered.
	Unregister(n *continuation.Node)

	// Claim tries to claim the job for the machine that awaits it and would run it on its
	// own goroutine. Claim succeeds if the job is queued at a scheduler that gives it back to
	// the worker on, or if it is not started and its scheduler lets that worker begin it;
	// see dispatch.Reclaimer and dispatch.Admitter. Otherwise the machine has to leave
	// its worker to the job.
	//
	//	in.Claim(on)               false: the machine registers with the job as usual
	//	in.RunClaimed(n, on, spent)
	//	in.LeaveClaimed(n)           also if RunClaimed does not return: runtime.Goexit
	Claim(on schedulers.Worker) bool

	// RunClaimed runs the job to its end or its first suspension. n is the machine's
	// registration, prepared by continuation.Node.PrepareAttended. It is added before the
	// run, so that asynchronous stacks and searches for cycles show the waiter.
	//
	// spent is how much of the budget of one turn such machines have used, up to 127, plus
	// Unproven if the caller is not known to be the worker on. It is passed to the job's
	// machine, which may in turn run the jobs that it awaits: a chain of a million such jobs
	// must not become a stack of a million calls.
	RunClaimed(n *continuation.Node, on schedulers.Worker, spent uint8)

	// LeaveClaimed ends the machine's attendance after RunClaimed. It returns true if n's
	// target will be notified of the end, like that of any registration, and false if the job
	// has ended and n is the caller's.
	LeaveClaimed(n *continuation.Node) (notified bool)

	// RunFor runs the job for a function that awaits it and whose frames are still on the
	// stack of the calling goroutine. host is the context of the job that runs the function
	// on that goroutine; runs is how many jobs the function has run so far. The job is run
	// only if host's job has started it, if it could be claimed like by Claim, and if the
	// budget of the turn is not used up. If it calls runtime.Goexit, RunFor does not return,
	// and the function continues elsewhere; LeavePlace must then be called, since the job may
	// have suspended before.
	RunFor(host context.Context, runs int32) Ran

	// LeavePlace ends the wait of a function for which RunFor has not returned.
	LeavePlace()

	// StartLast starts the job if it is Created, like Job.Start, as the last action of the
	// current work of the worker on. It is for a machine that awaits the job and may not run
	// it.
	StartLast(on schedulers.Worker)

	// HasExclusiveValue reports whether the job has completed with a value that only its waiter
	// gets.
	HasExclusiveValue() bool

	// Antecedents returns the jobs that must all end before this one can, if it is a
	// combinator or a continuation that waits for them. The caller must not keep them.
	Antecedents() []Internals

	// Waits reports whether the job may depend on others, so that waiting for it may close
	// a cycle. The job of a Source does not.
	Waits() bool

	// WithdrawIfCycle is called after n was registered with the job on behalf of another one,
	// waiting. If that closes a cycle of waits, it takes n back and returns a
	// *job.CycleError. If it returns nil, n is registered or was delivered, and its target
	// no longer belongs to the caller. A nil waiting closes no cycle.
	WithdrawIfCycle(n *continuation.Node, waiting Internals) error
}
