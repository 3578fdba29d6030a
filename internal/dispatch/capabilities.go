package dispatch

import "github.com/movenext/movenext/schedulers"

// Admitter is a scheduler that lets one of its workers run new work at once, without
// submitting or queueing it.
type Admitter interface {
	// Admit counts one work item as accepted and completed and returns true, if
	// the scheduler would accept work now and the calling goroutine, which
	// believes it is the worker caller, may run it at once. The caller then runs the
	// item, unless it finds that another goroutine does. Admit must not block.
	Admit(caller schedulers.Worker) bool
}

// Reclaimer is a scheduler that gives queued work back to one of its workers that waits for it.
// Unlike a [schedulers.Consenter] it leaves no stale entry in the queue, so the work's memory is
// free as soon as it has run.
type Reclaimer interface {
	// Reclaim removes w, accepted earlier, from its queue and returns true if it
	// finds w without a search and the calling goroutine, which believes it is
	// the worker caller, may run it now. The scheduler then counts w as completed; it
	// calls neither method of w, and the caller runs it. If Reclaim returns false, w may
	// be queued, running or done. w must be comparable. Reclaim must not block.
	Reclaim(w schedulers.Work, caller schedulers.Worker) bool
}

// Successor is a [schedulers.Worker] that can say whether the work that it is given now would be
// the next that it runs. A machine that hands over to another one, or yields, need not be queued
// then.
type Successor interface {
	// RunsNext counts one work item as accepted and completed and returns true, if a work
	// item that is submitted now, with the worker as the hint, would be the next that the
	// worker takes, were it not stolen. The caller, which is the work that runs on the
	// worker and about to end, then runs that item first. If RunsNext returns false, the
	// caller submits it. RunsNext must not block, and only the worker's goroutine calls it.
	RunsNext() bool

	// RunsAgain is RunsNext for the running work itself, which yields. It counts the work once
	// more and returns true, if the work would be the next that the worker takes even if it were
	// submitted to home with [schedulers.PreferFairness]: nothing else is queued. The caller then
	// continues at once.
	RunsAgain(home schedulers.Scheduler) bool
}

// Leaver is a [schedulers.Worker] whose scheduler benefits from knowing that a submission is the
// last action of the current work. The worker is free a moment later, so no other worker
// has to be woken for the submitted item.
type Leaver interface {
	schedulers.Worker
	// Leaving returns the worker that the hint of such a submission names instead of this one,
	// whether the submission is to its own scheduler or to another. The result is always the
	// same. Like every hint it may be wrong; the submitted work may then wait until the worker's
	// current work ends. Together with [schedulers.PreferFairness] it may be named only by the
	// goroutine that runs a work item, when it submits that same item in order to yield.
	Leaving() schedulers.Worker
}

// Keeper is a [schedulers.Worker] with room for one object of the code that runs on it:
// scratch state that is reused from one work item to the next.
type Keeper interface {
	schedulers.Worker
	// Room returns a pointer to the worker's room for the object: always the same room, empty
	// (nil) at first, and used by no other worker. It returns nil if the worker has no room. Only
	// the worker's own goroutine may call Room and use the room, while the worker runs a work
	// item. A work item that received the worker from [schedulers.Work.Run] is on that goroutine;
	// code that got the worker from a context may not be. Code that finds a foreign object in the
	// room leaves it there. Package statemachine keeps an object in it.
	Room() *any
}

// HomeBlocker is a [schedulers.Blocker] that can detect waits that never end, if it knows which
// scheduler runs the awaited work. A scheduler that adds no workers needs this to detect
// such waits exactly.
type HomeBlocker interface {
	schedulers.Blocker

	// BlockFor is Block for a wait that ends when done is closed by work that home has
	// accepted: work that is queued there, or running on one of its workers. A caller
	// that does not know that much calls Block. BlockFor returns an error if, as far as
	// the scheduler's own work is concerned, the wait could never end; a cancellation of
	// the awaited work from outside is not considered.
	//
	// home may be a scheduler on top of the worker's own, whose work needs the same
	// workers: see [schedulers.RunsOn].
	BlockFor(home schedulers.Scheduler, done <-chan struct{}) (unblock func(), err error)
}

// InPlacer is a scheduler that may run work in Submit, on the submitter's goroutine: a
// submitter that wants work done concurrently with its own should do it itself.
type InPlacer interface {
	// RunsInPlace reports whether it does. It does not block.
	RunsInPlace() bool
}

// Repeater is a scheduler to which one work item may be submitted again while it is queued.
// Others may count on the promise of [schedulers.Work] that it is not.
type Repeater interface {
	// AcceptsRepeats reports that the scheduler runs, or abandons, an item as often as it has
	// accepted it, and that it makes no difference whether it was given one item or as many
	// equal ones: it never runs one on top of another one's wait, and tells nothing apart by
	// them except the events of [schedulers.Observe]. It does not block.
	AcceptsRepeats() bool
}

// PanicHearer is a [schedulers.Worker] whose scheduler wants to be notified of panics that never
// reach it because the work recovers them: panics of jobs, which become errors.
type PanicHearer interface {
	schedulers.Worker
	// HearPanic is called on the goroutine that has recovered value, with the
	// stack of the panic. It must not panic, and should not take long.
	HearPanic(value any, stack []byte)
}
