package schedulers

import "context"

// Shutdowner is a scheduler that can be shut down. All schedulers of this module
// can.
type Shutdowner interface {
	// Shutdown refuses new work with [ErrShutdown], runs the queued work, and
	// returns nil when the last work has ended. If ctx ends first, work that is
	// still queued is abandoned with ErrShutdown and ctx's cause is returned;
	// running work is not interrupted.
	//
	// Shutdown blocks. Calling it again waits for the same end.
	Shutdown(ctx context.Context) error
}

// Consenter is a scheduler that allows a waiting goroutine to run queued work in
// place. The waiter claims the work itself; the queued entry then finds
// nothing to do when it is reached.
type Consenter interface {
	// MayRunInPlace reports whether w, accepted earlier, may be run now on the calling
	// goroutine, which believes it is the worker caller (nil: no worker of any scheduler).
	// It must not block.
	MayRunInPlace(w Work, caller Worker) bool
}

// Reclaimer is a scheduler that gives queued work back to one of its workers that waits
// for it. Unlike a [Consenter] it leaves no stale entry in the queue, so the work's memory
// is free as soon as it has run.
type Reclaimer interface {
	// Reclaim removes w, accepted earlier, from its queue and returns true if it
	// finds w without a search and the calling goroutine, which believes it is
	// the worker caller, may run it now. The scheduler then counts w as completed; it
	// calls neither method of w, and the caller runs it. If Reclaim returns false, w may
	// be queued, running or done. w must be comparable. Reclaim must not block.
	Reclaim(w Work, caller Worker) bool
}

// Admitter is a scheduler that lets one of its workers run new work at once, without
// submitting or queueing it.
type Admitter interface {
	// Admit counts one work item as accepted and completed and returns true, if
	// the scheduler would accept work now and the calling goroutine, which
	// believes it is the worker caller, may run it at once. The caller then runs the
	// item, unless it finds that another goroutine does. Admit must not block.
	Admit(caller Worker) bool
}

// Successor is a [Worker] that can say whether the work that it is given now would be the next
// that it runs. A machine that hands over to another one, or yields, need not be queued then.
type Successor interface {
	// RunsNext counts one work item as accepted and completed and returns true, if a work
	// item that is submitted now, with the worker as the hint, would be the next that the
	// worker takes, were it not stolen. The caller, which is the work that runs on the
	// worker and about to end, then runs that item first. If RunsNext returns false, the
	// caller submits it. RunsNext must not block, and only the worker's goroutine calls it.
	RunsNext() bool

	// RunsAgain is RunsNext for the running work itself, which yields. It counts the work once
	// more and returns true, if the work would be the next that the worker takes even if it
	// were submitted to home with [PreferFairness]: nothing else is queued. The caller then
	// continues at once.
	RunsAgain(home Scheduler) bool
}

// Blocker is a [Worker] that must be notified when its goroutine is about to block, so
// that its scheduler can keep the remaining work moving.
type Blocker interface {
	// Block is called right before the worker's goroutine blocks, and the function that
	// it returns is called right after. The error [ErrWouldDeadlock] means that the wait
	// could never end; the caller must then not block. On error the returned function is
	// nil.
	//
	// Since a hint may be wrong, a call from another goroutine must do no more harm
	// than an additional worker.
	Block() (unblock func(), err error)
}

// Leaver is a [Worker] whose scheduler benefits from knowing that a submission is the
// last action of the current work. The worker is free a moment later, so no other worker
// has to be woken for the submitted item.
type Leaver interface {
	Worker
	// Leaving returns the worker that the hint of such a submission names instead of this
	// one, whether the submission is to its own scheduler or to another. The result is
	// always the same. Like every hint it may be wrong; the submitted work may then wait
	// until the worker's current work ends. Together with [PreferFairness] it may be named
	// only by the goroutine that runs a work item, when it submits that same item in order
	// to yield.
	Leaving() Worker
}

// Keeper is a [Worker] with room for one object of the code that runs on it:
// scratch state that is reused from one work item to the next.
type Keeper interface {
	Worker
	// Room returns a pointer to the worker's room for the object: always the same
	// room, empty (nil) at first, and used by no other worker. It returns nil if
	// the worker has no room. Only the worker's own goroutine may call Room and
	// use the room, while the worker runs a work item. A work item that received the
	// worker from [Work.Run] is on that goroutine; code that got the worker from a context
	// may not be. Code that finds a foreign object in the room leaves it there. Package
	// statemachine keeps an object in it.
	Room() *any
}

// HomeBlocker is a [Blocker] that can detect waits that never end, if it knows which
// scheduler runs the awaited work. A scheduler that adds no workers needs this to detect
// such waits exactly.
type HomeBlocker interface {
	Blocker

	// BlockFor is Block for a wait that ends when done is closed by work that home has
	// accepted: work that is queued there, or running on one of its workers. A caller
	// that does not know that much calls Block. BlockFor returns an error if, as far as
	// the scheduler's own work is concerned, the wait could never end; a cancellation of
	// the awaited work from outside is not considered.
	//
	// home may be a scheduler on top of the worker's own, whose work needs the same
	// workers: see [RunsOn].
	BlockFor(home Scheduler, done <-chan struct{}) (unblock func(), err error)
}

// Snapshotter is a scheduler that can list its queued work, for debuggers and tests.
// The result is a copy and may be outdated when it is returned.
type Snapshotter interface {
	Snapshot() []Work
}

// Limiter is a scheduler with a limit on the work that runs at a time.
type Limiter interface {
	// MaxConcurrency returns the largest number of work items that can run at one
	// moment; 0 means no limit.
	MaxConcurrency() int
}

// InPlacer is a scheduler that may run work in Submit, on the submitter's goroutine: a
// submitter that wants work done concurrently with its own should do it itself.
type InPlacer interface {
	// RunsInPlace reports whether it does. It does not block.
	RunsInPlace() bool
}

// Repeater is a scheduler to which one work item may be submitted again while it is queued. Others
// may count on the promise of [Work] that it is not.
type Repeater interface {
	// AcceptsRepeats reports that the scheduler runs, or abandons, an item as often as it has
	// accepted it, and that it makes no difference whether it was given one item or as many
	// equal ones: it never runs one on top of another one's wait, and tells nothing apart by
	// them except the events of [Observe]. It does not block.
	AcceptsRepeats() bool
}

// RunsInPlace reports whether Submit of s, or of a scheduler beneath it, may run work. It
// does not block.
func RunsInPlace(s Scheduler) bool {
	for s != nil {
		s = beneathHome(s)
		if p, ok := s.(InPlacer); ok {
			return p.RunsInPlace()
		}
		l, ok := s.(Layered)
		if !ok {
			return false
		}
		s = l.Beneath()
	}
	return false
}

// AcceptsRepeats reports whether s is a [Repeater] that accepts repeats, or a scheduler of this
// module on top of one, each of which makes an item of its own for each submission. It does not
// block.
func AcceptsRepeats(s Scheduler) bool {
	for s != nil {
		s = beneathHome(s)
		if p, ok := s.(Repeater); ok {
			return p.AcceptsRepeats()
		}
		l, ok := s.(Layered)
		if !ok || !sound(s) {
			return false
		}
		s = l.Beneath()
	}
	return false
}

// Meter is a scheduler with counters.
type Meter interface {
	// Metrics returns counters that add up: Submitted equals the sum of Completed,
	// Abandoned, Queued and Running whenever no work changes state.
	Metrics() Metrics
}

// Metrics are the counters of a scheduler since it was made, in work items.
type Metrics struct {
	Submitted uint64 // accepted
	Refused   uint64 // not accepted
	Completed uint64 // Run has returned, panicked or exited
	Abandoned uint64 // Abandon was called
	Panicked  uint64 // the part of Completed that let a panic escape
	Queued    uint64 // accepted, neither running nor done
	Running   uint64
	Workers   uint64 // alive now
	Stolen    uint64 // taken from another worker's queue
}
