package coord

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # The single receiver
//
// A channel between machines usually holds nothing, and one machine waits for the next
// element. This state needs no lock: the waiter is one pointer, which one
// compare-and-swap installs and another removes. The lock costs two locked instructions
// on each side (20 ns per message).
//
// # The levels of a channel
//
//	            held, senders, closed   receivers in the queue   in single
//	lockFree    none, open              none                     at most one
//	empty       none, open              any                      only in passing
//	nonEmpty    any                     none                     only in passing
//
//	lockFree ──leaveFastPath──▶ empty ──setNonEmpty──▶ nonEmpty
//	  ▲                          │ ▲                      │
//	  └──────enterFastPath───────┘ └──setEmpty: a receiver┘
//	                                  finds nothing
//
// Levels change with mu held. The way back is lazy, since each change costs half as much
// as the lock: nonEmpty becomes empty when a receiver has found nothing, and empty becomes
// lockFree when a receiver arrives that may wait in single.
//
// Only a machine whose context cannot end waits in single. It never gives up, so the
// goroutine that removes the pointer owns the waiter exclusively, like a waiter that
// was taken out of the queue under the lock.
//
//	a receiver                        a sender                       leaveFastPath, with mu
//	 1. level is lockFree              1. level is lockFree           1. level = empty
//	 2. write the node                 2. w = single; there is one    2. w = single; there is one
//	 3. CAS(single, nil, w)            3. CAS(single, w, nil)         3. CAS(single, w, nil)
//	 4. level is not lockFree: see     4. write the value, notify     4. push it to the queue
//	    serveLateReceiver
//
// If a step finds another state, its list ends, and the lock is taken.
//
// Proof that no receiver waits in single while the state under the lock has something for
// it. Either step 2 of leaveFastPath follows step 3 of the receiver, and sees the waiter;
// or the level was changed before step 4 of the receiver, which sees that. enterFastPath cannot
// undo the change in between: it too performs a step 3, and fails while single is occupied.
//
// Proof that no element is overtaken. Take a receiver, the sender whose step 3 found it,
// and the later of their two steps 1. At that moment both calls were under way and the
// level was lockFree: nothing was held, the queue was empty, and the channel was open. The
// effect is as if the element had been handed over at that moment.
//
// That proof is about elements. Receivers are served in order of arrival, with
// one exception. Between steps 1 and 3 of a receiver, an earlier receiver that waited in
// single may be moved to the queue. A sender whose step 1 came before that move then
// finds the later receiver in single. The earlier one gets the next element.
//
// # It isn't that easy: late receivers
//
// A receiver whose step 4 finds the level changed could try to withdraw: CAS(single, w,
// nil). But from step 3 on, any goroutine may take the waiter. Its machine may have been
// served since, have continued elsewhere, and wait here again with the same waiter. The
// compare-and-swap would tear it out of that other wait, and one machine would run
// twice. So a late receiver does for the current occupant of single what it would have
// done for itself: under the lock it takes an element for that waiter, or puts the
// waiter into the queue.

// The levels of a channel.
const (
	lockFree uint32 = iota
	empty
	nonEmpty
)

// setNonEmpty records that a receiver would not have to wait; mu is held.
func (c *channel[T]) setNonEmpty() {
	if c.level.Load() != nonEmpty {
		c.level.Store(nonEmpty)
	}
}

// setEmpty records that a receiver has found nothing; mu is held.
func (c *channel[T]) setEmpty() {
	if c.level.Load() == nonEmpty {
		c.level.Store(empty)
	}
}

// leaveFastPath moves the single waiter to the queue, where all later ones wait too; mu is
// held.
func (c *channel[T]) leaveFastPath() {
	if c.level.Load() != lockFree {
		return
	}
	c.level.Store(empty)
	if w := c.takeSingle(); w != nil {
		c.receivers.push(w)
	}
}

// enterFastPath lets w, whose node is written, wait in single, and reports whether it
// does; mu is held, and nothing was found for w.
func (c *channel[T]) enterFastPath(w *waiter[T, job.Void]) bool {
	if !c.receivers.empty() || !c.single.CompareAndSwap(nil, w) {
		return false
	}
	if c.level.Load() != lockFree {
		c.level.Store(lockFree)
	}
	return true
}

// takeSingle takes the waiter out of single, if there is one.
func (c *channel[T]) takeSingle() *waiter[T, job.Void] {
	if w := c.single.Load(); w != nil && c.single.CompareAndSwap(w, nil) {
		return w
	}
	return nil
}

// handOver sends v to the waiter in single, and reports whether there was one.
func (c *channel[T]) handOver(v T, worker schedulers.Worker) bool {
	if c.level.Load() != lockFree {
		return false
	}
	w := c.takeSingle()
	if w == nil {
		return false
	}
	w.value = v // decided stays unset: w is in no queue and cannot give up, so it is never read
	continuation.Only(w.node).Deliver(worker)
	return true
}

// serveLateReceiver is for a receiver that finds the channel no longer lock-free. The waiter in
// single may be its own or another.
func (c *channel[T]) serveLateReceiver(worker schedulers.Worker) {
	c.mu.Lock()
	var decided outcomes
	if c.level.Load() != lockFree {
		if w := c.takeSingle(); w != nil {
			decided = c.receiverHost().admit(w)
		}
	}
	c.mu.Unlock()
	decided.deliver(worker)
}

// singleReceiver is the waiter of a machine that receives with a context that cannot end.
type singleReceiver[T any] waiter[T, job.Void]

// Reason implements [schedulers.Reasoner].
func (l *singleReceiver[T]) Reason() (what, holder string) {
	return (*waiter[T, job.Void])(l).Reason()
}

// Queue does the same as waiter.Queue.
func (l *singleReceiver[T]) Queue() buffer {
	return (*waiter[T, job.Void])(l).Queue()
}

// Join implements [statemachine.Pending].
func (l *singleReceiver[T]) Join(n *continuation.Node, worker schedulers.Worker) bool {
	w := (*waiter[T, job.Void])(l)
	c := (*channel[T])(w.host.(*receiverHost[T]))
	w.node = n
	if c.level.Load() == lockFree && c.single.CompareAndSwap(nil, w) {
		if c.level.Load() != lockFree {
			c.serveLateReceiver(worker)
		}
		return true
	}
	c.mu.Lock()
	got := c.take()
	if got.mustWait {
		if !c.enterFastPath(w) {
			c.leaveFastPath()
			c.receivers.push(w)
		}
		c.mu.Unlock()
		return true
	}
	c.mu.Unlock()
	w.value, w.err = got.value, got.err
	got.decided.deliver(worker)
	return false
}
