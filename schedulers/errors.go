package schedulers

import "errors"

var (
	// ErrShutdown is the reason of refusals and abandonments by a scheduler that has
	// been shut down.
	ErrShutdown = errors.New("schedulers: scheduler is shut down")

	// ErrRejected is the reason of a refusal by a scheduler that is running: its
	// queue is full, or a policy forbids the work.
	ErrRejected = errors.New("schedulers: work was rejected")

	// ErrWouldDeadlock is returned by a wait that could never end: it would block
	// the last worker of a scheduler that adds none, for work of that same
	// scheduler.
	ErrWouldDeadlock = errors.New("schedulers: waiting here would deadlock")
)
