// Package eventloop runs work on the one goroutine that owns something: a window, a
// game's state, a C library that must be called from the thread that opened it. Other
// platforms call it a synchronisation context.
//
// # The easy case
//
// The owner calls [Loop.Run] and from then on runs the loop, locked to its OS thread:
//
//	loop := eventloop.New()
//	go compute(loop)        // posts results: loop.Post(func() { label.SetText(…) })
//	loop.Run(ctx)           // on the main goroutine
//
// Work runs one at a time, in the order of arrival. A program that cannot spare a
// thread gives the loop a separate one with [Start].
//
// # A foreign main loop
//
// A toolkit that has a main loop of its own calls [Loop.RunPending] from it, which runs
// the queued work and returns. To avoid polling, [OnWake] sets a function that is called
// when work arrives at an empty queue; it posts an event to the toolkit's loop. Work that
// arrives while RunPending runs is left for the next call; otherwise the toolkit's own
// events would starve.
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
// owner is already waiting. A token left behind by work that has already run makes the
// owner check the queue once for nothing. A goroutine that stops being the owner while
// work is queued puts a token there, too.
//
// # Waiting inside
//
// A wait on the owner's goroutine would stop the loop, and forever if the awaited
// operation needs the loop. So the loop pumps: it runs the queued work, nested inside
// the work that waits. There are three ways, in order of preference:
//
//   - A job that is queued here is run in place by its waiter ([Loop.MayRunInPlace]).
//   - Pump ([schedulers.Pumper]) runs work until the awaited event, and sleeps in
//     between. job.Wait and everything built on it do that. Programs that wait in the
//     middle of a handler, as modal dialogs do, call [Loop.Pump].
//   - Block ([schedulers.Blocker]) does not know when the wait ends. It runs the queued
//     work, and then lets the wait begin. Work that arrives later stays queued until that
//     wait is over.
//
// Nested work runs on top of the stack of the work that waits, which continues when
// everything begun above it has ended. So nested work must not wait for that work: for
// its job, or for a lock that it holds. The loop has only one stack, and the work
// beneath cannot run until the work above it returns. Code on an event loop should
// therefore prefer await to Wait.
//
// # Identifying the owner
//
// Only the owner may do any of these, and a worker in a context does not prove that the
// caller is the owner. The thread does: the owner is locked to its OS thread, so no
// other goroutine ever runs there. Linux and Windows provide the thread's id. Elsewhere
// the loop cannot identify its owner, and an error is better than running work on a wrong
// thread: work is not run in place, and a wait that is announced while work is queued is
// refused with [schedulers.ErrWouldDeadlock]. Loop.Pump works everywhere, since its
// caller asserts that it is the owner.
//
// # Goexit
//
// Work that calls runtime.Goexit ends the owner's goroutine: Run does not return then.
// The loop keeps its queued work for the next caller of Run. A loop made by Start
// continues on a new goroutine, and on that goroutine's thread.
package eventloop
