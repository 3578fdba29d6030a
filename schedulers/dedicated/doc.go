// Package dedicated is a scheduler with OS threads of its own: for a C library that wants
// to be called from one thread, for work that must not share a thread with
// anything, for work that has to start at once however busy the rest of the program is.
//
// Each of its n workers is a goroutine that is locked to its thread for life
// (runtime.LockOSThread): no other goroutine ever runs on that thread, and the worker on no other. They
// share one queue, first in, first out. A worker starts when it is first needed and then
// stays, parked while there is nothing to do, until Shutdown; so a program that does not
// shut the scheduler down keeps its threads.
//
// # Waiting inside
//
// A wait for a job that is still queued here runs it in place. A wait for anything else blocks
// the thread: that is what a thread of one's own is. While all threads wait, one of them runs on
// top of its wait what was submitted on it, and what goes on with something that has started
// before (machines, continuations), the newest first: a sum of several jobs, a countdown, a set
// would never come about otherwise. Other work stays queued; wait.go says why. If all threads
// wait, each for work of this very scheduler, and nothing of that kind is queued, the last one
// is told ErrWouldDeadlock instead of waiting ([schedulers.HomeBlocker]); what is known for
// that, and what is not, is in block.go. A thread that waits for anything else may go on, so
// such a wait is never refused: an error for a wait that would have ended were worse than a wait
// that a context can end. A machine that suspends does not wait in this sense. It leaves its
// thread, and needs one again to go on: a thread that waits for it with Wait holds it up, one
// that awaits it does not.
//
// # State of a thread
//
// [OnThread] runs functions on each thread before its first and after its last work, and [WithState] keeps a value for
// each thread, which work finds with [State]: a C library's handle, which one thread has to open, use and close.
//
// # Long-running work
//
// [Runner] gives each work a thread of its own, for as long as it runs, however many there are. The flag
// [schedulers.LongRunning] has no effect on [Threads]: what was submitted to them belongs to their state.
//
// # What it costs
//
// Waking a parked worker that is locked to a thread means a hand-over between two OS
// threads, there and back some 30 µs, a hundred times what the other schedulers pay.
// Work that needs no thread of its own belongs on one of those.
//
// # Goexit
//
// Work that calls runtime.Goexit ends its goroutine and, because that was locked, its
// thread. A new thread takes the place and the ID.
package dedicated
