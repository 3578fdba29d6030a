// Package jobcore is the way from the other packages of this module to what a job hides
// from programs: completing it, and awaiting it as a machine does.
//
// A job's insides are unexported fields of package job. Machines, locks, sockets and loops
// need some of them, and cannot lie in package job for that: then all of it would be one
// package. Exported functions would stand in the documentation between those that
// programs call, and do harm there. So each *job.Job has one method, Internal, which asks
// for a [Key]. Programs cannot name that type, since this package is internal.
//
// Decision 0025 has the measurements: docs/decisions/0025.
package jobcore

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// Key opens the insides of a job.
type Key struct{}

// Job is implemented by every *job.Job.
type Job interface {
	// Internal returns a *T, the job's value, and the rest; nil, nil for a nil job.
	Internal(Key) (value any, in Insides)
}

// Of returns the insides of a job.Handle, or nil if j is no job or a nil one.
func Of(j any) Insides {
	if j, ok := j.(Job); ok {
		_, in := j.Internal(Key{})
		return in
	}
	return nil
}

// Unproven is added to what is spent where a worker is known by hint only: from the
// context of a waiter that runs a job in place, which may have got that context from
// another goroutine.
const Unproven uint8 = 1 << 7

// Insides are what a job has for the packages of this module. Nothing here blocks.
type Insides interface {
	Completing
	Awaiting
	Telling
}

// Telling is for machines whose lives are told; see package tracking.
type Telling interface {
	// TellMade tells that the machine m of the job h was made, and has started, if
	// something wants to know that. It is called before the job is handed out.
	TellMade(h any, m tracking.Machine)

	// Told reports whether the life of the job is told.
	Told() bool

	// About returns what a report says of a job that has a function.
	About() About

	// Label returns the name of the job in quotes, or its number.
	Label() string
}

// About is what a report says of a job. A field is zero if it is not known.
type About struct {
	Home      schedulers.Scheduler
	Made      uintptr         // the program counter where it was made
	Parent    Insides         // the job in whose function it was made
	Suspended bool            // its function has suspended, so it is a machine
	Status    uint8           // a job.Status
	Context   context.Context // of its function
}

// Completing is the half for the completer of a job that has no function. It is used
// through promise.Promise, which says what the methods are for.
type Completing interface {
	Init()
	InitDependent()
	HandOver()
	Stay(ctx context.Context)
	Leave(ctx context.Context)

	// Reserve wins the right to complete the job, which ends as an operation with ctx that
	// returns err does; false: another completer was faster. It may run a user's code, in
	// methods of err, and does so before it wins. The winner writes the value, and calls
	// Publish.
	Reserve(ctx context.Context, err error) bool

	// Publish completes the job, and returns the waiters to tell.
	Publish(err error) continuation.Chain
}

// Awaiting is the half for machines that await the job.
type Awaiting interface {
	// Take claims the job for the machine that awaits it, which runs it on its own
	// goroutine, and returns true, if it is queued at a scheduler that gives it back to the
	// worker on, or if it is not started and its scheduler lets that worker begin with it;
	// see schedulers.Reclaimer and schedulers.Admitter. A machine would otherwise have to
	// leave its worker to the job.
	//
	//	in.Take(on)                false: the machine registers with the job as usual
	//	in.RunTaken(n, on, spent)
	//	in.LeaveTaken(n)           also if RunTaken does not return: runtime.Goexit
	Take(on schedulers.Worker) bool

	// RunTaken runs the job to its end or its first suspension. n is the machine's
	// registration, prepared by continuation.Node.PrepareAttended. It is added before the
	// run, so that asynchronous stacks and searches for cycles show the waiter.
	//
	// spent is how much of such machines' budget for one turn is used, up to 127, plus
	// Unproven if the caller is not known to be the worker on. A machine is told, since it
	// may run the jobs that it awaits in turn: a chain of a million such jobs must not
	// become a stack of a million calls.
	RunTaken(n *continuation.Node, on schedulers.Worker, spent uint8)

	// LeaveTaken ends the machine's attendance after RunTaken. It returns true if n's
	// target will be notified of the end, like that of any registration, and false if the job
	// has ended and n is the caller's.
	LeaveTaken(n *continuation.Node) (notified bool)

	// StartLast starts the job if it is Created, like Job.Start, as the last thing that
	// the current work of the worker on does. It is for a machine that awaits the job and
	// may not run it.
	StartLast(on schedulers.Worker)

	// HandedOver reports whether the job has completed with a value for its waiter alone.
	HandedOver() bool

	// Antecedents returns the jobs that all have to end before this one can, as far as it
	// is a combinator or a continuation that waits for them. They must not be kept.
	Antecedents() []Insides

	// Waits reports whether the job may depend on others, so that waiting for it may close
	// a cycle. A Source's does not.
	Waits() bool

	// TakeBack is called after n was registered with the job on behalf of another one,
	// waiting. If that closes a cycle of waits, it takes n back and returns a
	// *job.CycleError. If it returns nil, n is registered or was delivered, and its target
	// is not the caller's any more. A nil waiting closes no cycle.
	TakeBack(n *continuation.Node, waiting Insides) error
}
