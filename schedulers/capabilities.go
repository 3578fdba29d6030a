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

// Blocker is a [Worker] that must be notified when its goroutine is about to block, so
// that its scheduler can keep the remaining work moving.
//
// A scheduler that adds no workers can detect waits that never end only if it knows which
// scheduler runs the awaited work. Its workers have another method, which [Wait] then calls
// instead of Block:
//
//	BlockFor(home Scheduler, done <-chan struct{}) (unblock func(), err error)
//
// It is Block for a wait that ends when done is closed by work that home has accepted: work that
// is queued there, or running on one of its workers. It returns an error if, as far as the
// scheduler's own work is concerned, the wait could never end; a cancellation of the awaited work
// from outside is not considered. home may be a scheduler on top of the worker's own, whose work
// needs the same workers: see [RunsOn].
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
