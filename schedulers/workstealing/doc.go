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
// The guarantee, in the manner of tokio's: if at no time more than N works are queued, and no work runs for longer than T
// without returning or saying that it blocks, then each work is started at the latest
//
//	(61 × N + 1046) × T
//
// after it was submitted, however the others feed themselves, whichever processor it waits at. It is the sum of what the
// limits above allow, counted in starts of the processor at whose queue it waits:
//
//   - at place g of the global queue, 61 × g: each processor serves that queue first every 61st time;
//   - at place n of a local queue (the slot counts as the last), 4n + n/15 + 1: three of the slot before each of the
//     queue, and one in 61 of the global queue. With n = 257, the most, this is 1046;
//   - what is stolen has fewer works in front of it afterwards than before; and what spills over from a full
//     queue has at most N in front of it in the global one, and does not come back.
//
// The count belongs to the processor and not to its worker, so handing on changes nothing. Work that blocks without
// saying so breaks the condition; its processor is handed on after two times [Patience].
//
// # Watching it
//
// The option [Trace] reports each decision as an [Event], and while the execution tracer runs each is in its
// trace too, to be seen with `go tool trace` as log messages under the scheduler's [Name]. The command
//
//	go run ./internal/experiments sharing spinning
//
// of this module compares stealing with its alternative, sharing, in which whoever makes work hands it to the least loaded
// processor: it counts how much work changes processors under load, and with nearly nothing to do. And it measures what
// spinning for longer ([Looks]) costs, and what it is worth.
//
// # Sources
//
// The algorithm, its order and its numbers are those of Go's runtime (Vyukov's design
// "Scalable Go Scheduler", and the comment on worker parking in runtime/proc.go). The limit on the slot
// is tokio's. What is different: a worker that finds nothing ends, since starting a
// goroutine costs as little as waking one; and queues have a lock of their own, since a hint is no
// proof of ownership.
package workstealing
