package coord

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Broadcast delivers each element to all subscriptions that exist when it is sent. The zero
// Broadcast keeps one element, and its sends wait for room; [NewBroadcast] makes others.
//
// # One buffer
//
// Elements are kept once, however many subscriptions exist. Each element has a number.
// A subscription is the number of the element that it reads next, and an element is
// kept with the count of the subscriptions that have yet to read it:
//
//	           first                      next
//	kept         4      5      6      7     8
//	to read      1      1      2      3
//	             ▲             ▲      ▲     ▲
//	             A             B      C     D, which waits
//
// A subscription reads in order. If it has yet to read an element, it has yet to read
// all later ones. So, among the subscriptions that existed when an element was sent, the
// counts never fall from left to right, and the elements that all have read form a
// prefix: only the first element has to be checked before it is dropped. A send passes
// the element directly to waiting subscriptions, and keeps nothing if all of them wait.
//
// The broadcast is full when the slowest subscription has as many unread elements as the
// buffer holds. The full modes are those of a [Channel] and apply to all subscriptions
// together: with [DropNewest] the element reaches no subscription, and with [DropOldest]
// the slowest subscriptions miss the elements that they did not read, which their next
// receive reports by a [MissedError].
//
// It is tokio's broadcast channel, with a choice of what to do about slow receivers.
type Broadcast[T any] struct{ hiddenBroadcast[T] }

// broadcast is a Broadcast as its entry sees it; see entered.go for the two names.
type broadcast[T any] struct {
	// Set when the broadcast is made.
	capacity int
	full     FullMode
	onDrop   schedulers.Hook[T]

	mu      interleave.Mutex
	kept    ring[keptElement[T]]
	first   uint64                       // the number of the oldest in kept, or the next one
	subs    linked.List[subscription[T]] // in order of creation
	senders queue                        // the broadcast is full while one waits
	closed  error                        // nil: open
}

type hiddenBroadcast[T any] = broadcast[T]

// keptElement is an element that some subscriptions have yet to read.
type keptElement[T any] struct {
	value  T
	unread int
}

// NewBroadcast returns a broadcast that keeps at most capacity elements for slow
// subscriptions; full selects what happens to further ones. It panics if capacity is not
// positive or full is unknown.
func NewBroadcast[T any](capacity int, full FullMode, opts ...ChannelOption[T]) *Broadcast[T] {
	if capacity < 1 {
		panic("coord: broadcast without capacity")
	}
	full.mustBeKnown()
	return &Broadcast[T]{broadcast[T]{capacity: capacity, full: full, onDrop: merge(opts).onDrop}}
}

// Subscribe returns a subscription to later elements. Close it when it is no longer read;
// an open subscription that is not read may hold up all senders.
func (b *Broadcast[T]) Subscribe() *Subscription[T] {
	s := &Subscription[T]{subscription[T]{broadcast: &b.hiddenBroadcast}}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.nextNumber = b.next()
	b.subs.Add(&s.links, &s.hiddenSubscription)
	return s
}

// Subscriptions returns the current number of subscriptions.
func (b *Broadcast[T]) Subscriptions() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.subs.Len()
}

// Close is [Broadcast.CloseCause] without a cause.
func (b *Broadcast[T]) Close() { b.CloseCause(nil) }

// CloseCause closes the broadcast. From now on sends fail with an error that matches
// [ErrClosed] and cause, including sends that wait. Receives return the elements that are
// still unread, and then the same error. Closing again does nothing.
func (b *Broadcast[T]) CloseCause(cause error) {
	err := closedError(cause)
	b.mu.Lock()
	var decided outcomes
	if b.closed == nil {
		b.closed = err
		decided = b.senders.serveAll(err)
		for s := range b.subs.All() {
			decided.append(s.receivers.serveAll(err))
		}
	}
	b.mu.Unlock()
	decided.deliver(nil)
}

// next returns the number of the next element to be sent.
func (b *broadcast[T]) next() uint64 { return b.first + uint64(b.kept.len()) }

// put sends v if the buffer has room, or else decides by the full mode.
func (b *broadcast[T]) put(v T) (p putResult[T]) {
	switch {
	case b.closed != nil:
		p.err = b.closed
	case b.hasSpace():
		p.decided = b.handOver(v)
	case b.full == WaitForRoom:
		p.mustWait = true
	case b.full == Reject:
		p.err = ErrFull
	case b.full == DropOldest:
		// A subscription that had yet to read the element detects the loss when it
		// reads: its number is below first.
		p.drops, p.lost = true, b.dropOldest()
		p.decided = b.handOver(v)
	default:
		p.drops, p.lost = true, v
	}
	return p
}

// hasSpace reports whether one more element can be kept. The buffer holds at least one,
// since otherwise none could ever be sent.
func (b *broadcast[T]) hasSpace() bool { return b.kept.len() < max(1, b.capacity) }

// handOver delivers v to the waiting subscriptions and keeps it for the others. The buffer
// has space.
func (b *broadcast[T]) handOver(v T) (decided outcomes) {
	unread := 0
	for s := range b.subs.All() {
		if s.receivers.empty() {
			unread++
			continue
		}
		w := s.receivers.pop()
		callOf[T, job.Void](w).value = v
		decided.add(w)
		s.nextNumber++
	}
	if unread > 0 {
		b.kept.push(keptElement[T]{v, unread})
	} else {
		b.first++ // all waited, so nothing is kept
	}
	return decided
}

// dropOldest drops the oldest element that is kept, and returns it.
func (b *broadcast[T]) dropOldest() T {
	b.first++
	return b.kept.pop().value
}

// trim drops the elements that all have read, and sends the elements of waiting senders.
func (b *broadcast[T]) trim() (decided outcomes) {
	for b.kept.len() > 0 && b.kept.at(0).unread == 0 {
		b.dropOldest()
	}
	for !b.senders.empty() && b.hasSpace() {
		w := b.senders.pop()
		decided.append(b.handOver(callOf[job.Void, T](w).request))
		decided.add(w)
	}
	return decided
}

// unreadSince returns the number of kept elements that are numbered at or higher.
func (b *broadcast[T]) unreadSince(number uint64) int {
	if number <= b.first {
		return b.kept.len()
	}
	return b.kept.len() - int(number-b.first)
}
