// Package roundrobin gives batches of work equal shares of a scheduler, however
// large they are and whoever came first.
//
// In a pool with one queue, a thousand items that arrive before ten keep the ten waiting
// until the thousand are done. Here each batch has a queue of its own ([Scheduler.CreateQueue]), and the
// workers of the scheduler beneath visit the queues in turn: while both have work, each
// gets half of the workers, and when one is empty the other one gets all. A queue is
// itself a scheduler, first in, first out.
//
// # In turn
//
// The queues that have work form a ring, and next points to the one whose turn it is:
//
//	        next
//	         ▼
//	┌─▶ A ─▶ B ─▶ C ─┐      take one of B, and next moves to C
//	└────────────────┘
//
// A queue of weight 3 keeps next for three items. A queue that becomes empty leaves the
// ring; if next pointed to it, it points to the one after it. A queue that gets its first item
// enters the ring right before next, so it is the last to have its turn: if it
// entered at next, a queue that is filled one item at a time would always be the next one.
//
// Empty queues are not in the ring, so they cost a visit nothing, and there may be
// as many as there are customers.
//
// # A ticket for each item
//
// For each item, one ticket is submitted to the scheduler beneath: the right to run
// one item. Which one is decided when the ticket is used, by the ring. So the
// order in which the scheduler beneath runs tickets makes no difference, a local queue that is last in,
// first out included. The protocol, and why no item is left without a
// ticket when the scheduler beneath refuses, is in package shim.
//
// # Locks
//
// Each queue has a lock of its own, which is all that those who add items need as
// long as the queue is not empty: batches that are filled at the same time do not
// meet. The ring has a lock too, for those who take, and for a queue's first item. It comes before the queues'.
//
// A gap is left on purpose: between the item's being in the queue and the queue's being
// in the ring, no lock is held. A ticket that comes into this gap would look
// for its item in vain. Therefore it brings its own queue into the ring before it looks
// (Put does both, for whoever calls it).
//
// # Context
//
// The original of this scheduler has to capture its caller's context when an item is
// queued, and restore it when the item runs. Nothing of that kind is here: work
// carries its own context. A job that was started with a context has it, wherever and
// whenever it runs.
//
// # Closing
//
// A queue that is closed refuses work, and is gone when what it has accepted has
// run. An item is accepted by entering the books before anything else happens to it, so a Close
// that comes at the same time either refuses it, or waits for it.
//
// # Waiting
//
// The shim holds no worker, so it does not matter to it whether work waits. The
// worker that work sees passes on that it is going to block, and what is queued may be run in
// place if the scheduler beneath consents; it then leaves its turn unused.
package roundrobin
