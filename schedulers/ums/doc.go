// Package ums is user-mode scheduling: a program schedules its own worker
// threads, one decision at a time, and is notified when a worker has blocked, so that
// it can run another one on the same processor. Windows had it in its kernel
// (x64, versions 7 to 10) and has dropped it; for Linux it was proposed and not
// accepted. This package is the same model in plain Go, without a kernel, on every
// system.
//
// There are two layers: the mechanism ([CompletionList], [Worker], [Thread],
// [EnterSchedulingMode]), which decides nothing, and [Scheduler], a ready-made
// scheduler on top of it that decides by a user's [Policy].
//
// # The parts
//
//	                  new workers, and those whose blocking has ended
//	                                      │  (only the system writes there)
//	                                      ▼
//	                           ┌── completion list ──┐
//	                           └──────────┬──────────┘
//	                                      │ Dequeue: all of them
//	startup, blocked, yielded             ▼
//	   ┌──────────────────▶ entry point ── ready queue of its own
//	   │                                  │ Execute: one of them
//	   └───────────── worker ◀────────────┘
//
// A worker is a goroutine with a context: its state, its counters, and a user value. A
// scheduler thread is the goroutine that has called EnterSchedulingMode. It alternates
// between its entry point, which decides, and the worker that the entry point has
// picked. At most one worker runs for each thread, and only picked workers run.
//
// # The easy case: a worker yields
//
// [Worker.Yield] parks the worker's goroutine and activates the thread, whose entry
// point is called with the reason [WorkerYielded], the worker, and the parameter of the
// yield. The entry point decides what happens to the worker: the system does not put it
// on a list.
//
// # A worker blocks
//
// A kernel notices when a thread blocks. Nothing in Go does, so a blocking call is marked:
// by [Block], or by [schedulers.Blocker] in code that waits on behalf of its
// caller, as a job's Wait does. The thread is activated with [WorkerBlocked],
// which has no parameter and names no worker, and picks another worker; the call
// continues concurrently, as system calls do. When the call has ended, the worker
// does not continue: it appears on its completion list, and runs when it is
// picked.
//
// # A worker blocks in an unmarked call
//
// An unmarked blocking call holds its thread. The mechanism cannot detect it. A
// [Scheduler] can guess: Go reports how many goroutines run, so the scheduler knows
// how many of its running workers wait, though not which. While others are ready,
// the workers that have run for the longest time lose their threads, which are
// activated with the cause [Noticed] ([Notice] sets how often; notice.go explains
// how). The blocked goroutine is not touched, and cannot be held up when it
// continues: it then runs in addition to the threads, until its next marked call or yield
// puts it on the completion list. This is the limit of the model without a kernel. Page
// faults are not noticed, either.
//
// # A worker ends
//
// The thread is activated with WorkerBlocked and the cause [Ended], since that worker
// will never continue. The worker's context appears on the list once more, terminated, to
// be cleaned up with [Worker.Delete].
//
// # States of a context
//
//	state       set by                     location                  may become
//	Created     NewWorker                  on its list, or dequeued  Running, Terminated
//	Running     Execute                    on a thread               Blocked, Ready, Terminated
//	Blocked     Block, or being noticed    nowhere: in a call        Ready, Terminated
//	Ready       a call's end, or Yield     on its list, or dequeued  Running, Terminated
//	Terminated  the end of its function    on its list, or dequeued  —
//
//	            Execute          Block
//	Created ──────────────▶ Running ─────▶ Blocked
//	   │                    │ ▲  │            │
//	   │              Yield ▼ │  │            │ the call has ended
//	   │                    Ready ◀───────────┘
//	   │ Withdraw                │ the function has ended
//	   └──────▶ Terminated ◀─────┘
//
// The edges from Blocked and Ready to Terminated belong to the case under the next
// heading, and to workers that were noticed. For noticed workers, Yield takes the edge
// from Blocked to Ready.
//
// # A context given to another goroutine
//
// A worker is named by a context, and users pass contexts to other goroutines. So a
// goroutine may call Block or Yield on behalf of a worker that continues to run. Such a
// call must do no more harm than one more running goroutine:
//
//   - The call that takes the state out of Running activates the thread. Exactly one
//     call does so, from any goroutine: it is an edge of the state, taken under the list's
//     lock. Other calls have no effect.
//   - A call that makes the state Ready parks, and each edge from Ready to Running
//     releases one parked goroutine. So tokens and parked goroutines are equal in
//     number, and it does not matter which of them gets which.
//   - If the function ends while a goroutine is parked on the worker's behalf, the end
//     releases that goroutine.
//
// # Locked contexts
//
// A context can be held ([Worker.Hold]), for a debugger or to inspect it while it does
// not change. It is then locked: Execute fails with [ErrLocked], and the entry point
// picks another one. Retrying in a loop would keep the thread from all other work, so
// the system remembers the attempt: when the lock is released, the context appears on its
// list, and is tried again from there.
//
// # No lock is shared between scheduler and workers
//
// An entry point that waits for a lock held by a worker may wait forever: the worker may
// be blocked, and continues only when the entry point has picked it. Therefore a lock may
// be used on one side only. [Mutex] enforces that rule: it belongs to the side that locks
// it first, and the other side gets an error, on the first attempt and not once in a
// million. The lock under which policies of this package are called is such a lock. The
// system's own lock, that of the list, may be used by both sides: no foreign code runs
// under it and nothing blocks under it.
//
// A lock can hide in a callee: a log, an allocator of a library. Delegate calls of that
// kind to a worker, with [Scheduler.Delegate].
//
// # Waking, and why no worker is forgotten
//
// Threads of a Scheduler share one list and one queue of ready workers. Threads that
// find nothing park.
//
//	a goroutine that lists a worker        a thread
//	L1 under the list's lock: append       T1 dequeue all, queue them, under its lock
//	L2 if none is pending: event           T2 take one, under that lock; if more are left: token
//	                                       T3 if none: park until event or token; go to T1
//
// After L2 the event is pending until a thread takes it, and that thread goes to T1. A
// thread whose worker has ended on the thread's own goroutine omits L2, since it goes to
// T1 itself. A thread that leaves workers in the queue at T2 leaves a token, and the thread
// that takes it goes to T1, too; a surplus token does no harm. So whenever a worker is on
// the list or in the queue, an event or a token is pending, or a thread is on its way to T1 or
// T2: no worker is forgotten.
//
// Without a policy and an observer, T1 and T2 are one step under the list's lock, and
// submitted work needs no worker yet. It goes to an inbox that has its own lock:
//
//	the submitter                          a thread
//	S1 append to the inbox                 P1 count as idle
//	S2 if a thread is idle: token          P2 check once more: list, queue, inbox
//	                                       P3 if there is nothing: park until event or token
//
// If S1 precedes the thread's check in P2, the thread finds the work. Otherwise P1
// precedes S2, and the token is there.
//
// # A policy that fails
//
// The ready queue contains all ready workers, in the order in which they became ready,
// and a policy only chooses from them. A policy is dropped if it panics, exits,
// returns a worker that is not in the queue, or returns none although some are ready.
// From then on the queue is served from its head. The queue itself does not change, so no
// worker can be lost.
//
// # What the threads are
//
// Goroutines, not locked OS threads: a handover between OS threads takes some 30 µs,
// and each decision here is a handover. A program that needs a locked thread locks its
// goroutine and then calls EnterSchedulingMode, which does not leave the caller's
// goroutine. A worker may lock its own goroutine; it stays on that OS thread through all
// blocking and yielding.
//
// A thread of a Scheduler is a role that passes from goroutine to goroutine. It lends
// its goroutine to each new worker. Most workers end without having blocked, and the
// thread continues on its goroutine. When a worker blocks, the goroutine is the
// worker's from then on, and the thread continues on another one. With [Affinity] each
// of these goroutines has a thread of the system, bound to a processor.
//
// # What it costs
//
// An empty work item takes 0.4 µs of processor time, where the pool needs 0.15 µs
// (100 000 work items on two threads); an empty job takes 1.6 times as long as on the
// pool. These costs are low because a worker whose work ends without having blocked runs
// the next work itself. With a policy or an observer each work item takes 0.9 µs: it has a
// context of 168 bytes from the beginning, a decision under the policy's lock, and two
// passes through the completion list, one to begin and one to end. Work that blocks costs
// a goroutine and two handovers more. This pays where it matters which work runs next, and
// not where there is just a lot of work.
//
// # Advice
//
// Mark few large blocking calls rather than many small ones: each costs an activation
// and a wait in the queue. Do not rely on priorities or processors of the operating system:
// a worker runs for a different thread each time.
//
// # Waiting, in terms of the contract
//
// A wait inside work of a Scheduler gives up its thread, and continues when it is
// picked again. A worker of the Scheduler may run the queued work that it waits
// for in place. So nested waits do not hang, even with one thread.
package ums
