// Package inline is the scheduler that runs work immediately: Submit calls it, on
// the submitter's goroutine. It needs no queue, no other goroutine, and no
// handover. It suits continuations that are a few instructions long, tests, and
// programs that must not start goroutines.
//
// # The stack
//
// The obvious implementation is the call and nothing else:
//
//	func (s *Scheduler) Submit(w Work, _ Hint) error { w.Run(nil); return nil }
//
// It is wrong for work that submits work. A chain of a million continuations
// would be a million calls deep. So work that is submitted from inside work of
// this scheduler waits in a queue of the outermost Submit, which runs it when its
// current work has returned (a trampoline). For the outermost submitter nothing
// changes: when Submit returns, all work has been run. For work it means that the
// work it submits runs after it, not in the middle of it.
//
// The hint says whether a submission comes from inside, because Go does not tell on
// which goroutine a call runs. A wrong hint makes the work run on the goroutine of the
// worker that it names. Work without a hint is run at once, however deep the stack.
//
// # Waiting
//
// Work that waits for work that it has submitted would wait for itself. Two mechanisms
// prevent that: a job that is still queued may be run in place by its waiter, and a
// worker that is told of a wait ([schedulers.Blocker]) first runs the work in its
// queue.
//
// # Panics and Goexit
//
// A panic ends at Submit, which returns nil: the submitter is not affected by the work
// that it submits. A runtime.Goexit cannot be contained: work that calls it ends its
// goroutine, which is the submitter's. The rest of the queue then runs on a goroutine
// of its own.
package inline
