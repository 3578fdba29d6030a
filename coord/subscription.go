package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linked"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Subscription receives the elements that are sent to a [Broadcast]. It is made by
// [Broadcast.Subscribe]. Several goroutines that receive from one subscription share its
// elements; a goroutine that wants all of them needs its own subscription.
type Subscription[T any] struct{ hiddenSubscription[T] }

// subscription is a Subscription as its entry sees it; see entered.go for the two names.
type subscription[T any] struct {
	broadcast *broadcast[T]

	// Guarded by the broadcast's lock.
	nextNumber uint64 // the number of the next element
	receivers  queue
	closed     bool
	returned   []T // got by waiters that were unwound; the last is the next to be received
	links      linked.Node[subscription[T]]
}

type hiddenSubscription[T any] = subscription[T]

// Receive returns the next element, waiting for one if all are read. It returns the
// reason why ctx ended; a *[MissedError], once, if elements were dropped before they
// were read; [ErrClosed] if the broadcast is closed and nothing is left, or the
// subscription is closed. It blocks; its twin is [Subscription.ReceiveAsync].
func (s *Subscription[T]) Receive(ctx context.Context) (T, error) {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, mustWait, err := s.poll()
	if mustWait {
		return wait[T](ctx, &s.hiddenSubscription, job.Void{})
	}
	return v, err
}

// ReceiveAsync returns a job that completes with the next element, is Canceled when ctx
// ends first, or has faulted with an error of [Subscription.Receive].
func (s *Subscription[T]) ReceiveAsync(ctx context.Context) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	v, mustWait, err := s.poll()
	switch {
	case mustWait:
		return waitAsync[T](ctx, &s.hiddenSubscription, job.Void{})
	case err != nil:
		return job.FromError[T](err)
	}
	return job.FromResult(v)
}

// ReceiveEnter is [Subscription.Receive] as generated machines call it.
func (s *subscription[T]) ReceiveEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[T], T, error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return endEntry[job.Void](r, s, none, err)
	}
	v, mustWait, err := s.poll()
	if mustWait {
		return enterWait[T](r, ctx, s, job.Void{}), v, nil
	}
	return endEntry[job.Void](r, s, v, err)
}

// TryReceive returns the next element if there is one. Otherwise it returns [ErrEmpty],
// or an error of [Subscription.Receive].
func (s *Subscription[T]) TryReceive() (T, error) {
	v, mustWait, err := s.poll()
	if mustWait {
		return v, ErrEmpty
	}
	return v, err
}

// Len returns the number of elements that can be received now.
func (s *Subscription[T]) Len() int {
	s.broadcast.mu.Lock()
	defer s.broadcast.mu.Unlock()
	if s.closed {
		return 0
	}
	return len(s.returned) + s.broadcast.unreadSince(s.nextNumber)
}

// Close ends the subscription: its unread elements are no longer kept for it, and its
// waiting receivers get [ErrClosed]. Closing again does nothing.
func (s *Subscription[T]) Close() {
	b := s.broadcast
	b.mu.Lock()
	var decided outcomes
	if !s.closed {
		s.closed, s.returned = true, nil
		b.subs.Remove(&s.links)
		decided = s.receivers.serveAll(ErrClosed)
		for n := b.unreadSince(s.nextNumber); n > 0; n-- {
			b.kept.at(b.kept.len()-n).unread--
		}
		decided.append(b.trim())
	}
	b.mu.Unlock()
	decided.deliver(nil)
}

// poll reads the next element if that is possible at once, or reports that it must
// wait.
func (s *subscription[T]) poll() (v T, mustWait bool, err error) {
	s.broadcast.mu.Lock()
	t := s.take()
	s.broadcast.mu.Unlock()
	t.decided.deliver(nil)
	return t.value, t.mustWait, t.err
}

// take reads the next element.
func (s *subscription[T]) take() (t takeResult[T]) {
	b := s.broadcast
	switch unread := b.unreadSince(s.nextNumber); {
	case s.closed:
		t.err = ErrClosed
	case len(s.returned) > 0:
		last := len(s.returned) - 1
		t.value = s.returned[last]
		clear(s.returned[last:])
		s.returned = s.returned[:last]
	case s.nextNumber < b.first:
		t.err = &MissedError{Count: b.first - s.nextNumber}
		s.nextNumber = b.first
	case unread > 0:
		element := b.kept.at(b.kept.len() - unread)
		t.value = element.value
		element.unread--
		s.nextNumber++
		t.decided = b.trim()
	case b.closed != nil:
		t.err = b.closed
	default:
		t.mustWait = true
	}
	return t
}

func (s *subscription[T]) guard() *interleave.Mutex { return &s.broadcast.mu }

// admit serves the senders before the receiver: they came first.
func (s *subscription[T]) admit(w *waiter) outcomes {
	t := s.take()
	if t.mustWait {
		s.receivers.push(w)
		return t.decided
	}
	callOf[T, job.Void](w).value, w.err = t.value, t.err
	t.decided.add(w)
	return t.decided
}

func (s *subscription[T]) cancel(w *waiter) outcomes { return s.receivers.cancel(w) }

// waitName names what a receiver waits for.
func (s *subscription[T]) waitName() string { return typeName((*Subscription[T])(nil)) }
