// Package workstealing is Go's own scheduler algorithm, one level up: the work of this
// module takes the place of goroutines, and goroutines take the place of threads.
//
// # Three letters
//
//	work  (Go's G)  something to run once; it runs until it returns
//	worker (M)      a goroutine; there are as many as are needed
//	processor (P)   the right to run, with a queue of its own; there are p of them
//
// A worker runs work only while it holds a processor, so at most p run at a time. A worker
// that is about to block hands its processor on ([schedulers.Blocker]); one that blocks
// without saying so has it taken away when nothing has moved for a while.
//
// # Where work waits
//
// Work submitted by a worker goes to its processor: into the slot "next", whose former
// content moves to the end of the processor's queue. All other work goes to the global
// queue, and so does half of a local queue that is full (256 places).
//
// # Where a worker looks
//
//  1. every 61st time, the global queue: else work that feeds itself would keep it waiting for ever
//  2. the slot next, but no more than three times in a row; then the own queue
//  3. the queues of others, from a random one on: the thief takes half
//  4. the global queue
//  5. everything once more, after it has given its processor back (see spin.go)
//
// Go's scheduler polls the network between 4 and 5. Here there is nothing to poll: what
// waits for timers or completions is submitted by those.
//
// # Fairness
//
// Work in the global queue is started after at most 61 × (its place in the queue) other works of one
// processor, work at place n of a local queue after at most 4 × n + n/15 starts of that processor, provided
// that each work returns. The numbers are those of the two limits above.
//
// # Sources
//
// The algorithm, its order and its numbers are those of Go's runtime (Vyukov's design
// "Scalable Go Scheduler", and the comment on worker parking in runtime/proc.go). The limit on the slot
// is tokio's. What is different: a worker that finds nothing ends, since starting a
// goroutine costs as little as waking one; and queues have a lock of their own, since a hint is no
// proof of ownership.
package workstealing
