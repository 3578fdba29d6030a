// Package priority runs urgent work first, over any scheduler, and keeps what is not
// urgent from waiting for ever.
//
// Work belongs to a level, 0 being the most urgent. [Scheduler.Group] returns a
// scheduler for work of one level; moving the group to another level moves what it
// has queued, too.
//
// # Ageing without a clock
//
// If level 0 always came first, a steady stream of urgent work would starve the rest. The
// usual cure is to raise what has waited for a while, which needs a clock, a sweep over the
// queues, and a guess at how long is long. Here each item is given a place in line
// once, when it is queued:
//
//	place = number of its arrival + level × age
//
// and the lowest place comes first. An item of level 2, with an age of 32, stands where it
// would stand if it had come 64 items later. Whatever comes after that many others comes after it,
// however urgent: ageing has happened by itself, because the numbers of arrivals go on.
//
//	arrival  level  place        order with age 3
//	   1       2      7          2 (urgent)
//	   2       0      2          3
//	   3       0      3          4
//	   …       0      …          …
//	   6       0      6          6
//	   7       0      7          1 (its place is 7, and it is older)
//	   8       0      8          7, 8, …
//
// # The bound
//
// An item of level l is overtaken by fewer than l × age items that come after it:
// one with arrival number m and level k stands before one with n < m and l only if m + k·age <
// n + l·age, so m − n < l·age. The bound is in items, not in time, and
// does not depend on how fast they come. It holds for items whose group is not moved while they wait.
//
// An age of 1 is almost first come, first served; a huge one is almost strict.
// Strict priority, under which something starves, is not offered.
//
// # Tickets
//
// For each item one ticket is submitted to the scheduler beneath, and whose turn it is is
// decided when the ticket is used (package shim has the protocol). So an urgent item that
// comes while the scheduler beneath has a long queue of tickets runs with the first of them.
//
// # Waiting
//
// The shim holds no worker, so it does not matter to it whether work waits: its
// workers pass on that they are going to block, and what is queued may be run in place
// if the scheduler beneath consents.
package priority
