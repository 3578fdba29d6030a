package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// Send sends v, waiting for room if the channel is full and its mode is [WaitForRoom].
// It returns nil, the reason why ctx ended, [ErrClosed] or [ErrFull]. v was sent only if
// nil was returned; a channel that drops elements may then have dropped it. It blocks;
// its twin is [Channel.SendAsync].
func (c *Channel[T]) Send(ctx context.Context, v T) error {
	budget.Yield()
	ctx, err := bound(ctx)
	if err != nil {
		return err
	}
	mustWait, err := c.offer(v, nil)
	if mustWait {
		_, err = wait(ctx, c.sending(), v)
	}
	return err
}

// SendAsync returns a job that completes once v was sent, is Canceled when ctx ends
// first, or has faulted with an error of [Channel.Send]. It does not block; it allocates
// nothing if the channel has room.
func (c *Channel[T]) SendAsync(ctx context.Context, v T) *job.Job[job.Void] {
	ctx, err := bound(ctx)
	if err != nil {
		return promise.Failed[job.Void](ctx, err)
	}
	mustWait, err := c.offer(v, nil)
	if mustWait {
		return waitAsync(ctx, c.sending(), v)
	}
	return job.FromError[job.Void](err)
}

// SendEnter is [Channel.Send] as generated machines call it.
func (c *channel[T]) SendEnter(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := bound(ctx)
	if err != nil {
		return endEntryVoid(r, c.sending(), err)
	}
	mustWait, err := c.offer(v, r.Worker())
	if mustWait {
		return enteredVoid(r, ctx, c.sending(), v), nil
	}
	return endEntryVoid(r, c.sending(), err)
}

// TrySend is [Channel.Send] without waiting: if Send would wait, TrySend returns
// [ErrFull]. It does not block.
func (c *Channel[T]) TrySend(v T) error {
	mustWait, err := c.offer(v, nil)
	if mustWait {
		return ErrFull
	}
	return err
}

// offer sends v if that is possible at once, or reports that it must wait. on is the
// worker that the caller believes it runs on, or nil.
func (c *channel[T]) offer(v T, on schedulers.Worker) (mustWait bool, err error) {
	var rank int64
	if c.rank != nil {
		rank = c.rank(v)
	}
	if c.handOver(v, on) {
		return false, nil
	}
	c.mu.Lock()
	p := c.put(v, rank)
	c.mu.Unlock()
	p.decided.deliver(on)
	if p.drops {
		c.dropped.Call(p.lost)
	}
	return p.mustWait, p.err
}

// placement is the result of offering an element under the lock.
type placement[T any] struct {
	decided  outcomes
	mustWait bool
	err      error
	drops    bool
	lost     T // what was dropped
}

// put offers v. The order of its cases maintains the invariant of the channel:
//
//	receivers wait  ⇒  nothing is held and no sender waits
//	senders wait    ⇒  the channel is full
//
// so an element that is handed over directly overtakes no other.
func (c *channel[T]) put(v T, rank int64) (p placement[T]) {
	c.disturb()
	switch {
	case c.closed != nil:
		p.err = c.closed
	case !c.receivers.empty():
		w := c.receivers.pop()
		w.value = v
		p.decided.add(w)
	case c.len() < c.capacity:
		c.push(v, rank)
		p.decided.join(c.watchers.serveAll(job.Void{}, nil))
	case c.full == WaitForRoom:
		p.mustWait = true
	case c.full == Reject:
		p.err = ErrFull
	case c.full == DropOldest && c.len() > 0:
		p.drops, p.lost = true, c.pop()
		c.push(v, rank)
	default: // if nothing is held, the newest is the oldest
		p.drops, p.lost = true, v
	}
	return p
}

// sending is the channel as the host of its senders. A type can have only one method
// admit, and a channel admits two kinds of waiters.
type sending[T any] channel[T]

func (c *channel[T]) sending() *sending[T] { return (*sending[T])(c) }

// described names what a sender waits for.
func (s *sending[T]) described() string { return typeName((*Channel[T])(nil)) + ".Send" }

func (s *sending[T]) buffer() buffer { return (*contents[T])(s) }

func (s *sending[T]) guard() *interleave.Mutex { return &s.mu }

// admit serves the receiver before the sender: it came first.
func (s *sending[T]) admit(w *waiter[job.Void, T]) outcomes {
	p := (*channel[T])(s).put(w.ask, 0) // only a channel without ranks has waiting senders
	if p.mustWait {
		s.senders.push(w)
		(*channel[T])(s).found()
		p.decided.join(s.watchers.serveAll(job.Void{}, nil))
		return p.decided
	}
	w.err = p.err
	p.decided.add(w)
	return p.decided
}

func (s *sending[T]) cancel(w *waiter[job.Void, T]) outcomes { return s.senders.cancel(w) }
