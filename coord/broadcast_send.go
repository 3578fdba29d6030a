package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Send sends v to all subscriptions. If the broadcast is full and its mode is
// [WaitForRoom], Send waits for the slowest. Without subscriptions the element is
// dropped. It returns nil, the reason why ctx ended, [ErrClosed] or [ErrFull]. v was
// sent only if nil was returned; a broadcast that drops elements may then have dropped
// it. It blocks; its twin is [Broadcast.SendAsync].
func (b *Broadcast[T]) Send(ctx context.Context, v T) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	mustWait, err := b.offer(v)
	if mustWait {
		_, err = wait[job.Void](ctx, &b.hiddenBroadcast, v)
	}
	return err
}

// SendAsync returns a job that completes once v was sent, is Canceled when ctx ends
// first, or has faulted with an error of [Broadcast.Send]. It allocates nothing if the
// broadcast has room.
func (b *Broadcast[T]) SendAsync(ctx context.Context, v T) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	mustWait, err := b.offer(v)
	if mustWait {
		return waitAsync[job.Void](ctx, &b.hiddenBroadcast, v)
	}
	return job.FromError[job.Void](err)
}

// SendEnter is [Broadcast.Send] as generated machines call it.
func (b *broadcast[T]) SendEnter(r *statemachine.Run, ctx context.Context, v T) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[T](r, b, err)
	}
	mustWait, err := b.offer(v)
	if mustWait {
		return enterWaitVoid(r, ctx, b, v), nil
	}
	return endEntryVoid[T](r, b, err)
}

// TrySend is [Broadcast.Send] without waiting: if Send would wait, TrySend returns
// [ErrFull].
func (b *Broadcast[T]) TrySend(v T) error {
	mustWait, err := b.offer(v)
	if mustWait {
		return ErrFull
	}
	return err
}

// offer sends v if that is possible at once, or reports that it must wait.
func (b *broadcast[T]) offer(v T) (mustWait bool, err error) {
	b.mu.Lock()
	p := b.put(v)
	b.mu.Unlock()
	p.decided.deliver(nil)
	if p.drops {
		b.onDrop.Call(p.lost)
	}
	return p.mustWait, p.err
}

func (b *broadcast[T]) guard() *interleave.Mutex { return &b.mu }

func (b *broadcast[T]) admit(w *waiter) outcomes {
	p := b.put(callOf[job.Void, T](w).request)
	if p.mustWait {
		b.senders.push(w)
		return p.decided
	}
	w.err = p.err
	p.decided.add(w)
	return p.decided
}

func (b *broadcast[T]) cancel(w *waiter) outcomes { return b.senders.cancel(w) }

// waitName names what a sender waits for.
func (b *broadcast[T]) waitName() string { return typeName((*Broadcast[T])(nil)) }
