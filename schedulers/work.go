package schedulers

// Work is a piece of work to run once: a job's body or the next step of a state
// machine. It is the only interface through which a scheduler calls upwards.
//
// Exactly one of Run and Abandon is called, exactly once for each accepted
// [Scheduler.Submit]. The same Work may be submitted again after its Run has begun (a
// machine is, at each suspension). So a scheduler must
// not touch a Work after it has called one of the two, and must not use it as the key of
// a set.
type Work interface {
	// Run does the work on the calling goroutine, which serves the worker on; on is nil if
	// no particular worker runs the work.
	//
	// Run reports failures through its own means, never to the scheduler.
	// A scheduler must survive both a panic and a runtime.Goexit in Run, and continue
	// with a worker that is as good as before.
	Run(on Worker)

	// Abandon notifies accepted work that it will never be run. reason is [ErrShutdown], or
	// an error that wraps it. Abandon does not block and does not panic.
	Abandon(reason error)
}

// Worker is an executor of work, as the work itself sees it: a goroutine of a
// pool, a locked thread, the owner of an event loop.
//
// A Worker is safe for concurrent use.
type Worker interface {
	// Scheduler returns the scheduler that this worker serves.
	Scheduler() Scheduler

	// ID distinguishes the workers of one scheduler in logs and traces. IDs start at 1
	// and may be reused after a worker has ended.
	ID() int
}
