package coord

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Who waits alone
//
// Mostly a channel over which machines talk holds nothing, and one of them waits for what comes next. There is nothing then that a lock
// would have to hold together: the waiter is one pointer, which one compare-and-swap puts there and another one takes
// away, where the lock costs two locked instructions on each side (20 ns of a message).
//
// # The levels of a channel
//
//	         held, senders, closed   receivers in the queue   in lone
//	quiet    none, open              none                     at most one
//	bare     none, open              any                      only in passing
//	some     any                     none                     only in passing
//
//	quiet ──disturb──▶ bare ──found──▶ some
//	  ▲                 │ ▲              │
//	  └──────calm───────┘ └──a receiver──┘
//	                        finds nothing
//
// They change with mu held. Going back is lazy, since each change costs half of what the lock does: some becomes bare when a receiver has looked in
// vain, and bare becomes quiet when one comes that may wait in lone.
//
// Only a machine waits there whose context can not end: nobody gives it up, so that who takes the pointer away has the waiter for himself.
// It belongs to who took it, as a waiter does that was taken out of the queue under the lock.
//
//	who receives                      who sends                      who disturbs, with mu
//	 1. level is quiet                 1. level is quiet              1. level = bare
//	 2. write the node                 2. w = lone; there is one      2. w = lone; there is one
//	 3. CAS(lone, nil, w)              3. CAS(lone, w, nil)           3. CAS(lone, w, nil)
//	 4. level is not quiet: rescue     4. write the value, tell       4. push it to the queue
//
// Where a step finds something else, its list is left, and the lock taken.
//
// Proof that nobody waits in lone while the lock's side has what it waits for. Either the step 2 of who disturbs comes after the step 3
// of who receives, and sees the waiter; or the level was changed before step 4, which sees that. Calm does not
// undo it in between: it is a step 3, and fails where somebody is in lone.
//
// Proof that nothing is overtaken. Take the later one of the two steps 1 of a receiver and of the sender whose step 3 has
// found it. At that moment both calls were under way and the level was quiet: nothing was held, nobody waited in the
// queue, and the channel was open. It is as if the element had been handed over then.
//
// That is said of the elements. Of the receivers the first one to come is the first to be served, but for one moment: between the steps
// 1 and 3 of a receiver, who waited alone before it may be moved to the queue, and a sender whose step 1 is as old then finds the later
// one in lone. The earlier one gets the next element.
//
// # It isn't that easy: rescue
//
// A receiver that finds in its step 4 that it came too late would like to take itself back: CAS(lone, w, nil). But from step 3 on it is
// anybody's. It may have been served since, have gone on elsewhere, and wait here again, with the same waiter: the
// compare-and-swap would tear it out of a wait that is none of the caller's business, and one machine would run twice. So who comes
// too late does for whoever is in lone what it would have wished for itself: under the lock it looks for an element for
// that one, or puts it into the queue.

// The levels of a channel.
const (
	quiet uint32 = iota
	bare
	some
)

// found notes that a receiver would not have to wait; mu is held.
func (c *Channel[T]) found() {
	if c.level.Load() != some {
		c.level.Store(some)
	}
}

// missed notes that a receiver has found nothing; mu is held.
func (c *Channel[T]) missed() {
	if c.level.Load() == some {
		c.level.Store(bare)
	}
}

// disturb has who waits alone wait in the queue, and all who come; mu is held.
func (c *Channel[T]) disturb() {
	if c.level.Load() != quiet {
		return
	}
	c.level.Store(bare)
	if w := c.leaveLone(); w != nil {
		c.receivers.push(w)
	}
}

// calm has w, whose node is written, wait alone, and reports whether it does; mu is held, and nothing was found for w.
func (c *Channel[T]) calm(w *waiter[T, job.Void]) bool {
	if !c.receivers.empty() || !c.lone.CompareAndSwap(nil, w) {
		return false
	}
	if c.level.Load() != quiet {
		c.level.Store(quiet)
	}
	return true
}

// leaveLone takes who waits alone, if somebody does.
func (c *Channel[T]) leaveLone() *waiter[T, job.Void] {
	if w := c.lone.Load(); w != nil && c.lone.CompareAndSwap(w, nil) {
		return w
	}
	return nil
}

// handOver sends v to who waits alone, and reports whether somebody did.
func (c *Channel[T]) handOver(v T, on schedulers.Worker) bool {
	if c.level.Load() != quiet {
		return false
	}
	w := c.leaveLone()
	if w == nil {
		return false
	}
	w.value = v // that it is decided nobody asks: it is in no queue and will not give up
	continuation.Only(w.node).Deliver(on)
	return true
}

// rescue is for who finds that the channel is not quiet any more, and may be in lone, or somebody else.
func (c *Channel[T]) rescue(on schedulers.Worker) {
	c.mu.Lock()
	var told outcomes
	if c.level.Load() != quiet {
		if w := c.leaveLone(); w != nil {
			told = c.receiving().admit(w)
		}
	}
	c.mu.Unlock()
	told.deliver(on)
}

// loneReceiver is the waiter of a machine that receives with a context that can not end.
type loneReceiver[T any] waiter[T, job.Void]

// Join implements [statemachine.Pending].
func (l *loneReceiver[T]) Join(n *continuation.Node, on schedulers.Worker) bool {
	w := (*waiter[T, job.Void])(l)
	c := (*Channel[T])(w.host.(*receiving[T]))
	w.node = n
	if c.level.Load() == quiet && c.lone.CompareAndSwap(nil, w) {
		if c.level.Load() != quiet {
			c.rescue(on)
		}
		return true
	}
	c.mu.Lock()
	got := c.take()
	if got.mustWait {
		if !c.calm(w) {
			c.disturb()
			c.receivers.push(w)
		}
		c.mu.Unlock()
		return true
	}
	c.mu.Unlock()
	w.value, w.err = got.value, got.err
	got.told.deliver(on)
	return false
}
