package job

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// # A context whose time is that of a scheduler
//
// Package context has no way to say that the clock is another one, and only its own contexts end
// their children without a goroutine each. So the context that ends the children is one of package
// context, and its parent is ours: package context asks a parent of another type, by its method
// AfterFunc, to call it at its end.
//
//	parent ──watch──▶ timeoutParent ──AfterFunc──▶ inner ──▶ contexts below, as usual
//	timer ───────────▶      │
//	                        └ Err: DeadlineExceeded, or that of the parent
//
// The rest is the seam between parent and inner. A watch notices the end of the parent on a
// goroutine of its own, and later than WithTimeout of package context would. So the context that
// callers see asks the parent in each of its methods, and ends inner at once if the parent has
// ended.

// WithTimeout is context.WithTimeout on the clock of ctx's scheduler: in a simulation, time is
// virtual, and context.WithTimeout would wait for real time. On other schedulers the two mean
// the same, but many contexts share one timer of the Go runtime, if the scheduler has
// [schedulers.Timers]. Call cancel as soon as the context is no longer needed.
//
// The context's Err, its cause and those of the contexts below are as with context.WithTimeout.
func WithTimeout(ctx context.Context, d time.Duration) (with context.Context, cancel context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	home := homeOf(ctx)
	t := &timeout{parent: ctx, home: home}
	if c := ambient.ClockOf(home); c != nil {
		t.setReading(c.Now(), d)
	} else {
		t.deadline = time.Now().Add(d)
	}
	return t.begin(d)
}

// WithDeadline is context.WithDeadline on the clock of ctx's scheduler; see [WithTimeout]. If that
// clock is not real, a t that was computed from time.Now is as far in the future there as it is
// in reality, to a millisecond; one that was computed from the deadline of such a context is a
// time of that clock.
func WithDeadline(ctx context.Context, t time.Time) (with context.Context, cancel context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	home := homeOf(ctx)
	w := &timeout{parent: ctx, home: home, deadline: t}
	var d time.Duration
	if c := ambient.ClockOf(home); c != nil {
		d = ambient.TimeUntil(t, c)
		w.setReading(c.Now(), d)
	} else {
		d = time.Until(t)
	}
	return w.begin(d)
}

// timeout is the context that WithTimeout returns.
type timeout struct {
	// Constant.

	parent   context.Context
	home     *schedulers.Home
	deadline time.Time
	virtual  bool // deadline is of a clock that is not real
	inner    context.Context
	cancel   context.CancelCauseFunc // of inner
	end      func()                  // ends inner as its parent has ended

	timer schedulers.Timer
	watch ctxwatch.Watch // of parent

	mu       interleave.Mutex // held while inner is ended, so that it has ended once it is free
	why      error            // why inner is ended by its parent; nil: it is not
	byParent interleave.Bool  // and that is the end of parent
}

func (t *timeout) setReading(now, d time.Duration) {
	at := now + max(0, d)
	if at < now {
		at = math.MaxInt64
	}
	t.virtual, t.deadline = true, ambient.TimeOf(at)
}

// begin starts the watch, and the timer unless the parent ends first in any case.
func (t *timeout) begin(d time.Duration) (context.Context, context.CancelFunc) {
	t.inner, t.cancel = context.WithCancelCause((*timeoutParent)(t))
	switch {
	case t.parent.Err() != nil:
		t.followParent()
	case d <= 0:
		t.endWith(context.DeadlineExceeded, false)
	default:
		t.watch.Start(t.parent, t)
		if !t.endsWithParent() {
			t.timer.OnExpire = t
			ambient.Timers(t.home).StartTimer(&t.timer, d)
		}
		if t.inner.Err() != nil {
			t.release()
		}
	}
	return t, func() {
		t.followParent() // whose end was first
		t.cancel(nil)
		t.release()
	}
}

// endsWithParent reports whether the parent has an earlier deadline on the same clock.
func (t *timeout) endsWithParent() bool {
	at, ok := t.parent.Deadline()
	if !ok || !at.Before(t.deadline) {
		return false
	}
	return ctxwatch.EndsInRealTime(t.parent) != t.virtual
}

// release leaves nothing behind.
func (t *timeout) release() {
	t.watch.Stop()
	ambient.Timers(t.home).StopTimer(&t.timer)
}

// endWith ends inner with an error, unless it has ended.
func (t *timeout) endWith(err error, byParent bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = err
		t.byParent.Store(byParent)
		t.end()
	}
}

// followParent ends inner if the parent has ended. It costs next to nothing otherwise.
func (t *timeout) followParent() {
	if t.inner.Err() == nil {
		if err := t.parent.Err(); err != nil {
			t.endWith(err, true)
			t.release()
		}
	}
}

// Expire implements schedulers.Expirer. The parent may have ended first, and its watch not yet
// have noticed. It may be a context of a user, whose methods run here.
func (t *timeout) Expire(*schedulers.Timer) {
	followParentHook.Call(t)
	t.endWith(context.DeadlineExceeded, false)
	t.watch.Stop()
}

var followParentHook = schedulers.NewHook("context.Context.Err", (*timeout).followParent)

// ContextEnded implements ctxwatch.Listener.
func (t *timeout) ContextEnded(*ctxwatch.Watch) { followParentHook.Call(t) }

// Deadline implements context.Context.
func (t *timeout) Deadline() (time.Time, bool) {
	if at, ok := t.parent.Deadline(); ok && at.Before(t.deadline) {
		return at, true
	}
	return t.deadline, true
}

// Done implements context.Context.
func (t *timeout) Done() <-chan struct{} {
	t.followParent()
	return t.inner.Done()
}

// Err implements context.Context.
func (t *timeout) Err() error {
	t.followParent()
	return t.inner.Err()
}

// Value implements context.Context.
func (t *timeout) Value(key any) any {
	t.followParent()
	if key == (ctxwatch.DeadlineKey{}) && t.virtual {
		if at, ok := t.parent.Value(key).(time.Time); ok && at.Before(t.deadline) {
			return at
		}
		return t.deadline
	}
	// First, for package context recognizes its own contexts by a value.
	if v := t.inner.Value(key); v != nil {
		return v
	}
	return t.parent.Value(key)
}

// String describes the context as those of package context do.
func (t *timeout) String() string {
	return fmt.Sprintf("%v.WithDeadline(%v)", t.parent, t.deadline)
}

// timeoutParent is the parent of inner. Only package context sees it.
type timeoutParent timeout

// Deadline implements context.Context.
func (p *timeoutParent) Deadline() (time.Time, bool) { return (*timeout)(p).Deadline() }

// Done implements context.Context. The channel says that the context can end, and is not that of
// another context of package context, which would otherwise end inner alone.
func (p *timeoutParent) Done() <-chan struct{} { return neverClosed }

var neverClosed = make(chan struct{})

// Err implements context.Context.
func (p *timeoutParent) Err() error { return p.why }

// Value implements context.Context. Package context looks for the cause of the end here. When the
// time has passed, the parent may be canceled with a cause at the same moment, which must not
// become that of inner: so values of the parent are found here only if it is the parent that ends
// inner, and otherwise by the Value of timeout.
func (p *timeoutParent) Value(key any) any {
	if !p.byParent.Load() {
		return nil
	}
	return p.parent.Value(key)
}

// AfterFunc is called by package context, which passes the function that ends inner.
func (p *timeoutParent) AfterFunc(f func()) (stop func() bool) {
	p.end = f
	return func() bool { return true }
}
