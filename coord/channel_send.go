package coord

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Send sends v, waiting for room if the channel is full and its mode is [WaitForRoom].
// It returns nil, the reason why ctx ended, [ErrClosed] or [ErrFull]. v was sent only if
// nil was returned; a channel that drops elements may then have dropped it. It blocks;
// its twin is [Channel.SendAsync].
func (c *Channel[T]) Send(ctx context.Context, v T) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	mustWait, err := c.offer(v)
	if mustWait {
		_, err = wait[job.Void](ctx, c.senderHost(), v)
	}
	return err
}

// SendAsync returns a job that completes once v was sent, is Canceled when ctx ends
// first, or has faulted with an error of [Channel.Send]. It allocates nothing if the
// channel has room.
func (c *Channel[T]) SendAsync(ctx context.Context, v T) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	mustWait, err := c.offer(v)
	if mustWait {
		return waitAsync[job.Void](ctx, c.senderHost(), v)
	}
	return job.FromError[job.Void](err)
}

// SendEnter is [Channel.Send] as generated machines call it.
func (c *channel[T]) SendEnter(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) {
	e, served, err := c.sendEnter(r, ctx, v)
	if (served != continuation.Chain{}) {
		served.Deliver(r.Worker())
	}
	return e, err
}

// SendEnterSoon is SendEnter where the machine soon waits again; see [statemachine.Run.HandOver].
func (c *channel[T]) SendEnterSoon(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) {
	e, served, err := c.sendEnter(r, ctx, v)
	if (served != continuation.Chain{}) {
		endSoon(r, e != nil, served)
	}
	return e, err
}

// sendEnter is both entries without notifying those that were served.
func (c *channel[T]) sendEnter(r *statemachine.Run, ctx context.Context, v T) (e *statemachine.WaitingVoid[job.Void], served continuation.Chain, err error) {
	if ctx == nil || ctx.Err() != nil { // usually neither, and then no call
		ctx, err = checkContext(ctx)
	}
	if err != nil {
		r.Publish()
		e, err = endEntryVoid[T](r, c.senderHost(), err)
		return e, served, err
	}
	mustWait := c.findsNoReceiver()
	if !mustWait { // otherwise the machine checks under the lock once suspended
		if c.rank != nil || c.full != WaitForRoom {
			r.Publish() // before functions of the user
		}
		mustWait, served, err = c.offerQuietly(v)
	}
	if !mustWait {
		r.Publish()
		e, err = endEntryVoid[T](r, c.senderHost(), err)
		return e, served, err
	}
	w := waitMachine[job.Void](r, ctx, c.senderHost(), v)
	if w.waiter.ctx == nil && c.isRendezvous() {
		r.Suspend((*singleSender[T])(w))
	} else {
		r.Suspend(&w.waiter)
	}
	return (*statemachine.WaitingVoid[job.Void])(w.handle), served, nil
}

// isRendezvous reports whether a sender waits until a receiver takes its element.
func (c *channel[T]) isRendezvous() bool { return c.capacity == 0 && c.full == WaitForRoom }

// findsNoReceiver reports whether a sender would have to wait, as far as that shows without
// the lock.
func (c *channel[T]) findsNoReceiver() bool {
	if !c.isRendezvous() {
		return false
	}
	switch c.level.Load() {
	case receiverAlone:
		return interleave.LoadPointer(&c.receiver.waiter) == nil
	case empty:
		return false
	}
	return true
}

// TrySend is [Channel.Send] without waiting: if Send would wait, TrySend returns
// [ErrFull].
func (c *Channel[T]) TrySend(v T) error {
	mustWait, err := c.offer(v)
	if mustWait {
		return ErrFull
	}
	return err
}

// offer sends v if that is possible at once, or reports that it must wait.
func (c *channel[T]) offer(v T) (mustWait bool, err error) {
	mustWait, served, err := c.offerQuietly(v)
	served.Deliver(nil)
	return mustWait, err
}

// offerQuietly is offer, but leaves it to the caller to notify those that were served.
func (c *channel[T]) offerQuietly(v T) (mustWait bool, served continuation.Chain, err error) {
	var rank int64
	if c.rank != nil {
		rank = c.rank(v)
	}
	if served, ok := c.handOver(v); ok {
		return false, served, nil
	}
	c.mu.Lock()
	p := c.put(v, rank, nil)
	c.mu.Unlock()
	if p.drops { // and no receiver is served
		c.onDrop.Call(p.lost)
	}
	return p.mustWait, p.decided.complete(), p.err
}

// putResult is the result of offering an element under the lock.
type putResult[T any] struct {
	decided  outcomes
	mustWait bool
	err      error
	drops    bool
	lost     T // what was dropped
}

// put offers v, for the alternative by of a select or, if by is nil, for another caller. The order
// of its cases maintains the invariant of the channel:
//
//	receivers wait  ⇒  nothing is held and no sender waits
//	senders wait    ⇒  the channel is full
//
// so an element that is handed over directly overtakes no other. The invariant is about waiters
// that can be served. Those of a select that was served elsewhere stay in their queues for a
// moment, and those that send and receive for one select may wait side by side.
func (c *channel[T]) put(v T, rank int64, by *alternative) (p putResult[T]) {
	c.leaveFastPath()
	if c.closed == nil {
		if w := c.receivers.next(by); w != nil {
			callOf[T, job.Void](w).value = v
			p.decided.add(w)
			return p
		}
	}
	switch {
	case c.closed == nil && c.len() >= c.capacity && c.full == WaitForRoom, !by.claim():
		p.mustWait = true
	case c.closed != nil:
		p.err = c.closed
	case c.len() < c.capacity:
		c.push(v, rank)
	case c.full == Reject:
		p.err = ErrFull
	case c.full == DropOldest && c.len() > 0 && c.capacity > 0:
		p.drops, p.lost = true, c.pop()
		c.push(v, rank)
	default: // if nothing can be held, the newest is the oldest
		p.drops, p.lost = true, v
	}
	return p
}

// senderHost is the channel as the host of its senders. A type can have only one method
// admit, and a channel admits two kinds of waiters.
type senderHost[T any] channel[T]

func (c *channel[T]) senderHost() *senderHost[T] { return (*senderHost[T])(c) }

// waitName names what a sender waits for.
func (s *senderHost[T]) waitName() string { return typeName((*Channel[T])(nil)) + ".Send" }

func (s *senderHost[T]) buffer() buffer { return (*channelReport[T])(s) }

func (s *senderHost[T]) guard() *interleave.Mutex { return &s.mu }

// admit serves the receiver before the sender: it came first.
func (s *senderHost[T]) admit(w *waiter) outcomes {
	p := (*channel[T])(s).put(callOf[job.Void, T](w).request, 0, w.of) // only a channel without ranks has waiting senders
	if p.mustWait {
		s.senders.push(w)
		(*channel[T])(s).setNonEmpty()
		return p.decided
	}
	w.err = p.err
	p.decided.add(w)
	return p.decided
}

func (s *senderHost[T]) cancel(w *waiter) outcomes { return s.senders.cancel(w) }
