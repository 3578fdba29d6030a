package job

import (
	"context"
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// # A context whose time is that of a scheduler
//
// Package context has no way to say that the clock is another one, so the context is ours. What
// most contexts with a timeout need is 80 bytes: a timer of the scheduler, the parent, the
// deadline, and the one watch of what waits within it (ctxwatch.Single). That watch is told of
// the end of the parent, too, and each method of the context asks the parent first. So the
// context does not watch the parent.
//
// The rest is made when something needs it: a second wait at the same time, a user who asks for
// the channel, a clock that is not real.
//
//	parent ──────────▶ watch ◀── timeout
//	   └──watch──▶ rest ──Source──▶ further watches
//	                └──AfterFunc──▶ inner ──▶ contexts below, as usual
//
// Only contexts of package context end their children without a goroutine each, and only they
// have a cause. So when a user asks for the Done channel, or for the nearest context of package
// context, one is made: inner. Its parent is ours too, since package context asks a parent of
// another type, by its method AfterFunc, to call it at its end.
//
// The end is decided once. Without a rest, a compare-and-swap puts in its place one that says how
// the context has ended, and that many contexts share. A rest decides under its lock, and inner
// is made under it:
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
	t := newTimeout(ctx)
	if c := ambient.ClockOf(t.home()); c != nil {
		t.setReading(c.Now(), d)
	} else {
		t.until = addDuration(time.Since(began), d)
	}
	return t.begin(d)
}

// WithDeadline is context.WithDeadline on the clock of ctx's scheduler; see [WithTimeout]. If
// that clock is not real, a t that was computed from time.Now is as far in the future there as it
// is in reality, to a millisecond; one that was computed from the deadline of such a context is a
// time of that clock.
func WithDeadline(ctx context.Context, t time.Time) (with context.Context, cancel context.CancelFunc) {
	if ctx == nil {
		ctx = context.Background()
	}
	w := newTimeout(ctx)
	var d time.Duration
	if c := ambient.ClockOf(w.home()); c != nil {
		d = ambient.TimeUntil(t, c)
		w.setReading(c.Now(), d)
	} else {
		d = time.Until(t)
		w.setDeadline(t)
	}
	return w.begin(d)
}

// timeout is the context that WithTimeout returns. A service may have one for each of a million
// waits, so each word counts.
type timeout struct {
	// Its OnExpire is the context's home, as a timeoutHome. It must be the first field.
	timer  schedulers.Timer
	parent context.Context
	until  time.Duration // the deadline, from began; inRest: it is there
	waits  ctxwatch.Single
	rest   interleave.Pointer[timeoutRest]
}

// timeoutRest is what few timeouts need. One that many share has nothing but how they have ended.
type timeoutRest struct {
	shared   bool
	virtual  bool // deadline is of a clock that is not real
	deadline time.Time

	state interleave.Uint32 // written under mu
	mu    interleave.Mutex  // held while inner is made or ended
	why   error             // with which it has ended; written under mu, before state
	inner interleave.Pointer[inner]

	watch ctxwatch.Watch // of the parent
	waits ctxwatch.Source
}

// The states of a timeout. It leaves live once, for one of the others.
const (
	live uint32 = iota
	expired
	released // by its cancel function
	parentEnded
)

// The rests of timeouts that have ended and needed none before.
var (
	hasExpired     = sharedRest(expired, context.DeadlineExceeded)
	wasReleased    = sharedRest(released, context.Canceled)
	parentExpired  = sharedRest(parentEnded, context.DeadlineExceeded)
	parentCanceled = sharedRest(parentEnded, context.Canceled)
)

func sharedRest(state uint32, why error) *timeoutRest {
	r := &timeoutRest{shared: true, why: why}
	r.state.Store(state)
	return r
}

// sharedRestFor returns the rest of timeouts that have ended so, or nil: each has its own.
func sharedRestFor(why error, how uint32) *timeoutRest {
	switch {
	case how == expired:
		return hasExpired
	case how == released:
		return wasReleased
	case why == context.DeadlineExceeded:
		return parentExpired
	case why == context.Canceled:
		return parentCanceled
	}
	return nil
}

// timeoutHome is the home of a timeout. A timer that knew the timeout instead would need another
// word for the home.
type timeoutHome schedulers.Home

// Expire implements schedulers.Expirer. The parent may have ended first, and nobody have noticed.
// It may be a context of a user, whose methods run here.
func (*timeoutHome) Expire(timer *schedulers.Timer) {
	t := (*timeout)(unsafe.Pointer(timer)) //nolint:gosec // it is the first field of one
	followParentHook.Call(t)
	t.endWith(context.DeadlineExceeded, expired)
	t.unwatch()
}

// The timer is the first field.
const _ = -unsafe.Offsetof(timeout{}.timer)

// newTimeout returns a context whose deadline is yet to be set.
func newTimeout(parent context.Context) *timeout {
	return &timeout{parent: parent, timer: schedulers.Timer{OnExpire: (*timeoutHome)(homeOf(parent))}}
}

func (t *timeout) home() *schedulers.Home {
	return (*schedulers.Home)(t.timer.OnExpire.(*timeoutHome))
}

// began is the time from which the deadlines of timeouts count.
var began = time.Now()

// inRest is the value of timeout.until if the deadline is in the rest.
const inRest time.Duration = math.MinInt64

func addDuration(now, d time.Duration) time.Duration {
	if at := now + max(0, d); at >= now {
		return at
	}
	return math.MaxInt64
}

// setReading sets the deadline of a clock that is not real.
func (t *timeout) setReading(now, d time.Duration) {
	t.until = inRest
	interleave.StorePointer(&t.rest, &timeoutRest{virtual: true, deadline: ambient.TimeOf(addDuration(now, d))})
}

// setDeadline sets the deadline to at. Most are computed from time.Now, so that they have a
// reading of the clock and the local zone, and need no rest.
func (t *timeout) setDeadline(at time.Time) {
	t.until = at.Sub(began)
	monotonic := at != at.Round(0)
	if !monotonic || t.until == inRest {
		t.until = inRest
		interleave.StorePointer(&t.rest, &timeoutRest{deadline: at})
	}
}

// deadline returns the time at which the context ends at the latest.
func (t *timeout) deadline() time.Time {
	if t.until == inRest {
		return interleave.LoadPointer(&t.rest).deadline
	}
	now := time.Now()
	passed := now.Sub(began)
	if set := now.Round(0).Sub(began.Round(0)) - passed; set.Abs() < time.Millisecond {
		return began.Add(t.until)
	}
	return now.Add(t.until - passed) // somebody has set the wall clock
}

// isVirtual reports whether the deadline is of a clock that is not real.
func (t *timeout) isVirtual() bool {
	return t.until == inRest && interleave.LoadPointer(&t.rest).virtual
}

// begin starts the timer, unless the parent ends first in any case.
func (t *timeout) begin(d time.Duration) (context.Context, context.CancelFunc) {
	r := interleave.LoadPointer(&t.rest)
	if r == nil && ctxwatch.EndsOf(t.home().Scheduler) != nil {
		r = new(timeoutRest) // its end comes between two steps
		interleave.StorePointer(&t.rest, r)
	}
	if r != nil {
		r.waits.Init((*unfollowing)(t), nil)
	}
	switch {
	case t.parent.Err() != nil:
		t.followParent()
	case d <= 0:
		t.endWith(context.DeadlineExceeded, expired)
	default:
		if r != nil {
			r.watch.Start(t.parent, t)
		}
		if !t.endsWithParent() {
			ambient.Timers(t.home()).StartTimer(&t.timer, d)
		}
		if t.state() != live {
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
	if !ok || !at.Before(t.deadline()) {
		return false
	}
	return ctxwatch.EndsInRealTime(t.parent) != t.isVirtual()
}

// release leaves nothing behind.
func (t *timeout) release() {
	t.unwatch()
	ambient.Timers(t.home()).StopTimer(&t.timer)
}

// unwatch ends the watch of the parent, if there is one.
func (t *timeout) unwatch() {
	if r := interleave.LoadPointer(&t.rest); r != nil && !r.shared {
		r.watch.Stop()
	}
}

// state returns whether and how the context has ended.
func (t *timeout) state() uint32 {
	if r := interleave.LoadPointer(&t.rest); r != nil {
		return r.state.Load()
	}
	return live
}

// endWith ends the context with an error, unless it has ended.
func (t *timeout) endWith(err error, how uint32) {
	if s := sharedRestFor(err, how); s != nil && interleave.CompareAndSwapPointer(&t.rest, nil, s) {
		t.waits.End()
		return
	}
	if t.state() == live && t.ownRest().endWith(err, how) {
		t.waits.End()
	}
}

// endWith ends the context, and reports whether it had not ended.
func (r *timeoutRest) endWith(err error, how uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Load() != live {
		return false
	}
	r.why = err
	r.state.Store(how)
	if in := interleave.LoadPointer(&r.inner); in != nil {
		in.finish(how)
	}
	r.waits.End()
	return true
}

// ownRest returns the rest of t, which it makes if there is none, or a shared one.
func (t *timeout) ownRest() *timeoutRest {
	var own *timeoutRest
	for {
		r := interleave.LoadPointer(&t.rest)
		if r != nil && !r.shared {
			return r
		}
		if own == nil {
			own = new(timeoutRest)
			own.waits.Init((*unfollowing)(t), nil)
		}
		if r != nil {
			own.why = r.why
			own.state.Store(r.state.Load())
			own.waits.End()
		}
		if !interleave.CompareAndSwapPointer(&t.rest, r, own) {
			continue
		}
		if r == nil {
			own.watch.Start(t.parent, t)
			if own.state.Load() != live {
				own.watch.Stop()
			}
		}
		return own
	}
}

// followParent ends the context if the parent has ended. It costs next to nothing otherwise.
func (t *timeout) followParent() {
	if t.state() == live {
		if err := t.parent.Err(); err != nil {
			t.endWith(err, parentEnded)
			t.release()
		}
	}
}

var followParentHook = schedulers.NewHook("context.Context.Err", (*timeout).followParent)

// ContextEnded implements ctxwatch.Listener.
func (t *timeout) ContextEnded(*ctxwatch.Watch) { followParentHook.Call(t) }

// WatchSource returns the watches of the context to package ctxwatch.
func (t *timeout) WatchSource(ctxwatch.Key) *ctxwatch.Source { return &t.ownRest().waits }

// WatchSingle returns the only watch of the context to package ctxwatch; nil: see WatchSource.
func (t *timeout) WatchSingle(ctxwatch.Key) *ctxwatch.Single {
	if interleave.LoadPointer(&t.rest) != nil {
		return nil
	}
	return &t.waits
}

// WatchParent returns the parent to package ctxwatch.
func (t *timeout) WatchParent(ctxwatch.Key) context.Context { return t.parent }

// IsOver tells package ctxwatch whether the context has ended.
func (t *timeout) IsOver(ctxwatch.Key) bool { return t.state() != live }

// Deadline implements context.Context.
func (t *timeout) Deadline() (time.Time, bool) {
	own := t.deadline()
	if at, ok := t.parent.Deadline(); ok && at.Before(own) {
		return at, true
	}
	return own, true
}

// Done implements context.Context.
func (t *timeout) Done() <-chan struct{} {
	t.followParent()
	return t.standard().Done()
}

// Err implements context.Context.
func (t *timeout) Err() error {
	t.followParent()
	if r := interleave.LoadPointer(&t.rest); r != nil && r.state.Load() != live {
		return r.why
	}
	return nil
}

// Value implements context.Context.
func (t *timeout) Value(key any) any {
	t.followParent()
	if key == standardKey {
		return t.standard().Value(key)
	}
	return (*unfollowing)(t).Value(key)
}

// unfollowing is a timeout that does not end when it is asked and its parent has ended.
type unfollowing timeout

// Deadline implements context.Context.
func (u *unfollowing) Deadline() (time.Time, bool) { return (*timeout)(u).Deadline() }

// Done implements context.Context.
func (*unfollowing) Done() <-chan struct{} { return nil }

// Err implements context.Context.
func (*unfollowing) Err() error { return nil }

// Value implements context.Context.
func (u *unfollowing) Value(key any) any {
	t := (*timeout)(u)
	if key == (ctxwatch.DeadlineKey{}) && t.isVirtual() {
		if at, ok := t.parent.Value(key).(time.Time); ok && at.Before(t.deadline()) {
			return at
		}
		return t.deadline()
	}
	return t.parent.Value(key)
}

// String describes the context as those of package context do.
func (t *timeout) String() string {
	return fmt.Sprintf("%v.WithDeadline(%v)", t.parent, t.deadline())
}

// standard returns inner, a context of package context that ends with t.
func (t *timeout) standard() context.Context {
	r := t.ownRest()
	if in := interleave.LoadPointer(&r.inner); in != nil {
		return in.ctx
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	in := interleave.LoadPointer(&r.inner)
	if in == nil {
		in = &inner{of: t, rest: r}
		in.ctx, in.cancel = context.WithCancelCause((*innerParent)(in))
		if how := r.state.Load(); how != live {
			in.finish(how)
		}
		interleave.StorePointer(&r.inner, in)
	}
	return in.ctx
}

// inner is the context of package context that a timeout has for others.
type inner struct {
	of     *timeout
	rest   *timeoutRest // of the timeout
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
func (p *innerParent) Err() error { return p.rest.why }

// Value implements context.Context. Package context looks for the cause of the end here. When the
// time has passed, the parent may be canceled with a cause at the same moment, which must not
// become that of inner: so values of the parent are found here only if it is the parent that ends
// inner, and otherwise by the Value of timeout.
func (p *innerParent) Value(key any) any {
	if p.rest.state.Load() != parentEnded {
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
