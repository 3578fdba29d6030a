package ums

import "fmt"

// Step is the kind of an [Event].
type Step uint8

// The steps.
const (
	Activated Step = iota // the entry point was called for a Reason
	Dequeued              // a worker was moved from the completion list to the ready queue
	Executed              // a worker was picked; Err: why that failed
	Deleted               // a worker that has ended was cleaned up
	Pinned                // the thread's goroutine was bound; Err: why that failed
)

// Event is one step of a thread of a [Scheduler].
type Event struct {
	Thread int // from 1 on
	Step   Step
	Worker int // the ID of the worker that the event is about; 0 for a startup

	Reason Reason // of Activated
	Cause  Cause  // of Activated
	Param  any    // of Activated
	State  State  // of Dequeued
	Err    error  // of Executed and Pinned
}

// String returns the event as one line of a log.
func (e Event) String() string { return fmt.Sprintf("thread %d: %s", e.Thread, e.describe()) }

func (e Event) describe() string {
	switch {
	case e.Step == Activated && e.Reason == Startup:
		return fmt.Sprintf("startup, with parameter %v", e.Param)
	case e.Step == Activated && e.Reason == WorkerYielded:
		return fmt.Sprintf("worker %d yielded, with parameter %v", e.Worker, e.Param)
	case e.Step == Activated && e.Cause == Noticed:
		return fmt.Sprintf("worker %d was noticed to block", e.Worker)
	case e.Step == Activated && e.Cause == Ended:
		return fmt.Sprintf("worker %d blocked for good: it has ended", e.Worker)
	case e.Step == Activated:
		return fmt.Sprintf("worker %d blocked, %v", e.Worker, e.Cause)
	case e.Step == Dequeued:
		return fmt.Sprintf("from the completion list: worker %d, %v", e.Worker, e.State)
	case e.Step == Executed && e.Err != nil:
		return fmt.Sprintf("worker %d cannot be executed: %v", e.Worker, e.Err)
	case e.Step == Executed:
		return fmt.Sprintf("executes worker %d", e.Worker)
	case e.Step == Pinned && e.Err != nil:
		return fmt.Sprintf("is bound to no processor: %v", e.Err)
	case e.Step == Pinned:
		return "is bound to its processor"
	default:
		return fmt.Sprintf("cleans up worker %d", e.Worker)
	}
}

func (tl *threadLoop) report(e Event) {
	if tl.scheduler.observe.IsSet() {
		e.Thread = tl.id
		tl.scheduler.observe.Call(e)
	}
}
