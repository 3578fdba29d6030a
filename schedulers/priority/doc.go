// Package priority runs urgent work first, over any scheduler, and keeps less urgent
// work from waiting forever.
//
// Work belongs to a level, 0 being the most urgent. [Scheduler.Group] returns a
// scheduler for work of one level; moving the group to another level moves its queued
// work, too.
//
// # Ageing without a clock
//
// If level 0 always came first, a steady stream of urgent work would starve the
// rest. The usual cure is to raise work that has waited for a while, which needs
// a clock, a sweep over the queues, and a guess at how long a while is. Here each
// item is given a position once, when it is queued:
//
//	position = number of its arrival + level × age
//
// and the lowest position goes first. With an age of 32, an item of level 2 is placed as
// if it had arrived 64 items later. Every item that arrives after those 64 runs after it,
// however urgent: ageing happens by itself, because the arrival numbers grow.
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
// An item of level l is overtaken by fewer than l × age later items. Proof: an item with
// arrival number m and level k overtakes one with arrival number n < m and level l only
// if m + k·age < n + l·age, so m − n < l·age. The bound is in items, not in time, and does
// not depend on how fast they arrive. It holds for items whose group is not moved while
// they wait.
//
// An age of 1 is almost first come, first served; a huge age is almost strict priority.
// Strict priority itself is not offered, since under it some work starves.
//
// # Tickets
//
// For each item one ticket is submitted to the scheduler beneath, and the item to run
// is chosen when the ticket is used (package shim has the protocol). So an urgent item
// that arrives while the scheduler beneath has a long queue of tickets is run by the
// first of them.
//
// # Waiting
//
// The shim holds no workers of the scheduler beneath, so work may wait: its workers pass
// the announcement of a wait on, and queued work may be run in place if the scheduler
// beneath consents.
package priority
