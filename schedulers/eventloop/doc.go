// Package eventloop runs work on the one goroutine that owns something: a window, a
// game's state, a C library that wants to be called from the thread that has opened it. It
// is the synchronisation context of other platforms.
//
// # The easy case
//
// The owner calls [Loop.Run] and is the loop from then on, locked to its OS thread:
//
//	loop := eventloop.New()
//	go compute(loop)        // posts results: loop.Post(func() { label.SetText(…) })
//	loop.Run(ctx)           // on the main goroutine
//
// Work runs one piece at a time, in the order of arrival. Who has no thread to give
// lets the loop have one of its own: [Start].
//
// # A foreign main loop
//
// A toolkit that has a main loop of its own calls [Loop.RunPending] from it, which runs what is queued
// and returns. So that it does not have to poll, [OnWake] names a function that is called when
// work arrives at an empty queue; it posts an event of the toolkit's kind. Work that arrives while
// RunPending runs is left for the next time, or the toolkit's own events would starve.
//
// # Sleeping without losing a wake-up
//
//	who submits                      the owner
//	S1 under mu: push                O1 under mu: pop; if there was work, run it, again O1
//	S2 if the queue was empty, put   O2 take the token out of wake, waiting for it
//	   a token into wake, unless     O3 go to O1
//	   there is one
//
// If O1 finds nothing, the next S1 finds the queue empty and is followed by its S2, and the
// token stays in the channel until O2 takes it: it does not matter whether the owner
// waits already. A token that was left by work long run makes the owner look once in vain. Who
// stops being the owner while work is queued puts a token there, too.
//
// # Waiting inside
//
// A wait on the owner's goroutine would stop the loop, and for ever if what is waited for needs the loop. So
// the loop pumps: it runs what is queued, nested inside of the work that waits. What the
// worker offers, in the order of preference:
//
//   - a job that is queued here is run in place by who waits for it ([Loop.MayRunInPlace]);
//   - Pump ([schedulers.Pumper]), which runs work until something has happened, and sleeps in between: job.Wait and all
//     that is built on it does that; also as [Loop.Pump], for a program that wants to wait in the middle of a handler, as
//     modal dialogs do;
//   - Block ([schedulers.Blocker]), which knows no end to wait for: it runs what is queued, and then lets
//     the wait begin. What arrives later stays where it is until that wait is over.
//
// Nested work runs on top of the stack of the work that waits, which goes on when all that
// was begun above it has ended. So nested work must not wait for that work: for its job, or for a lock that it holds. There is only
// one stack, and nobody could run what is beneath. Code on an event loop therefore reads better with await than with Wait.
//
// # Who is the owner
//
// Only the owner may do any of these, and a worker in a context is no proof of being
// it. The thread is: the owner is locked to its OS thread, so no other goroutine ever runs there. Linux
// and Windows tell the thread's id. Elsewhere the loop does not know, and prefers an error to running work on a
// wrong thread: work is not run in place, and a wait that is announced while work is queued
// is refused with [schedulers.ErrWouldDeadlock]. Loop.Pump works everywhere, since who calls it says that it
// is the owner.
//
// # Goexit
//
// Work that calls runtime.Goexit ends the owner's goroutine: Run does not return then. The loop keeps
// what is queued, for who calls Run next. A loop made by Start goes on with a new goroutine, on whatever thread that gets.
package eventloop
