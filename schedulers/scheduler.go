package schedulers

// Scheduler decides where and in which order work runs.
type Scheduler interface {
	// Submit accepts w and returns nil, or refuses it and returns why:
	// [ErrShutdown], [ErrRejected] or an error that wraps one of them. After a
	// refusal neither method of w is called.
	//
	// Submit is safe from any goroutine. It does not run w before it returns, unless
	// the scheduler documents that it runs work in place. It blocks only where the
	// scheduler documents that it does.
	Submit(w Work, from Hint) error
}

// Hint accompanies submitted work. Its zero value makes no claim and is always right.
type Hint struct {
	// From is the worker on which the submitter believes it runs, or nil. It is a
	// reason to prefer one queue over another, never a proof of ownership.
	From Worker

	// Flags are requests. A scheduler may ignore each of them, except Resumed (see
	// there).
	Flags Flags
}

// Flags are the requests in a [Hint].
type Flags uint8

const (
	// PreferFairness asks for the queue that is served in order of arrival, even if a
	// worker's own queue would be nearer.
	PreferFairness Flags = 1 << iota

	// LongRunning announces that the work will keep its worker for long. A scheduler of few
	// workers runs it outside of them.
	LongRunning

	// Resumed marks work that continues something that has started before: a state
	// machine after a suspension, the continuation of a job. Its submitter is the
	// goroutine that completed the awaited operation, and is otherwise unrelated to it.
	// So a bounded queue must always have room for such work: it must neither refuse it
	// for lack of room, nor make the submitter wait or run it.
	Resumed
)

// Has reports whether all flags of want are set.
func (f Flags) Has(want Flags) bool { return f&want == want }
