package rate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

//go:generate go tool movenext .

var (
	// ErrBurst is the error of a wait for more events at once than the limiter's burst,
	// which could never succeed.
	ErrBurst = errors.New("rate: more than the burst")

	// ErrDeadline is the error of a wait that would outlast its context. It takes no
	// tokens.
	ErrDeadline = errors.New("rate: would wait beyond the deadline of the context")
)

// Limiter lets events happen at a rate, with bursts. Make one with [NewLimiter]; the
// zero Limiter allows nothing. All methods are safe for concurrent use. It is the
// Limiter of golang.org/x/time/rate, with the differences in the package documentation.
type Limiter struct {
	clock     clock                // nil: real time, or the clock of a wait's context
	scheduler schedulers.Scheduler // whose clock that is

	mu     sync.Mutex
	limit  Limit
	burst  int
	tokens float64
	last   time.Time // the time for which tokens is right
	event  time.Time // the latest time of an event that is reserved
}

// clock is a scheduler with its own time.
type clock interface{ Now() time.Duration }

// Option configures a [Limiter].
type Option struct{ scheduler schedulers.Scheduler }

// On makes the limiter measure time with the clock of s, if s has one, as a simulation does.
func On(s schedulers.Scheduler) Option { return Option{s} }

// NewLimiter returns a limiter with a full bucket of b tokens and a rate of r.
func NewLimiter(r Limit, b int, opts ...Option) *Limiter {
	l := &Limiter{limit: r, burst: b, tokens: float64(b)}
	for _, o := range opts {
		if c, ok := o.scheduler.(clock); ok {
			l.clock, l.scheduler = c, o.scheduler
		}
	}
	return l
}

// Limit returns the rate.
func (l *Limiter) Limit() Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// Burst returns how many events may happen at once.
func (l *Limiter) Burst() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.burst
}

// Tokens returns the number of tokens now. It is negative if tokens were reserved for
// future events.
func (l *Limiter) Tokens() float64 { return l.TokensAt(l.now()) }

// TokensAt is [Limiter.Tokens] at the time t.
func (l *Limiter) TokensAt(t time.Time) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokensAt(t)
}

// SetLimit changes the rate from now on. Existing reservations keep their times.
func (l *Limiter) SetLimit(r Limit) { l.SetLimitAt(l.now(), r) }

// SetLimitAt is [Limiter.SetLimit] at the time t.
func (l *Limiter) SetLimitAt(t time.Time, r Limit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t)
	l.limit = r
}

// SetBurst changes the burst from now on.
func (l *Limiter) SetBurst(b int) { l.SetBurstAt(l.now(), b) }

// SetBurstAt is [Limiter.SetBurst] at the time t.
func (l *Limiter) SetBurstAt(t time.Time, b int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(t)
	l.burst = b
}

// Allow reports whether an event may happen now, and takes its token if so.
func (l *Limiter) Allow() bool { return l.AllowN(l.now(), 1) }

// AllowN is [Limiter.Allow] for n events at the time t.
func (l *Limiter) AllowN(t time.Time, n int) bool { return l.reserve(t, n, 0).ok }

// Reserve takes a token for a future event, and returns when it may happen. Use it for an
// event that cannot be dropped, and [Reservation.Cancel] if it does not happen after all.
func (l *Limiter) Reserve() *Reservation { return l.ReserveN(l.now(), 1) }

// ReserveN is [Limiter.Reserve] for n events at the time t. The reservation is not OK
// if n is more than the burst.
func (l *Limiter) ReserveN(t time.Time, n int) *Reservation {
	r := l.reserve(t, n, forever)
	return &r
}

// Wait waits until an event may happen. It returns nil, the reason why ctx ended,
// [ErrBurst], or immediately [ErrDeadline] if the wait would outlast ctx. A wait that ends
// with ctx gives its tokens back, but not those that later reservations are already placed
// behind: their waits do not become shorter. It blocks; its twin is [Limiter.WaitAsync].
func (l *Limiter) Wait(ctx context.Context) error { return waitEvents(ctx, l, 1) }

// WaitAsync is [Limiter.Wait] as a job.
func (l *Limiter) WaitAsync(ctx context.Context) *job.Job[job.Void] {
	return waitEventsAsync(ctx, l, 1)
}

// WaitEnter is [Limiter.Wait] as generated machines call it.
func (l *limiter) WaitEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	return l.WaitNEnter(r, ctx, 1)
}

// WaitN is [Limiter.Wait] for n events at once. Its twin is [Limiter.WaitNAsync].
func (l *Limiter) WaitN(ctx context.Context, n int) error { return waitEvents(ctx, l, n) }

// WaitNAsync is [Limiter.WaitN] as a job.
func (l *Limiter) WaitNAsync(ctx context.Context, n int) *job.Job[job.Void] {
	return waitEventsAsync(ctx, l, n)
}

// WaitNEnter is [Limiter.WaitN] as generated machines call it.
func (l *limiter) WaitNEnter(r *statemachine.Run, ctx context.Context, n int) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := waitEventsEnter(r, ctx, l, n)
	return statemachine.WaitingForVoid(m), err
}

// limiter is the receiver of entries, which only generated code calls: documentation
// does not list methods that are declared on another name.
type limiter = Limiter

// waitEvents implements all forms of Wait and WaitN. It is a separate function because the
// frame of its machine would otherwise be an exported name.
//
//movenext:async
func waitEvents(ctx context.Context, l *Limiter, n int) error {
	r, ctx, err := l.prepare(ctx, n)
	if err != nil {
		return err
	}
	d := r.DelayFrom(r.made)
	if d == 0 {
		return nil
	}
	return r.sleep(ctx, d)
}

// sleep waits for the time of the reservation, and cancels it if the wait fails or is unwound.
//
//movenext:async
func (r Reservation) sleep(ctx context.Context, d time.Duration) (err error) {
	slept := false
	defer func() {
		if !slept || err != nil {
			r.CancelAt(r.limiter.nowIn(ctx))
		}
	}()
	err = job.Sleep(ctx, d)
	slept = true
	return err
}

// prepare reserves n events for a wait. The returned context has the timers to wait
// with.
func (l *Limiter) prepare(ctx context.Context, n int) (r Reservation, with context.Context, err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return r, ctx, context.Cause(ctx)
	}
	if l.scheduler != nil {
		ctx = schedulers.With(ctx, l.scheduler)
	}
	t := l.nowIn(ctx)
	longest := forever
	if c := l.clockIn(ctx); c == nil {
		if end, ok := ctx.Deadline(); ok {
			longest = end.Sub(t)
		}
	} else if end, ok := ctx.Value(ctxwatch.DeadlineKey{}).(time.Time); ok {
		longest = end.Sub(ambient.TimeOf(c.Now()))
	}
	if limit, burst := l.Limit(), l.Burst(); n > burst && limit != Inf {
		return r, ctx, fmt.Errorf("%w: %d of %d", ErrBurst, n, burst)
	}
	if r = l.reserve(t, n, longest); !r.ok {
		return r, ctx, fmt.Errorf("%w: %d events", ErrDeadline, n)
	}
	return r, ctx, nil
}

// now returns the time for calls without a context.
func (l *Limiter) now() time.Time { return l.nowIn(context.Background()) }

// nowIn returns the time for calls with a context.
func (l *Limiter) nowIn(ctx context.Context) time.Time {
	if c := l.clockIn(ctx); c != nil {
		return time.Unix(0, 0).Add(c.Now())
	}
	return time.Now()
}

func (l *Limiter) clockIn(ctx context.Context) clock {
	if l.clock != nil {
		return l.clock
	}
	c, _ := schedulers.FromContext(ctx).(clock)
	return c
}

// tokensAt returns the tokens at the time t; mu is held. A t before the last count is replaced
// by the time of that count.
func (l *Limiter) tokensAt(t time.Time) float64 {
	if l.last.IsZero() || !t.After(l.last) {
		return min(l.tokens, float64(l.burst))
	}
	return min(l.tokens+l.limit.tokens(t.Sub(l.last)), float64(l.burst))
}

// advance counts the tokens up to t; mu is held. The time of the last count never goes
// back: otherwise tokens would be counted twice.
func (l *Limiter) advance(t time.Time) {
	l.tokens = l.tokensAt(t)
	if t.After(l.last) {
		l.last = t
	}
}

// reserve takes n tokens if that takes no longer than maxWait.
func (l *Limiter) reserve(t time.Time, n int, maxWait time.Duration) Reservation {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := Reservation{limiter: l, limit: l.limit, made: t, when: t}
	if l.limit == Inf {
		r.ok = true
		return r
	}
	left := l.tokensAt(t) - float64(n)
	var wait time.Duration
	if left < 0 {
		wait = l.limit.duration(-left)
	}
	if n > l.burst || wait > maxWait {
		return r
	}
	r.ok, r.tokens, r.when = true, n, later(t, wait)
	l.tokens, l.event = left, r.when
	if t.After(l.last) {
		l.last = t
	}
	return r
}

// later is t.Add(d) without its overflow for the longest d.
func later(t time.Time, d time.Duration) time.Time {
	if d == forever {
		return t.AddDate(1000, 0, 0)
	}
	return t.Add(d)
}
