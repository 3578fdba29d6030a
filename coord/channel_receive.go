package coord

import (
	"context"
	"iter"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Receive takes an element out of the channel, waiting for one if there is none. It
// returns the reason why ctx ended, or [ErrClosed] if the channel is closed and nothing is
// left. An element is taken only if it is returned, with a nil error; an element that was
// handed over while ctx ended is returned. It blocks; its twin is [Channel.ReceiveAsync].
func (c *Channel[T]) Receive(ctx context.Context) (T, error) {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, mustWait, err := c.poll()
	if mustWait {
		return wait[T](ctx, c.receiverHost(), job.Void{})
	}
	return v, err
}

// ReceiveAsync returns a job that completes with an element, is Canceled when ctx ends
// first, or has faulted with an error of [Channel.Receive]. Dropping the job drops the
// element.
func (c *Channel[T]) ReceiveAsync(ctx context.Context) *job.Job[T] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[T](ctx, err)
	}
	v, mustWait, err := c.poll()
	switch {
	case mustWait:
		return waitAsync[T](ctx, c.receiverHost(), job.Void{})
	case err != nil:
		return job.FromError[T](err)
	}
	return job.FromResult(v)
}

// ReceiveEnter is [Channel.Receive] as generated machines call it.
func (c *channel[T]) ReceiveEnter(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[T], T, error) {
	e, served, v, err := c.receiveEnter(r, ctx)
	if (served != continuation.Chain{}) {
		served.Deliver(r.Worker())
	}
	return e, v, err
}

// ReceiveEnterSoon is ReceiveEnter where the machine soon waits again; see
// [statemachine.Run.HandOver].
func (c *channel[T]) ReceiveEnterSoon(r *statemachine.Run, ctx context.Context) (*statemachine.Waiting[T], T, error) {
	e, served, v, err := c.receiveEnter(r, ctx)
	if (served != continuation.Chain{}) {
		endSoon(r, e != nil, served)
	}
	return e, v, err
}

// receiveEnter is both entries without notifying those that were served.
func (c *channel[T]) receiveEnter(r *statemachine.Run, ctx context.Context) (e *statemachine.Waiting[T], served continuation.Chain, v T, err error) {
	if ctx == nil || ctx.Err() != nil { // usually neither, and then no call
		ctx, err = checkContext(ctx)
	}
	if err != nil {
		r.Publish()
		e, v, err = endEntry[job.Void](r, c.receiverHost(), v, err)
		return e, served, v, err
	}
	if level := c.level.Load(); level == nonEmpty || level == senderAlone && interleave.LoadPointer(&c.sender.waiter) != nil {
		var mustWait bool
		if v, mustWait, served, err = c.pollQuietly(); !mustWait {
			r.Publish()
			e, v, err = endEntry[job.Void](r, c.receiverHost(), v, err)
			return e, served, v, err
		}
	} // otherwise the machine checks under the lock once suspended
	w := waitMachine[T](r, ctx, c.receiverHost(), job.Void{})
	if w.waiter.ctx == nil {
		r.Suspend((*singleReceiver[T])(w))
	} else {
		r.Suspend(&w.waiter)
	}
	return w.handle, served, v, nil
}

// TryReceive takes an element out of the channel if there is one. Otherwise it returns
// [ErrEmpty], or [ErrClosed] if there will never be one.
func (c *Channel[T]) TryReceive() (T, error) {
	v, mustWait, err := c.poll()
	if mustWait {
		return v, ErrEmpty
	}
	return v, err
}

// All returns a sequence of the received elements, until the channel is closed and
// nothing is left. If the channel was closed for a cause, or ctx ends, the last step of
// the sequence is that error with a zero value. It blocks between elements as
// [Channel.Receive] does; in a function marked //movenext:async a range over it
// suspends, since its twin is [Channel.AllAsync].
func (c *Channel[T]) All(ctx context.Context) iter.Seq2[T, error] { return receiveAll(ctx, c) }

// AllAsync is [Channel.All] as a stream. A range over it holds no worker between
// elements, and each range receives further elements. A consumer that leaves the stream while it
// waits takes no element: one that comes too late goes back to the front of the channel, for the
// next receive, even if the channel is full by then.
func (c *Channel[T]) AllAsync(ctx context.Context) *job.Stream[T] {
	return statemachine.TakesBack(receiveAllAsync(ctx, c), c.putBack)
}

// receiveAll is Channel.All. It is separate because its machine's frame would otherwise
// be a name that users see.
//
//movenext:async
func receiveAll[T any](ctx context.Context, c *Channel[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, err := c.Receive(ctx)
			if err == ErrClosed { // itself: without a cause
				return
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// putBack puts v, the element that was taken last, back in front.
func (c *channel[T]) putBack(v T) {
	c.mu.Lock()
	decided := c.takeBack(v)
	c.mu.Unlock()
	decided.deliver(nil)
}

// takeBack is putBack with mu held. The waiting receiver that came first gets v, or else the next
// receive. The channel may then hold one more than its capacity, since the send has ended.
func (c *channel[T]) takeBack(v T) (decided outcomes) {
	c.leaveFastPath()
	if next := c.receivers.next(nil); next != nil {
		callOf[T, job.Void](next).value = v
		decided.add(next)
		return decided
	}
	c.unpop(v)
	return decided
}

// poll takes an element if that is possible at once, or reports that it must wait.
func (c *channel[T]) poll() (v T, mustWait bool, err error) {
	v, mustWait, served, err := c.pollQuietly()
	served.Deliver(nil)
	return v, mustWait, err
}

// pollQuietly is poll, but leaves it to the caller to notify those that were served.
func (c *channel[T]) pollQuietly() (v T, mustWait bool, served continuation.Chain, err error) {
	if v, served, ok := c.takeOver(); ok {
		return v, false, served, nil
	}
	c.mu.Lock()
	t := c.take(nil)
	c.mu.Unlock()
	return t.value, t.mustWait, t.decided.complete(), t.err
}

// takeResult is the result of an attempt to take an element under the lock.
type takeResult[T any] struct {
	decided  outcomes
	mustWait bool
	value    T
	err      error
}

// take takes the next element, for the alternative by of a select or, if by is nil, for another
// caller. If a sender waits, this makes the room that it waits for.
func (c *channel[T]) take(by *alternative) (t takeResult[T]) {
	if c.level.Load() == senderAlone {
		c.leaveFastPath()
	}
	if c.len() == 0 {
		if s := c.senders.next(by); s != nil {
			t.value = callOf[job.Void, T](s).request
			t.decided.add(s)
			return t
		}
	}
	switch {
	case c.len() == 0 && c.closed == nil:
		t.mustWait = true
		c.setEmpty()
	case !by.claim():
		t.mustWait = true
	case c.len() == 0:
		t.err = c.closed
	default:
		t.value = c.pop()
		if c.len() < c.capacity { // an element that came back is beyond it
			if s := c.senders.next(nil); s != nil {
				c.push(callOf[job.Void, T](s).request, 0)
				t.decided.add(s)
			}
		}
	}
	return t
}

// receiverHost is the channel as the host of its receivers; see senderHost.
type receiverHost[T any] channel[T]

func (c *channel[T]) receiverHost() *receiverHost[T] { return (*receiverHost[T])(c) }

// waitName names what a receiver waits for.
func (r *receiverHost[T]) waitName() string { return typeName((*Channel[T])(nil)) + ".Receive" }

func (r *receiverHost[T]) buffer() buffer { return (*channelReport[T])(r) }

func (r *receiverHost[T]) guard() *interleave.Mutex { return &r.mu }

// admit serves the sender before the receiver: it came first.
func (r *receiverHost[T]) admit(w *waiter) outcomes {
	t := (*channel[T])(r).take(w.of)
	if t.mustWait {
		(*channel[T])(r).leaveFastPath()
		r.receivers.push(w)
		return t.decided
	}
	callOf[T, job.Void](w).value, w.err = t.value, t.err
	t.decided.add(w)
	return t.decided
}

func (r *receiverHost[T]) cancel(w *waiter) outcomes { return r.receivers.cancel(w) }
