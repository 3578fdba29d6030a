// Package pool is the default scheduler: a pool of goroutines, modelled on the standard task scheduler of .NET, that
// holds no goroutine while it is idle.
//
// # One queue
//
// The easy pool is a queue and some workers:
//
//	Submit ──▶ [ global queue, first in first out ] ──▶ worker, worker, worker
//
// It is fair, and it is slow where work makes work: all workers meet at one lock, and what a
// work has just made, whose data is in its processor's cache, goes to the end of a queue and to some other worker.
//
// # A queue for each worker
//
// So work that is submitted by work goes to the queue of its worker, and that worker takes it before
// anything else, the newest first:
//
//	submitted from outside, or with PreferFairness     submitted by work of this worker
//	              │                                                │
//	              ▼                                                ▼
//	      [ global: FIFO ]                          [ local: its owner LIFO, thieves FIFO ]
//
// Of two nested jobs the second one therefore runs first: t2 before t1. [schedulers.PreferFairness] is for where that is wrong.
//
// # Stealing
//
// A worker with nothing of its own takes from the global queue; if that is empty, from the other end of somebody
// else's: the oldest, which is the least likely to be in a cache, and, where work divides itself, the
// largest. The order global before stealing is .NET's; Go's scheduler has it the other way round (package workstealing).
// Every 61st time a worker looks at what is old first, so that work that feeds itself starves nobody.
//
// # Starting and ending
//
// Here begins the difficulty. An idle pool holds no goroutine: a worker that finds nothing ends, and a submission starts
// one if fewer run than may. (That measured faster than parking and waking: a goroutine that starts is as
// cheap as one that wakes, and one that has ended needs no list to be found in.) Nobody may conclude "there is a worker"
// from one that is just about to conclude "there is no work". The protocol and its proof are in idle.go.
//
// # Waiting inside
//
// Work that waits for other work holds its worker, and a pool of which all workers wait for what is queued
// behind them hangs. There are four ways out, the cheapest first:
//
//   - The waiter runs in place what it waits for, if that is still queued ([Pool.MayRunInPlace]): Wait of a job does, and so a
//     wait for several that waits for one after the other. A wait for any of several does not:
//     which of them will be first cannot be known, and running one of them might take longer than waiting for another.
//   - The waiter says that it blocks ([schedulers.Blocker]), and another worker runs meanwhile. All waits of this module do.
//   - The waiter says nothing, since it sits in a channel, a sleep or a system call. The runtime knows how many goroutines run; where
//     that is fewer than there are workers, some wait, and others take their place within a millisecond (replace.go).
//   - Nothing moves, and the runtime's counts do not tell why: then the pool adds workers until something does ([AddAfter], stall.go).
//
// A machine that awaits needs none of these. It is no work any more while it waits.
//
// # How many workers
//
// [Workers] gives two bounds. The pool runs as many as the lower one says, which by default is the number of processors: right for
// work that computes. Stalls add more, up to the upper one; [HillClimbing] searches between the two for the number that
// gets most done. Both bounds can be changed while the pool runs ([Pool.SetWorkers]). Work that is known to run for long is
// better flagged [schedulers.LongRunning], and then has a goroutine outside of the pool's workers: unflagged it looks like a stall.
//
// # Too much work
//
// The queues have no limit by default. [QueueLimit] sets one, and says what happens to work for which there is no
// room: it is refused, its submitter waits, or its submitter runs it.
//
// # What is promised
//
// Work from outside begins in the order in which it came; nothing is said about the order in which it ends. A panic in
// work ends that work alone; so does runtime.Goexit, after which a new goroutine takes the worker's place. [Pool.Shutdown] lets
// everything run that was accepted, or abandons what is queued when its context ends. [Pool.Metrics] add up.
package pool
