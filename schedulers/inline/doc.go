// Package inline is the scheduler that runs work immediately: Submit calls it, on
// the submitter's goroutine, without a handover to another one. It suits continuations
// that are a few instructions long, tests, and programs that must not start goroutines.
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
// changes: when Submit returns, all work has been run. Work that submits other work sees
// a difference: that work runs after it, not in the middle of it.
//
// The hint says whether a submission comes from inside, because Go does not reveal which
// goroutine makes a call. Work with a wrong hint runs on the goroutine of the worker that
// the hint names. Work without a hint is run at once, however deep the stack.
//
// # Waiting
//
// Work that waits for work that it has submitted would wait for itself. Two mechanisms
// prevent that: a job that is still queued may be run in place by its waiter, and a
// worker to which a wait is announced ([schedulers.Blocker]) first runs the work in its
// queue.
//
// # Panics and Goexit
//
// A panic ends at Submit, which returns nil: the submitter is not affected by the work
// that it submits. A runtime.Goexit cannot be contained: work that calls it ends its
// goroutine, which is the submitter's. The rest of the queue then runs on a new
// goroutine.
package inline
