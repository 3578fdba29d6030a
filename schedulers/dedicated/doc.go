// Package dedicated is a scheduler with OS threads of its own. It is for a C library
// that must be called from one thread, for work that must not share a thread, and for
// work that has to start at once however busy the rest of the program is.
//
// Each of its n workers is a goroutine that is locked to its thread for life
// (runtime.LockOSThread): no other goroutine ever runs on that thread, and the worker
// runs on no other. They share one queue, first in, first out. A worker starts when it is
// first needed and then stays, parked while it has nothing to do, until Shutdown; so a
// program that does not shut the scheduler down keeps its threads.
//
// # Waiting inside
//
// A wait for a job that is still queued here runs the job in place. A wait for anything
// else blocks the thread, as one expects of a dedicated thread. While all threads wait,
// one of them runs two kinds of work on top of its wait, the newest first: work that
// was submitted on it, and work that continues something that has started before
// (machines, continuations). Otherwise a sum of several jobs, a countdown or a set
// would never complete. Other work stays queued; wait.go says why. A thread whose work
// yields ([dispatch.Yield]) serves the whole queue, the oldest work first, until the
// turn of that work comes.
//
// If all threads wait, each for work of this very scheduler, and nothing of those
// two kinds is queued, the last one gets ErrWouldDeadlock instead of waiting
// ([dispatch.HomeBlocker]); block.go explains what can be known. A thread that
// waits for anything else may continue, so such a wait is never refused: an error
// for a wait that would have ended is worse than a wait that a context can end. A
// machine that suspends does not wait in this sense. It leaves its thread, and needs a
// thread again to continue. A thread that waits for the machine with Wait delays it; a
// machine that awaits it does not.
//
// # State of a thread
//
// [OnThread] runs functions on each thread before its first and after its last work.
// [WithState] keeps a value for each thread, which work finds with [State]: a C
// library's handle, say, which one thread has to open, use and close. [Affinity] binds
// threads to processors, where the system supports that.
//
// # Long-running work
//
// The flag [schedulers.LongRunning] has no effect on [Threads]: work that was submitted to
// them belongs to their state. Work that needs a thread of its own for as long as it runs
// calls runtime.LockOSThread, with that flag on a pool, or on a goroutine scheduler.
//
// # What it costs
//
// Waking a parked worker that is locked to a thread takes a handover between two OS
// threads: some 30 µs for the round trip, a hundred times the cost on other schedulers.
// Work that needs no thread of its own belongs on another scheduler.
//
// # Goexit
//
// Work that calls runtime.Goexit ends its goroutine and, because the goroutine was
// locked, its thread. A new thread takes over the worker and its ID.
package dedicated
