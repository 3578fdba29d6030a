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
// Package context has no way to say that the clock is another one, so the context is ours: it has
// a timer of the scheduler, a watch of its parent, and its own waits (ctxwatch.Source). That is
// all that most contexts with a timeout need.
//
// But only contexts of package context end their children without a goroutine each, and only they
// have a cause. So when somebody asks for the Done channel, or for the nearest context of package
// context, one is made: inner. Its parent is ours too, since package context asks a parent of
// another type, by its method AfterFunc, to call it at its end.
//
//	parent ──watch──▶ timeout ──Source──▶ waits of machines and jobs
//	timer ──────────▶    │
//	                     └──AfterFunc──▶ inner, if it exists ──▶ contexts below, as usual
//
// The end is decided once, under the lock, and inner is made under it:
//
//	# The end                            # Making inner
//
//	lock                                 lock
//	E1 state: live → how it ended        M1 make inner
//	E2 end inner, if it exists           M2 if the state is not live: end inner, too
//	unlock                               unlock
//
// So inner has ended, when the lock is free, exactly if the timeout has. A watch notices the end
// of the parent on a goroutine of its own, and later than WithTimeout of package context would.
// So the context asks the parent in each of its methods, and ends at once if the parent has.

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

	state interleave.Uint32 // written under mu
	timer schedulers.Timer
	watch ctxwatch.Watch // of parent
	waits ctxwatch.Source

	mu    interleave.Mutex // held while inner is made or ended
	why   error            // with which it has ended; written under mu, before state
	inner interleave.Pointer[inner]
}

// The states of a timeout. It leaves live once, for one of the others.
const (
	live uint32 = iota
	expired
	released // by its cancel function
	parentEnded
)

func (t *timeout) setReading(now, d time.Duration) {
	at := now + max(0, d)
	if at < now {
		at = math.MaxInt64
	}
	t.virtual, t.deadline = true, ambient.TimeOf(at)
}

// begin starts the watch, and the timer unless the parent ends first in any case.
func (t *timeout) begin(d time.Duration) (context.Context, context.CancelFunc) {
	t.waits.Init(t, nil)
	switch {
	case t.parent.Err() != nil:
		t.followParent()
	case d <= 0:
		t.endWith(context.DeadlineExceeded, expired)
	default:
		t.watch.Start(t.parent, t)
		if !t.endsWithParent() {
			t.timer.OnExpire = t
			ambient.Timers(t.home).StartTimer(&t.timer, d)
		}
		if t.state.Load() != live {
			t.release()
		}
	}
	return t, func() {
		t.followParent() // whose end was first
		t.endWith(context.Canceled, released)
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

// endWith ends the context with an error, unless it has ended.
func (t *timeout) endWith(err error, how uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state.Load() != live {
		return
	}
	t.why = err
	t.state.Store(how)
	if in := interleave.LoadPointer(&t.inner); in != nil {
		in.finish(how)
	}
	t.waits.End()
}

// followParent ends the context if the parent has ended. It costs next to nothing otherwise.
func (t *timeout) followParent() {
	if t.state.Load() == live {
		if err := t.parent.Err(); err != nil {
			t.endWith(err, parentEnded)
			t.release()
		}
	}
}

// Expire implements schedulers.Expirer. The parent may have ended first, and its watch not yet
// have noticed. It may be a context of a user, whose methods run here.
func (t *timeout) Expire(*schedulers.Timer) {
	followParentHook.Call(t)
	t.endWith(context.DeadlineExceeded, expired)
	t.watch.Stop()
}

var followParentHook = schedulers.NewHook("context.Context.Err", (*timeout).followParent)

// ContextEnded implements ctxwatch.Listener.
func (t *timeout) ContextEnded(*ctxwatch.Watch) { followParentHook.Call(t) }

// WatchSource returns the watches of the context to package ctxwatch.
func (t *timeout) WatchSource(ctxwatch.Key) *ctxwatch.Source { return &t.waits }

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
	return t.standard().Done()
}

// Err implements context.Context.
func (t *timeout) Err() error {
	t.followParent()
	if t.state.Load() == live {
		return nil
	}
	return t.why
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
	if key == standardKey {
		return t.standard().Value(key)
	}
	return t.parent.Value(key)
}

// String describes the context as those of package context do.
func (t *timeout) String() string {
	return fmt.Sprintf("%v.WithDeadline(%v)", t.parent, t.deadline)
}

// standard returns inner, a context of package context that ends with t.
func (t *timeout) standard() context.Context {
	if in := interleave.LoadPointer(&t.inner); in != nil {
		return in.ctx
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	in := interleave.LoadPointer(&t.inner)
	if in == nil {
		in = &inner{of: t}
		in.ctx, in.cancel = context.WithCancelCause((*innerParent)(in))
		if how := t.state.Load(); how != live {
			in.finish(how)
		}
		interleave.StorePointer(&t.inner, in)
	}
	return in.ctx
}

// inner is the context of package context that a timeout has for others.
type inner struct {
	of     *timeout
	ctx    context.Context
	cancel context.CancelCauseFunc
	end    func() // ends ctx as its parent has ended
}

// finish ends ctx. The timeout's lock is held.
func (in *inner) finish(how uint32) {
	if how == released {
		in.cancel(nil)
	} else {
		in.end()
	}
}

// innerParent is the parent of an inner's context. Only package context sees it.
type innerParent inner

// Deadline implements context.Context.
func (p *innerParent) Deadline() (time.Time, bool) { return p.of.Deadline() }

// Done implements context.Context. The channel says that the context can end, and is not that of
// another context of package context, which would otherwise end inner alone.
func (*innerParent) Done() <-chan struct{} { return neverClosed }

var neverClosed = make(chan struct{})

// Err implements context.Context.
func (p *innerParent) Err() error { return p.of.why }

// Value implements context.Context. Package context looks for the cause of the end here. When the
// time has passed, the parent may be canceled with a cause at the same moment, which must not
// become that of inner: so values of the parent are found here only if it is the parent that ends
// inner, and otherwise by the Value of timeout.
func (p *innerParent) Value(key any) any {
	if p.of.state.Load() != parentEnded {
		return nil
	}
	return p.of.parent.Value(key)
}

// AfterFunc is called by package context, which passes the function that ends inner.
func (p *innerParent) AfterFunc(f func()) (stop func() bool) {
	p.end = f
	return func() bool { return true }
}

// standardKey is the key for which package context asks a context for the nearest one of its own.
// It is not exported, but each parent of another type is asked for it.
var standardKey = func() any {
	var asked keyRecorder
	_, cancel := context.WithCancel(&asked)
	cancel()
	return asked.key
}()

// keyRecorder is a context that keeps the key that it was asked for.
type keyRecorder struct {
	innerParent
	key any
}

// Value implements context.Context.
func (k *keyRecorder) Value(key any) any {
	k.key = key
	return nil
}
