package coord

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # The single waiter
//
// A channel between machines usually holds nothing, and one machine waits for the next
// element or, if the channel is a rendezvous, with the next element. These states need no
// lock: the waiter is one pointer, in the seat of its side, which one compare-and-swap
// installs and another removes. The lock costs two locked instructions on each side (20 ns
// per message).
//
// # The levels of a channel
//
//	               held, closed  receivers: queued, seated   senders: queued, seated
//	receiverAlone  none, open    none, at most one           none, in passing
//	empty          none, open    any, in passing             none, in passing
//	nonEmpty       any           none, in passing            any, in passing
//	senderAlone    none, open    none, in passing            none, at most one
//
//	receiverAlone ──leaveFastPath──▶ empty ──setNonEmpty──▶ nonEmpty
//	      ▲                           │ ▲                      │
//	      └────────seatReceiver───────┘ └───────setEmpty───────┘
//
//	senderAlone ──leaveFastPath──▶ nonEmpty
//	      ▲                           │
//	      └─────────seatSender────────┴── empty
//
// Levels change with mu held. The way back is lazy, since each change costs half as much
// as the lock: nonEmpty becomes empty when a receiver has found nothing, and a level becomes
// receiverAlone or senderAlone when a waiter arrives that may be seated.
//
// Only a machine whose context cannot end is seated. It never gives up, so the goroutine
// that removes the pointer owns the waiter exclusively, like a waiter that was taken out
// of the queue under the lock. A sender is seated only in a channel of capacity 0 that makes
// it wait: in others it waits for room behind what is held.
//
//	a waiter                          its peer                       leaveFastPath, with mu
//	 1. its side is alone              1. the other side is alone     1. another level
//	 2. write the node                 2. w = the seat; not empty     2. w = the seat; not empty
//	 3. CAS(seat, nil, w)              3. CAS(seat, w, nil)           3. CAS(seat, w, nil)
//	 4. its side is not alone: see     4. pass the value, notify      4. push it to the queue
//	    rescue
//
// If a step finds another state, its list ends, and the lock is taken.
//
// Proof that no waiter stays seated while the state under the lock has a peer or the end of
// the channel for it. Either step 2 of leaveFastPath follows step 3 of the waiter, and sees it;
// or the level was changed before step 4 of the waiter, which sees that. seatReceiver and
// seatSender cannot undo the change in between: each performs a step 3 on its side's seat, and
// fails while that is taken.
//
// Proof that no element is overtaken. Take a waiter, the peer whose step 3 found it, and the
// later of their two steps 1. At that moment both calls were under way and the waiter's side was
// alone: nothing was held, both queues were empty, and the channel was open. The effect is as
// if the element had been handed over at that moment.
//
// That proof is about elements. Waiters are served in order of arrival, with one
// exception. Between steps 1 and 3 of a waiter, an earlier one that was seated may be moved
// to the queue. A peer whose step 1 came before that move then finds the later waiter in the
// seat. The earlier one gets the next peer.
//
// # It isn't that easy: late waiters
//
// A waiter whose step 4 finds the level changed could try to withdraw: CAS(seat, w, nil).
// But from step 3 on, any goroutine may take the waiter. Its machine may have been served
// since, have continued elsewhere, and wait here again with the same waiter. The
// compare-and-swap would tear it out of that other wait, and one machine would run twice.
// So a late waiter does for the current occupant of the seat what it would have done for
// itself: under the lock it looks for a peer for that waiter, or puts it into the queue.

// The levels of a channel.
const (
	receiverAlone uint32 = iota
	empty
	nonEmpty
	senderAlone
)

// seat is where a single waiter waits without the lock.
type seat struct{ waiter interleave.Pointer[waiter] }

// put puts w into the seat, and reports whether the seat was empty.
func (s *seat) put(w *waiter) bool {
	return interleave.CompareAndSwapPointer(&s.waiter, nil, w)
}

// take takes the waiter out of the seat, if there is one.
func (s *seat) take() *waiter {
	if w := interleave.LoadPointer(&s.waiter); w != nil && interleave.CompareAndSwapPointer(&s.waiter, w, nil) {
		return w
	}
	return nil
}

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
	switch c.level.Load() {
	case receiverAlone:
		c.level.Store(empty)
		if w := c.receiver.take(); w != nil {
			c.receivers.push(w)
		}
	case senderAlone:
		c.level.Store(nonEmpty)
		if w := c.sender.take(); w != nil {
			c.senders.push(w)
		}
	}
}

// seatReceiver seats w, whose node is written, and reports whether it does; mu is held,
// and nothing was found for w.
func (c *channel[T]) seatReceiver(w *waiter) bool {
	if !c.receivers.empty() || !c.receiver.put(w) {
		return false
	}
	if c.level.Load() != receiverAlone {
		c.level.Store(receiverAlone)
	}
	return true
}

// seatSender is seatReceiver for a sender. An element that was put back precedes that of w.
func (c *channel[T]) seatSender(w *waiter) bool {
	if c.len() > 0 || !c.senders.empty() || !c.sender.put(w) {
		return false
	}
	c.level.Store(senderAlone)
	return true
}

// handOver sends v to the seated receiver, and reports whether there was one. The caller notifies
// it.
func (c *channel[T]) handOver(v T) (served continuation.Chain, ok bool) {
	if c.level.Load() != receiverAlone {
		return served, false
	}
	w := c.receiver.take()
	if w == nil {
		return served, false
	}
	callOf[T, job.Void](w).value = v // decided stays unset: w is in no queue and cannot give up, so it is never read
	return continuation.Only(w.node), true
}

// takeOver takes the element of the seated sender, and reports whether there was one. The caller
// notifies it.
func (c *channel[T]) takeOver() (v T, served continuation.Chain, ok bool) {
	if c.level.Load() != senderAlone {
		return v, served, false
	}
	w := c.sender.take()
	if w == nil {
		return v, served, false
	}
	return callOf[job.Void, T](w).request, continuation.Only(w.node), true
}

// rescue is for a waiter that finds its side no longer alone. The waiters in the seats may be
// others. The caller notifies those that were served.
func (c *channel[T]) rescue() (served continuation.Chain) {
	c.mu.Lock()
	var decided outcomes
	if c.level.Load() != receiverAlone {
		if w := c.receiver.take(); w != nil {
			decided.append(c.receiverHost().admit(w))
		}
	}
	if c.level.Load() != senderAlone {
		if w := c.sender.take(); w != nil {
			decided.append(c.senderHost().admit(w))
		}
	}
	c.mu.Unlock()
	return decided.complete()
}

// singleReceiver is the waiter of a machine that receives with a context that cannot end.
type singleReceiver[T any] call[T, job.Void]

// Reason implements [probe.Reasoner].
func (l *singleReceiver[T]) Reason() (what, holder string) {
	return l.waiter.Reason()
}

// Queue does the same as waiter.Queue.
func (l *singleReceiver[T]) Queue() buffer {
	return l.waiter.Queue()
}

// Join implements [statemachine.Pending].
func (l *singleReceiver[T]) Join(n *continuation.Node, worker schedulers.Worker) bool {
	waits, served := l.JoinQuietly(n)
	served.Deliver(worker)
	return waits
}

// JoinQuietly does the same as waiter.JoinQuietly.
func (l *singleReceiver[T]) JoinQuietly(n *continuation.Node) (waits bool, served continuation.Chain) {
	w := &l.waiter
	c := (*channel[T])(w.host.(*receiverHost[T]))
	w.node = n
	if c.level.Load() == receiverAlone && c.receiver.put(w) {
		if c.level.Load() != receiverAlone {
			served = c.rescue()
		}
		return true, served
	}
	c.mu.Lock()
	got := c.take(nil)
	if got.mustWait {
		if !c.seatReceiver(w) {
			c.leaveFastPath()
			c.receivers.push(w)
		}
		c.mu.Unlock()
		return true, served
	}
	c.mu.Unlock()
	l.value, w.err = got.value, got.err
	return false, got.decided.complete()
}

// singleSender is the waiter of a machine that sends to a rendezvous with a context that
// cannot end.
type singleSender[T any] call[job.Void, T]

// Reason implements [probe.Reasoner].
func (l *singleSender[T]) Reason() (what, holder string) {
	return l.waiter.Reason()
}

// Queue does the same as waiter.Queue.
func (l *singleSender[T]) Queue() buffer {
	return l.waiter.Queue()
}

// Join implements [statemachine.Pending].
func (l *singleSender[T]) Join(n *continuation.Node, worker schedulers.Worker) bool {
	waits, served := l.JoinQuietly(n)
	served.Deliver(worker)
	return waits
}

// JoinQuietly does the same as waiter.JoinQuietly.
func (l *singleSender[T]) JoinQuietly(n *continuation.Node) (waits bool, served continuation.Chain) {
	w := &l.waiter
	c := (*channel[T])(w.host.(*senderHost[T]))
	w.node = n
	if c.level.Load() == senderAlone && c.sender.put(w) {
		if c.level.Load() != senderAlone {
			served = c.rescue()
		}
		return true, served
	}
	c.mu.Lock()
	put := c.put(l.request, 0, nil)
	if put.mustWait {
		if !c.seatSender(w) {
			c.senders.push(w)
			c.setNonEmpty()
		}
	} else {
		w.err = put.err
	}
	c.mu.Unlock()
	return put.mustWait, put.decided.complete()
}
