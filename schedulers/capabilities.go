package schedulers

import "context"

// Shutdowner is a scheduler that can end. All schedulers of this module can.
type Shutdowner interface {
	// Shutdown refuses new work with [ErrShutdown], runs what is queued, and
	// returns nil when the last work has ended. If ctx ends first, work that is
	// still queued is abandoned with ErrShutdown and ctx's cause is returned;
	// running work is not interrupted.
	//
	// Shutdown blocks. Calling it again waits for the same end.
	Shutdown(ctx context.Context) error
}

// Consenter is a scheduler that allows work it has queued to be run in place by
// a goroutine that waits for it. Whoever waits claims the work by its own
// means; the queued entry then finds nothing left to do when its turn comes.
type Consenter interface {
	// MayRunInPlace reports whether w, accepted earlier, may be run
	// now on the calling goroutine, which believes to be the worker by (nil: no
	// worker of any scheduler). It must not block.
	MayRunInPlace(w Work, by Worker) bool
}

// Reclaimer is a scheduler that gives queued work back to a worker of its own which waits for that
// work. Unlike a [Consenter] it keeps no entry of it: nothing is left to be found out of date, and the work's memory is
// free as soon as it has run.
type Reclaimer interface {
	// Reclaim removes w, accepted earlier, from its queue and returns true, if it is found without a search
	// and the calling goroutine, which believes to be the worker by, may run it now. The
	// scheduler then counts it as completed; it calls neither method of w, and the caller
	// runs it. False says nothing: w may be queued, running or done. w must be comparable.
	// Reclaim must not block.
	Reclaim(w Work, by Worker) bool
}

// Admitter is a scheduler that lets a worker of its own run new work at once, which is then neither submitted nor queued.
type Admitter interface {
	// Admit counts one piece of work as accepted and completed and returns true, if the scheduler would accept work now, and if the
	// calling goroutine, which believes to be the worker by, may run it at once. The caller runs it, unless it finds that
	// somebody else does. Admit must not block.
	Admit(by Worker) bool
}

// Blocker is a [Worker] that wants to know when its goroutine is going to block,
// so that its scheduler can keep the remaining work moving.
type Blocker interface {
	// Block is called right before the worker's goroutine blocks, and the
	// function it returns right after. An error means that blocking here could
	// never end ([ErrWouldDeadlock]); the caller must then not block. On error the
	// returned function is nil.
	//
	// Since a hint may be wrong, a call that comes from
	// some other goroutine must do no more harm than an additional worker.
	Block() (unblock func(), err error)
}

// Leaver is a [Worker] whose scheduler wants to know that what is submitted on it is the last thing that its current work
// does. The worker is free a moment later then, and if the work submits one piece, nobody else need be woken for that.
type Leaver interface {
	Worker
	// Leaving returns what to name in the hint of such a submission in place of the worker, to that
	// scheduler or any other: always the same. Like every hint it may be wrong; what is submitted may then wait for the worker as
	// long as the worker's current work takes. But only the goroutine that runs that work names it for
	// the work itself, which gives way so ([PreferFairness]).
	Leaving() Worker
}

// Keeper is a [Worker] that has room for one object of those who run on it: what they need while they run, and need not make anew
// each time.
type Keeper interface {
	Worker
	// Room returns where the object is kept: always the same place, nil at first, and nobody else's; or nil, if there is no such
	// place. Only the goroutine that the worker is may call it and use the place, while the worker runs a work: who was handed
	// the worker by [Work.Run] is there, who has it from a context need not be. Who finds what is not his own in the
	// place leaves it. Package statemachine keeps something there.
	Room() *any
}

// HomeBlocker is a [Blocker] that can tell waits that never end from others, if it is told what the
// wait is for. A scheduler that adds no workers needs this for an exact answer.
type HomeBlocker interface {
	Blocker

	// BlockFor is Block for a wait that ends when done is closed, which work that home has accepted will do: work that is
	// queued there, or running on one of its workers. Who does not know that much calls Block. The error is returned if, as far as the
	// scheduler's own work is concerned, the wait could never end; that somebody might cancel the
	// awaited work does not count.
	//
	// home may be a scheduler on top of the worker's own, whose work needs the same workers: [RunsOn] tells.
	BlockFor(home Scheduler, done <-chan struct{}) (unblock func(), err error)
}

// Snapshotter is a scheduler that can list what it has queued, for debuggers
// and for tests. The result is a copy and may be outdated when it is returned.
type Snapshotter interface {
	Snapshot() []Work
}

// Limiter is a scheduler that runs at most so much work at a time.
type Limiter interface {
	// MaxConcurrency returns the most work that can run at one moment; 0 says
	// that there is no limit.
	MaxConcurrency() int
}

// Meter is a scheduler that counts.
type Meter interface {
	// Metrics returns counters that add up: Submitted equals the sum of
	// Completed, Abandoned, Queued and Running at a moment when nothing moves.
	Metrics() Metrics
}

// Metrics are the counters of a scheduler since it was made, in pieces of work.
type Metrics struct {
	Submitted uint64 // accepted
	Refused   uint64 // not accepted
	Completed uint64 // Run has returned, panicked or exited
	Abandoned uint64 // given up
	Panicked  uint64 // the part of Completed that let a panic escape
	Queued    uint64 // accepted, neither running nor done
	Running   uint64
	Workers   uint64 // alive now
	Stolen    uint64 // taken from another worker's queue
}
