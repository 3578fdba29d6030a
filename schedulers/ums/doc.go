// Package ums is user-mode scheduling: a program schedules its own worker threads, one decision at a
// time, and is told when a worker has blocked, so that it can run another one on the same processor. Windows had
// it in its kernel (x64, versions 7 to 10) and has given it up; for Linux it was proposed and not taken. This is the
// model in plain Go, without a kernel, on every system.
//
// Two layers: the mechanism ([CompletionList], [Worker], [Thread], [EnterSchedulingMode]), which decides nothing, and
// [Scheduler], a ready-made scheduler on top of it that decides by a [Policy] of its user's.
//
// # The parts
//
//	                  new workers, and those whose blocking has ended
//	                                      │  (nobody but the system writes there)
//	                                      ▼
//	                           ┌── completion list ──┐
//	                           └──────────┬──────────┘
//	                                      │ Dequeue: all of them
//	startup, blocked, yielded             ▼
//	   ┌──────────────────▶ entry point ── ready queue of its own
//	   │                                  │ Execute: one of them
//	   └───────────── worker ◀────────────┘
//
// A worker is a goroutine of its own, with a context: its state, its counters, and a value of the user's. A
// scheduler thread is the goroutine that has called EnterSchedulingMode. It alternates between two things: its
// entry point, which decides, and the worker that the entry point has decided for. At most one worker runs for each
// thread, and none runs that was not picked.
//
// # The easy case: a worker yields
//
// [Worker.Yield] parks the worker's goroutine and activates the thread, whose entry point is called with the reason
// [WorkerYielded], the worker, and the parameter of the yield. What becomes of the worker is the entry point's business:
// the system does not put it on a list.
//
// # A worker blocks
//
// A kernel sees a thread block. Nothing in Go does, so a blocking call is marked: [Block], or [schedulers.Blocker] by
// what waits on behalf of its caller, as a job's Wait does. The thread is activated with [WorkerBlocked], which has no
// parameter and names no worker, and picks another one; the call goes on beside it, as system calls do. When the call
// has ended, the worker does not go on: it appears on its completion list, and runs when it is picked.
//
// # A worker blocks and does not say so
//
// A blocking call that is not marked holds its thread. The mechanism cannot see it. A
// [Scheduler] can guess: Go tells how many goroutines run, so it is known how many of the
// workers wait that are said to run, though not which. While others are ready, the ones that
// have run for the longest time lose their threads, which are activated with the cause [Noticed]
// ([Notice] says how often; notice.go how). What blocks is not touched by that, and cannot be
// held up when it goes on: it runs beside the threads then, up to its next marked call or yield,
// from where it appears on the completion list. This is the limit of the model without a kernel.
// Page faults go unseen, too.
//
// # A worker ends
//
// The thread is activated with WorkerBlocked and the cause [Ended], for that worker will never go on, and
// its context appears on the list once more, terminated, to be cleaned up with [Worker.Delete].
//
// # States of a context
//
//	state       set by                       is where                           may become
//	Created     NewWorker                    on its list, or dequeued           Running, Terminated
//	Running     Execute                      on a thread                        Blocked, Ready, Terminated
//	Blocked     Block, or being noticed      nowhere: its goroutine is in a call  Ready, Terminated
//	Ready       the end of a call, or Yield  on its list, or dequeued           Running, Terminated
//	Terminated  the end of its function      on its list, or dequeued           —
//
//	            Execute          Block
//	Created ──────────────▶ Running ─────▶ Blocked
//	   │                    │ ▲  │            │
//	   │              Yield ▼ │  │            │ the call has ended
//	   │                    Ready ◀───────────┘
//	   │ Withdraw                │ the function has ended
//	   └──────▶ Terminated ◀─────┘
//
// The edges from Blocked and Ready to Terminated belong to the case that the next heading is
// about, and to workers that were noticed. For those, Yield takes the edge from Blocked to
// Ready.
//
// # A context given to another goroutine
//
// A worker is named by a context, and users pass contexts to other goroutines. So it happens that a goroutine calls
// Block or Yield in the name of a worker that runs on. It must do no more harm than one more that runs:
//
//   - Who leaves Running activates the thread, and exactly one goroutine does, whoever calls: it is an edge of the
//     state, taken under the list's lock. The others pass through.
//   - Who makes the state Ready parks, and each edge from Ready to Running lets one go. So there are as many
//     tokens as goroutines that park, and it does not matter which of them gets which.
//   - If the function ends while somebody is parked in its name, the end lets that one go.
//
// # Locked contexts
//
// A context that somebody holds ([Worker.Hold]), for a debugger or to look at it while it does not move, is locked:
// Execute fails with [ErrLocked], and the entry point picks another one. Trying again in a loop would keep the thread from everything else, so the system
// remembers the attempt: when the lock is gone, the context appears on its list, and is tried again from there.
//
// # No lock is shared between scheduler and workers
//
// An entry point that waits for a lock which a worker holds waits for ever: the worker can be blocked, and go on only
// when the entry point has picked it. The rule is therefore that a lock is used on one side. [Mutex] holds it: the first to
// lock it decides, and the other side gets an error, on the first attempt and not once in a million. The lock under which
// policies of this package are called is one of them. The system's own lock, that of the list, is used by
// both sides, and allowed to be: no foreign code runs under it and nothing blocks under it.
//
// A lock can hide in what one calls: a log, an allocator of a library. Work of that kind is delegated to a worker, by
// [Scheduler.Delegate].
//
// # Waking, and why no worker is forgotten
//
// Threads of a Scheduler share one list and one line of ready workers. Those that find nothing park.
//
//	who has put a worker on the list       a thread
//	L1 under the list's lock: append       T1 dequeue all, put them in line, under the line's lock
//	L2 if none is due: event               T2 take one, under the line's lock; if more are left: token
//	                                       T3 if there was none: park until event or token; go to T1
//
// After L2 the event is due until T1, and stays until a thread takes it, and that thread goes to
// T1. A thread whose worker has ended on its own goroutine leaves L2 out, since it goes to T1
// itself. A thread that leaves workers in line at T2 leaves a token, and who takes it goes to
// T1, too; a token more does no harm. So whenever a worker is on the list or in line, then an
// event or a token is there, or a thread is on its way to T1 or T2: nobody parks for good.
//
// # A policy that fails
//
// The line knows all workers that are ready, in the order in which they became so, and a policy only chooses from
// them. One that panics, exits, returns a worker that is not in line, or none although there are some, is dropped: from then on the
// line is served from its head. There is nothing to hand over, and so nothing to lose.
//
// # What the threads are
//
// Goroutines, not locked OS threads: handing over between those takes some 30 µs and here is a
// hand-over at each decision. A program that wants a locked one locks it and then calls
// EnterSchedulingMode, which does not leave the caller's goroutine. A worker may lock its own;
// it stays on that thread through all blocking and yielding.
//
// A thread of a Scheduler is a role that passes from goroutine to goroutine. It lends its
// goroutine to each new worker. Most of them end without having blocked, and the thread goes on
// where it was; when one blocks, the goroutine is the worker's from then on, and the thread goes
// on on another one. With [Affinity] each of these goroutines has a thread of the system, bound
// to a processor.
//
// # What it costs
//
// A context for each piece of work, a decision under the policy's lock, and its way over the
// completion list, to begin and to end: 0.9 µs of processor time for work that does nothing,
// where the pool needs 0.2 (100 000 pieces of work on two threads). Half of it is locks, the
// rest is memory: a context has 168 bytes, and is touched in each of these steps. What blocks
// costs a goroutine and two hand-overs more. It is worth that where the choice of what runs next
// is a decision, and not where there is just a lot of work.
//
// # Advice
//
// Mark few and large blocking calls rather than many small ones: each costs an activation and a turn in line. Do
// not build on priorities or processors of the operating system: a worker runs for a different thread each time.
//
// # Waiting, in terms of the contract
//
// A wait inside of work of a Scheduler hands its place on, and goes on in its turn. Queued work may be run in place by who
// waits for it on one of its workers. So nested waits do not hang, with one thread either.
package ums
