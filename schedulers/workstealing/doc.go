// Package workstealing is Go's own scheduler algorithm, one level up: the work of this
// module corresponds to goroutines, and goroutines correspond to threads.
//
// # Three letters
//
//	work  (Go's G)  one work item; it runs once, until it returns
//	worker (M)      a goroutine; as many as needed
//	processor (P)   the right to run, with a queue of its own; p of them
//
// A worker takes work only while it holds a processor, so at most p work items
// that have not blocked run at a time. A worker that is about to block hands off
// its processor ([schedulers.Blocker]). A worker that blocks without announcing it loses
// its processor after a while without progress. Either finishes its work without a
// processor: see [Processors].
//
// # Where work waits
//
// Work submitted by a worker goes to its processor: into the slot "next", whose former
// content moves to the end of the processor's queue. All other work goes to the global
// queue, and so does half of a local queue that is full (256 entries).
//
// # Where a worker searches
//
//  1. every 61st time, the global queue: otherwise work that keeps submitting
//     more work would starve it
//  2. the slot next, but no more than three times in a row; then its own queue
//  3. the queues of other processors, starting from a random one: the thief takes half
//  4. the global queue
//  5. all queues once more, after it has given its processor back (see spin.go)
//
// Go's scheduler polls the network between 4 and 5. This one has nothing to poll:
// timers and completions submit the work that waits for them.
//
// # Fairness
//
// The guarantee follows tokio's. If never more than N work items are queued, and none
// runs for longer than T without returning or announcing that it blocks, then each work
// item starts no later than
//
//	(61 × N + 1046) × T
//
// after it was submitted, however often other work items submit themselves again, and in
// whichever processor's queue it waits. The bound is the sum of the waits that the limits
// above allow, counted in work items that the processor with the queue starts:
//
//   - at position g of the global queue, 61 × g: each processor serves that
//     queue first every 61st time;
//   - at position n of a local queue (the slot counts as the last position), 4n + n/15 +
//     1: three items from the slot before each item of the queue, and one in 61 from the
//     global queue. With n = 257, the maximum, this is 1046;
//   - stolen work has fewer work items in front of it afterwards than before; and
//     work that spills over from a full queue has at most N in front of it in the
//     global one, and does not come back.
//
// The count belongs to the processor and not to its worker, so a handoff changes nothing.
// Work that blocks without announcing it breaks the condition; its processor is handed off
// after twice [Patience].
//
// # Watching it
//
// The option [Trace] reports each decision as an [Event]. While the execution tracer runs,
// its trace contains each event too: `go tool trace` shows it as a log message under the
// scheduler's [Name]. The command
//
//	go -C lab run ./experiments sharing spinning
//
// of this module compares stealing with its alternative, sharing, in which the
// submitter hands work to the least loaded processor: it counts how much work changes
// processors under load, and with almost nothing to do. It also measures the cost and
// the benefit of spinning for longer ([Looks]).
//
// # Sources
//
// The algorithm, its search order and its numbers are those of Go's runtime (Vyukov's
// design "Scalable Go Scheduler", and the comment on worker parking in runtime/proc.go).
// The limit on the slot is tokio's. Two things differ. A worker that finds nothing ends,
// since starting a goroutine costs as little as waking one. And each queue has a lock,
// since a hint does not prove ownership.
package workstealing
