// Package inline is the scheduler that runs work on the spot: Submit calls it, on
// the goroutine of the submitter. There is no queue, no other goroutine, and no hand-over to pay
// for. It suits continuations that are a few instructions long, tests, and programs
// that must not start goroutines.
//
// # The stack
//
// The obvious implementation is the call and nothing else:
//
//	func (s *Scheduler) Submit(w Work, _ Hint) error { w.Run(nil); return nil }
//
// It is wrong for work that submits work. A chain of a million continuations would be
// a million calls deep. So work that is submitted from inside of work of this
// scheduler waits in a queue of the outermost Submit, which runs it when the work
// it is busy with has returned (a trampoline). For the outermost submitter nothing changes: when
// Submit returns, all has been run. For work it means that what it submits runs after it,
// not in the middle of it.
//
// What is "inside" tells the hint, because nothing in Go tells on which goroutine one is. A
// hint that is wrong makes the work run on the goroutine of the worker it
// names. Work without a hint is run at once, however deep.
//
// # Waiting
//
// Work that waits for what it has submitted would wait for itself. It has two ways
// out: a job that is still queued may be run in place by whoever waits for it, and a worker that
// is told of a wait ([schedulers.Blocker]) first runs what is in its queue.
//
// # Panics and Goexit
//
// A panic ends at Submit, which returns nil: the submitter does not suffer from what it
// submits. Nothing can be done about runtime.Goexit: work that calls it ends its goroutine,
// and here that is the submitter's. What was left in the queue then runs on a goroutine of its own.
package inline
