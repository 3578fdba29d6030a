package job

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	scheduler "github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

type userKey struct{}

// below are the contexts that programs make below one, and the one itself.
var below = map[string]func(ctx context.Context) context.Context{
	"itself":   func(ctx context.Context) context.Context { return ctx },
	"a value":  func(ctx context.Context) context.Context { return context.WithValue(ctx, userKey{}, 1) },
	"a cancel": withCancel,
	"both":     func(ctx context.Context) context.Context { return withCancel(context.WithValue(ctx, userKey{}, 1)) },
	"deeper":   func(ctx context.Context) context.Context { return withCancel(withCancel(ctx)) },
	"a scheduler": func(ctx context.Context) context.Context {
		return withCancel(schedulers.With(ctx, schedulers.FromContext(ctx)))
	},
	"a scope": func(ctx context.Context) context.Context { return NewScope(ctx).Context() },
}

func withCancel(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, cancel)
	return ctx
}

// seen is what code can see of the end of a context.
type seen struct {
	err, cause error
	done       bool
	deadline   bool
}

func seenOf(ctx context.Context) seen {
	s := seen{err: ctx.Err(), cause: context.Cause(ctx)}
	_, s.deadline = ctx.Deadline()
	select {
	case <-ctx.Done():
		s.done = true
	default:
	}
	return s
}

// control is what may end a timeout.
type control struct {
	pass         func(time.Duration)
	cancelParent context.CancelCauseFunc
	cancel       context.CancelFunc
}

// maker is a function like context.WithTimeout.
type maker func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)

// waysToEnd are the orders in which a timeout's time passes, its parent ends and it is canceled.
func waysToEnd() map[string]func(control) {
	cause := errors.New("cause")
	return map[string]func(control){
		"not at all":          func(control) {},
		"time":                func(c control) { c.pass(time.Minute) },
		"cancel":              func(c control) { c.cancel() },
		"the parent":          func(c control) { c.cancelParent(nil) },
		"the parent's cause":  func(c control) { c.cancelParent(cause) },
		"time, then cancel":   func(c control) { c.pass(time.Minute); c.cancel() },
		"time, then parent":   func(c control) { c.pass(time.Minute); c.cancelParent(cause) },
		"cancel, then time":   func(c control) { c.cancel(); c.pass(time.Minute) },
		"cancel, then parent": func(c control) { c.cancel(); c.cancelParent(cause) },
		"parent, then cancel": func(c control) { c.cancelParent(cause); c.cancel() },
		"parent, then time":   func(c control) { c.cancelParent(cause); c.pass(time.Minute) },
		"cancel with a cause whose error is the deadline's": func(c control) { c.cancelParent(context.DeadlineExceeded) },
	}
}

// seenOfOne makes a timeout below a parent, lets it end, and returns what can be seen of it and of
// contexts below it.
func seenOfOne(
	with maker, ctx context.Context, pass func(time.Duration), d time.Duration,
	parent func(maker, context.Context) context.Context, way func(control),
) map[string]seen {
	root, cancelParent := context.WithCancelCause(ctx)
	defer cancelParent(nil)
	of := parent(with, root)
	made, cancelMade := with(of, d)
	bare, cancelBare := with(of, d)
	cancel := func() { cancelMade(); cancelBare() }
	defer cancel()
	under := map[string]context.Context{"one that nobody has asked before": bare}
	for name, make := range below {
		under[name] = make(made)
	}
	way(control{pass, cancelParent, cancel})
	synctest.Wait()
	what := map[string]seen{}
	for name, ctx := range under {
		what[name] = seenOf(ctx)
	}
	what["made later"] = seenOf(withCancel(made))
	pass(2 * time.Hour)
	return what
}

// Whatever ends it, and in whichever order, what can be seen is what can be seen of package
// context.
func TestATimeoutEndsAsThatOfPackageContext(t *testing.T) {
	makers := map[string][2]maker{
		"WithTimeout": {WithTimeout, context.WithTimeout},
		"WithDeadline": {
			func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
				return WithDeadline(ctx, time.Now().Add(d))
			},
			func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
				return context.WithDeadline(ctx, time.Now().Add(d))
			},
		},
	}
	parents := map[string]func(with maker, ctx context.Context) context.Context{
		"":                    func(_ maker, ctx context.Context) context.Context { return ctx },
		"of a later one":      func(with maker, ctx context.Context) context.Context { c, _ := with(ctx, time.Hour); return c },
		"of an earlier one":   func(with maker, ctx context.Context) context.Context { c, _ := with(ctx, time.Second); return c },
		"of one that is over": func(with maker, ctx context.Context) context.Context { c, _ := with(ctx, -1); return c },
	}
	for name, pair := range makers {
		for _, d := range []time.Duration{time.Minute, 0, -time.Second} {
			for of, parent := range parents {
				for way, end := range waysToEnd() {
					t.Run(fmt.Sprint(name, " of ", d, " ", of, " ended by ", way), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							sleep := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
							p := pool.New()
							ctx := schedulers.With(context.Background(), p)
							want := seenOfOne(pair[1], ctx, sleep, d, parent, end)
							assert.Equal(t, want, seenOfOne(pair[0], ctx, sleep, d, parent, end), "real time")
							require.NoError(t, p.Shutdown(context.Background()))

							m := scheduler.New()
							pass := func(d time.Duration) { m.Advance(d); synctest.Wait() }
							ctx = schedulers.With(context.Background(), m)
							assert.Equal(t, want, seenOfOne(pair[0], ctx, pass, d, parent, end), "a clock that is not real")
							_, armed := m.Next()
							assert.False(t, armed, "a timer is left")
						})
					})
				}
			}
		}
	}
}

// Waits end with a timeout for the same reason as with one of package context, although nobody
// asks it for its channel.
func TestWaitsEndWithATimeout(t *testing.T) {
	for way, end := range waysToEnd() {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Equal(t, outcomesWithin(t, context.WithTimeout, end), outcomesWithin(t, WithTimeout, end))
			})
		})
	}
}

// outcomesWithin returns the outcomes of jobs that wait within a timeout of a minute.
func outcomesWithin(t *testing.T, with maker, way func(control)) (outcomes []string) {
	t.Helper()
	p := pool.New()
	root, cancelParent := context.WithCancelCause(schedulers.With(context.Background(), p))
	ctx, cancel := with(root, time.Minute)
	never := NewSource[int]()
	next := func(context.Context, *Job[int]) (Void, error) { return Void{}, nil }
	jobs := []Handle{
		SleepAsync(ctx, time.Hour), WaitAsync(ctx, never.Job()), WaitTimeout(ctx, never.Job(), time.Hour),
		ContinueWith(ctx, never.Job(), next), SleepAsync(context.WithValue(ctx, userKey{}, 1), time.Hour),
	}
	if own, is := ctx.(*timeout); is {
		lean, cancel := with(root, time.Minute)
		other := SleepAsync(lean, time.Millisecond)
		_, err := other.Await()
		require.NoError(t, err)
		assert.Nil(t, interleave.LoadPointer(&lean.(*timeout).rest), "a wait needs no more than the context has")
		assert.Nil(t, interleave.LoadPointer(&own.ownRest().inner), "nor do several at once, and one below a value")
		cancel()
	}
	way(control{func(d time.Duration) { time.Sleep(d); synctest.Wait() }, cancelParent, cancel})
	synctest.Wait()
	for _, j := range jobs {
		outcomes = append(outcomes, fmt.Sprint(j.Status(), " ", j.Err()))
	}
	cancel()
	cancelParent(nil)
	never.TrySetResult(1)
	synctest.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	return outcomes
}

// Most timeouts have one wait, or one after another.
func TestTheOnlyWaitEndsWithItsTimeout(t *testing.T) {
	for way, end := range waysToEnd() {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Equal(t, outcomeOfOne(t, context.WithTimeout, end), outcomeOfOne(t, WithTimeout, end))
			})
		})
	}
}

// outcomeOfOne returns the outcome of the second of two sleeps within a timeout of a minute.
func outcomeOfOne(t *testing.T, with maker, way func(control)) string {
	t.Helper()
	p := pool.New()
	root, cancelParent := context.WithCancelCause(schedulers.With(context.Background(), p))
	ctx, cancel := with(root, time.Minute)
	_, err := SleepAsync(ctx, time.Second).Await()
	require.NoError(t, err)
	sleep := SleepAsync(ctx, 2*time.Minute)
	way(control{func(d time.Duration) { time.Sleep(d); synctest.Wait() }, cancelParent, cancel})
	synctest.Wait()
	outcome := fmt.Sprint(sleep.Status(), " ", sleep.Err())
	cancel()
	cancelParent(nil)
	synctest.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	return outcome
}

func TestPackageContextAsksForItsOwnContexts(t *testing.T) {
	require.NotNil(t, standardKey, "it asks in another way now: a timeout has no cause")
	ctx, cancel := context.WithCancelCause(context.Background())
	assert.Same(t, ctx, ctx.Value(standardKey))
	cancel(nil)
}

func TestTheParentsEndIsSeenAtOnce(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context) error{
		"Err":   context.Context.Err,
		"Cause": context.Cause,
		"Done":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"below": func(ctx context.Context) error { return withCancel(ctx).Err() },
		"a context that was made before": func(ctx context.Context) error {
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			ctx.Value(userKey{}).(context.CancelFunc)()
			_ = homeOf(inner) // as all that starts work with a context
			return inner.Err()
		},
	} {
		parent, cancel := context.WithCancel(context.Background())
		parent = context.WithValue(parent, userKey{}, cancel)
		ctx, release := WithTimeout(parent, time.Hour)
		if name != "a context that was made before" {
			cancel()
		}
		assert.Equal(t, context.Canceled, ask(ctx), name)
		release()
	}
}

func TestATimeoutOnAClockThatIsNotRealHasADeadline(t *testing.T) {
	m := scheduler.New()
	for name, ctx := range map[string]context.Context{
		"the scheduler":    schedulers.With(context.Background(), m),
		"one on top of it": schedulers.With(context.Background(), limited.New(m, 2)),
	} {
		ctx, cancel := WithTimeout(ctx, time.Hour)
		m.Advance(time.Minute)
		at, ok := ctx.Deadline()
		require.True(t, ok, name)
		same, cancelSame := WithDeadline(schedulers.With(context.Background(), m), at)
		later, cancelLater := WithDeadline(ctx, time.Now().Add(time.Hour))
		last, _ := later.Deadline()
		assert.Equal(t, at, last, "that of the parent is earlier")
		m.Advance(59*time.Minute - 1)
		assert.NoError(t, ctx.Err(), name)
		assert.NoError(t, same.Err(), name)
		m.Advance(1)
		assert.Equal(t, context.DeadlineExceeded, ctx.Err(), name)
		assert.Equal(t, context.DeadlineExceeded, same.Err(), name)
		assert.Equal(t, context.DeadlineExceeded, later.Err(), name)
		cancelLater()
		cancelSame()
		cancel()
	}
}

// The longest durations, and times before and after all clocks.
func TestADeadlineMayBeFarAway(t *testing.T) {
	for _, home := range []schedulers.Scheduler{scheduler.New(), pool.New()} {
		ctx := schedulers.With(nil, home) //nolint:staticcheck // as programs may
		for _, d := range []time.Duration{1<<63 - 1, 1 << 62} {
			far, cancel := WithTimeout(ctx, d)
			assert.NoError(t, far.Err())
			cancel()
			assert.Equal(t, context.Canceled, far.Err())
		}
		past, cancel := WithDeadline(ctx, time.Time{})
		assert.Equal(t, context.DeadlineExceeded, past.Err())
		cancel()
	}
	ctx, cancel := WithTimeout(nil, 0) //nolint:staticcheck // as programs may
	defer cancel()
	assert.Equal(t, context.DeadlineExceeded, ctx.Err())
}

func hasReading(t time.Time) bool { return t.String() != t.Round(0).String() }

// A deadline is the time that was given, whether it has a reading of the clock or not.
func TestTheDeadlineOfATimeoutIsWhatWasGiven(t *testing.T) {
	now := time.Now().Add(time.Hour)
	for _, at := range []time.Time{now, now.Round(0), now.UTC(), now.In(time.FixedZone("elsewhere", 3600)), now.Add(1 << 62)} {
		ctx, cancel := WithDeadline(context.Background(), at)
		got, ok := ctx.Deadline()
		require.True(t, ok)
		assert.True(t, got.Equal(at), "%v is not %v", got, at)
		assert.Equal(t, at.Location(), got.Location())
		assert.Equal(t, hasReading(at), hasReading(got), "%v and %v", got, at)
		cancel()
	}
	before := time.Now()
	ctx, cancel := WithTimeout(context.Background(), time.Hour)
	defer cancel()
	at, _ := ctx.Deadline()
	assert.WithinRange(t, at, before.Add(time.Hour), time.Now().Add(time.Hour))
	assert.WithinDuration(t, time.Now().Add(time.Hour).Round(0), at.Round(0), time.Minute)
	again, _ := ctx.Deadline()
	assert.Equal(t, at, again)
}

func TestATimeoutOfAJobEndsItsWork(t *testing.T) {
	m := scheduler.New()
	ctx, cancel := WithTimeout(schedulers.With(context.Background(), m), time.Hour)
	defer cancel()
	j := Go(ctx, func(ctx context.Context) error {
		<-SleepAsync(ctx, time.Minute).Done() // arms its timer and is not waited for: see below
		return ctx.Err()
	})
	j.Cancel()
	m.RunAll()
	assert.Equal(t, Canceled, j.Status())

	sleep := SleepAsync(ctx, 2*time.Hour)
	m.Advance(time.Hour)
	_, err := sleep.Wait(context.Background())
	assert.Equal(t, context.DeadlineExceeded, err)
	assert.Equal(t, Canceled, sleep.Status())
}

// A timeout that has ended, by whatever, keeps nothing: no timer, and no watch of its parent.
func TestATimeoutLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scheduler.New()
		root, end := context.WithCancel(schedulers.With(context.Background(), m))
		for range 3 {
			_, cancel := WithTimeout(root, time.Hour)
			cancel()
			_, armed := m.Next()
			assert.False(t, armed)
		}
		ctx, cancel := WithTimeout(root, time.Hour)
		defer cancel()
		end()
		synctest.Wait()
		_, armed := m.Next()
		assert.False(t, armed, "the parent has ended")
		assert.False(t, ctx.(*timeout).ownRest().watch.Started())
	})
}

// moody is a context of a user whose Err panics.
type moody struct {
	context.Context
	bad atomic.Bool
}

func (m *moody) Err() error {
	if m.bad.Load() {
		panic("no error")
	}
	return m.Context.Err()
}

func TestATimeoutBelowAContextThatPanicsExpires(t *testing.T) {
	heard := make(chan string, 10)
	defer schedulers.OnHookPanic(schedulers.OnHookPanic(func(p *schedulers.HookPanic) { heard <- p.Hook }))
	m := scheduler.New()
	root, end := context.WithCancel(schedulers.With(context.Background(), m))
	parent := &moody{Context: root}
	ctx, cancel := WithTimeout(parent, time.Hour)
	inner := withCancel(ctx)
	parent.bad.Store(true)
	m.Advance(time.Hour)
	assert.Equal(t, context.DeadlineExceeded, inner.Err())
	assert.Equal(t, "context.Context.Err", <-heard)

	parent = &moody{Context: root}
	ctx, cancelOther := WithTimeout(parent, time.Hour)
	parent.bad.Store(true)
	end() // the watch calls Err on a goroutine of its own
	assert.Equal(t, "context.Context.Err", <-heard)
	parent.bad.Store(false)
	assert.Equal(t, context.Canceled, ctx.Err())
	cancelOther()
	cancel()
}

func TestATimeoutDescribesItself(t *testing.T) {
	ctx, cancel := WithTimeout(context.Background(), time.Hour)
	defer cancel()
	assert.Contains(t, fmt.Sprint(ctx), "context.Background.WithDeadline(")
}
