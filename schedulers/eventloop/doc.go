// Package eventloop runs work on the one goroutine that owns something: a window, a
// game's state, a C library that must be called from the thread that opened it. It is
// the synchronisation context of other platforms.
//
// # The easy case
//
// The owner calls [Loop.Run] and is the loop from then on, locked to its OS thread:
//
//	loop := eventloop.New()
//	go compute(loop)        // posts results: loop.Post(func() { label.SetText(…) })
//	loop.Run(ctx)           // on the main goroutine
//
// Work runs one at a time, in the order of arrival. A program that cannot spare a
// thread gives the loop one of its own: [Start].
//
// # A foreign main loop
//
// A toolkit that has a main loop of its own calls [Loop.RunPending] from it, which runs
// the queued work and returns. To avoid polling, [OnWake] names a function that is
// called when work arrives at an empty queue; it posts an event of the toolkit's kind.
// Work that arrives while RunPending runs is left for the next call; otherwise the
// toolkit's own events would starve.
//
// # Sleeping without losing a wake-up
//
//	the submitter                    the owner
//	S1 under mu: push                O1 under mu: pop; if there was work, run it, again O1
//	S2 if the queue was empty, put   O2 take the token out of wake, waiting for it
//	   a token into wake, unless     O3 go to O1
//	   there is one
//
// If O1 finds nothing, the next S1 finds the queue empty and is followed by its
// S2, and the token stays in the channel until O2 takes it, whether or not the
// owner is already waiting. A token left behind by work that has already run
// makes the owner look once in vain. A goroutine that stops being the owner while
// work is queued puts a token there, too.
//
// # Waiting inside
//
// A wait on the owner's goroutine would stop the loop, and forever if the awaited
// operation needs the loop. So the loop pumps: it runs the queued work, nested inside
// the work that waits. The worker offers, in order of preference:
//
//   - a job that is queued here is run in place by its waiter ([Loop.MayRunInPlace]);
//   - Pump ([schedulers.Pumper]) runs work until the awaited event, and sleeps in
//     between: job.Wait and everything built on it do that; also as [Loop.Pump], for a
//     program that waits in the middle of a handler, as modal dialogs do;
//   - Block ([schedulers.Blocker]), which does not know when the wait ends: it runs the
//     queued work, and then lets the wait begin. Work that arrives later stays queued
//     until that wait is over.
//
// Nested work runs on top of the stack of the work that waits, which continues when
// everything begun above it has ended. So nested work must not wait for that work: for
// its job, or for a lock that it holds. The loop has only one stack, and the work
// beneath cannot run until the work above it returns. Code on an event loop therefore
// reads better with await than with Wait.
//
// # Identifying the owner
//
// Only the owner may do any of these, and a worker in a context does not prove that the
// caller is the owner. The thread does: the owner is locked to its OS thread, so no
// other goroutine ever runs there. Linux and Windows provide the thread's id. Elsewhere
// the loop does not know, and prefers an error to running work on a wrong thread: work
// is not run in place, and a wait that is announced while work is queued is refused
// with [schedulers.ErrWouldDeadlock]. Loop.Pump works everywhere, since its caller
// asserts that it is the owner.
//
// # Goexit
//
// Work that calls runtime.Goexit ends the owner's goroutine: Run does not return then.
// The loop keeps its queued work for the next caller of Run. A loop made by Start
// continues on a new goroutine, on whatever thread that gets.
package eventloop
