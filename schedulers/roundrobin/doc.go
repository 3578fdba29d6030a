// Package roundrobin gives batches of work equal shares of a scheduler, whatever their
// size and their order of arrival.
//
// In a pool with one queue, a thousand items that arrive before ten keep the ten
// waiting until the thousand are done. Here each batch has a queue of its own
// ([Scheduler.CreateQueue]), and the workers of the scheduler beneath visit the queues
// in turn. While two queues have work, each gets half of the workers; when one is empty,
// the other gets all. A queue is itself a scheduler, first in, first out.
//
// # In turn
//
// The queues that have work form a ring, and next points to the one that has the turn:
//
//	        next
//	         ▼
//	┌─▶ A ─▶ B ─▶ C ─┐      take one of B, and next moves to C
//	└────────────────┘
//
// A queue of weight 3 keeps the turn for three items. A queue that becomes empty leaves
// the ring; if next pointed to it, next moves to the queue after it. A queue that gets its
// first item enters the ring right before next, so it is the last to have its turn. If
// it entered at next, a queue that is filled one item at a time would always be the
// next one.
//
// Empty queues are not in the ring and cost a visit nothing, so a program may have one
// queue for each customer.
//
// # A ticket for each item
//
// For each item, one ticket is submitted to the scheduler beneath: the right to run one
// item. The ring chooses the item when the ticket is used. So the order in which the
// scheduler beneath runs tickets makes no difference, even if it is last in, first out.
// Package shim has the protocol, and shows why each item has a ticket even when the
// scheduler beneath refuses.
//
// # Locks
//
// Each queue has a lock of its own, and its items are in two parts (shim.WorkQueue). A submitter
// needs no other lock as long as the queue has work: batches that are filled at the same time do
// not contend with each other, nor with the workers that empty them. The ring has a lock, too, for
// takers, and for a queue's first item. It is locked before those of the queues.
//
// # Context
//
// The original of this scheduler has to capture its caller's context when an item
// is queued, and restore it when the item runs. That is not needed here, since
// work carries its own context: a job that was started with a context has it,
// wherever and whenever it runs.
//
// # Closing
//
// A closed queue refuses work, and is removed when the work that it has accepted has run.
// An item is counted as accepted before anything else happens to it, so a concurrent
// Close either causes its refusal, or the queue stays until the item has run.
//
// # Waiting
//
// The shim holds no workers of the scheduler beneath, so work may wait. The worker that
// the work sees passes the announcement of a wait on, and queued work may be run in place
// if the scheduler beneath consents; its ticket then finds nothing to run.
package roundrobin
