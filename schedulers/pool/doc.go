// Package pool is the default scheduler: a pool of goroutines, modelled on .NET's
// standard task scheduler, that holds no goroutine while it is idle.
//
// # One queue
//
// The simplest pool is one queue and some workers:
//
//	Submit ──▶ [ global queue, first in first out ] ──▶ worker, worker, worker
//
// It is fair, but slow where work submits work. All workers contend for one lock.
// Work that was just created, and whose data is in its processor's cache, goes to
// the end of the queue and then to some other worker.
//
// # A queue for each worker
//
// Work submitted by work therefore goes to its worker's own queue. The worker takes
// from that queue before any other, the newest work first:
//
//	submitted from outside, or with PreferFairness     submitted by work of this worker
//	              │                                                │
//	              ▼                                                ▼
//	      [ global: FIFO ]                          [ local: its owner LIFO, thieves FIFO ]
//
// Of two nested jobs the second therefore runs first: t2 before t1. Use
// [schedulers.PreferFairness] if that is wrong.
//
// # Stealing
//
// A worker whose own queue is empty takes from the global queue. If that is empty
// too, it steals from the other end of another worker's queue. That end holds the
// oldest work, which is the least likely to be in a cache and, where work divides
// itself, the largest. Looking at the global queue before stealing is .NET's
// order; Go's scheduler steals first (package workstealing). Every 61st time a
// worker takes old work first, so that work that keeps submitting more work
// starves no other work.
//
// # Starting and ending
//
// Here the difficulty begins. An idle pool holds no goroutine: a worker that finds
// nothing ends, and a submission starts a worker if fewer run than may. (In measurements
// this was faster than parking and waking: starting a goroutine costs no more than waking
// one, and an ended goroutine needs no list in which to find it.) A submitter must not
// rely on a worker that is just about to end because it found no work. The protocol and
// its proof are in idle.go.
//
// # Waiting inside
//
// Work that waits for other work holds its worker. A pool hangs if all its workers wait
// for work that is queued behind them. The pool has four remedies, the cheapest first:
//
//   - The waiter runs the awaited work in place, if that is still queued
//     ([Pool.MayRunInPlace]). A job's Wait does this, and so does a wait for several
//     jobs that waits for them one after the other. A wait for any of several jobs does
//     not: running one of them might take longer than waiting for another.
//   - The waiter reports that it blocks ([schedulers.Blocker]), and another worker runs
//     meanwhile. All waits of this module do.
//   - The waiter reports nothing, since it is inside a channel operation, a
//     sleep or a system call. The runtime knows how many goroutines run. If they are
//     fewer than the workers, some workers wait, and others replace them within a
//     millisecond (replace.go).
//   - No work makes progress, and the runtime's counts do not explain it: the pool adds
//     workers until some does ([AddAfter], stall.go).
//
// A machine that awaits needs none of these: while it waits, it is not work.
//
// # How many workers
//
// [Workers] sets two bounds. The pool runs as many workers as the lower bound, which by
// default is the number of processors: right for work that computes. Stalls add more,
// up to the upper bound; [HillClimbing] searches between the two for the highest
// throughput. Both bounds can be changed while the pool runs ([Pool.SetWorkers]). Flag
// work that runs for long as [schedulers.LongRunning]; it then gets a goroutine outside
// the pool's workers. Without the flag it looks like a stall.
//
// # Too much work
//
// By default the queues have no limit. [QueueLimit] sets one and selects what happens
// to work that finds the queue full: it is refused, its submitter waits, or its
// submitter runs it.
//
// # What is promised
//
// Work from outside starts in the order of its submission; the order in which it ends
// is unspecified. A panic in work ends that work alone. So does runtime.Goexit, after
// which a new goroutine replaces the worker's. [Pool.Shutdown] runs all accepted work, or
// abandons the queued work when its context ends. The counters of [Pool.Metrics] add up.
package pool
