package statemachine_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// doze sleeps twice.
//
//movenext:async
func doze(ctx context.Context, d time.Duration) error {
	if err := job.Sleep(ctx, d); err != nil {
		return err
	}
	return job.Sleep(ctx, d)
}

// dozers are the two executions of doze.
var dozers = map[string]func(context.Context, time.Duration) *job.Job[job.Void]{
	"machine": dozeAsync,
	"goroutine": func(ctx context.Context, d time.Duration) *job.Job[job.Void] {
		s := job.NewSource[job.Void]()
		go func() { s.TrySet(job.Void{}, doze(ctx, d)) }()
		return s.Job()
	},
}

// eachDozer runs test for both, with a pool that belongs to its bubble.
func eachDozer(t *testing.T, test func(t *testing.T, ctx context.Context, doze func(context.Context, time.Duration) *job.Job[job.Void])) {
	t.Helper()
	for name, doze := range dozers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New()
				test(t, schedulers.With(context.Background(), p), doze)
				require.NoError(t, p.Shutdown(context.Background()))
			})
		})
	}
}

func TestAMachineSleepsAsLongAsAGoroutine(t *testing.T) {
	eachDozer(t, func(t *testing.T, ctx context.Context, doze func(context.Context, time.Duration) *job.Job[job.Void]) {
		guarded, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, ctx := range []context.Context{ctx, guarded} {
			for _, d := range []time.Duration{-1, 0, time.Second} {
				began := time.Now()
				_, err := doze(ctx, d).Await()
				require.NoError(t, err)
				assert.Equal(t, 2*max(0, d), time.Since(began))
			}
		}
	})
}

func TestASleepEndsWithItsContext(t *testing.T) {
	reason := errors.New("the alarm")
	eachDozer(t, func(t *testing.T, ctx context.Context, doze func(context.Context, time.Duration) *job.Job[job.Void]) {
		ctx, cancel := context.WithCancelCause(ctx)
		began := time.Now()
		j := doze(ctx, time.Hour)
		time.Sleep(90 * time.Minute)
		cancel(reason)
		_, err := j.Await()
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, reason)
		assert.Equal(t, 90*time.Minute, time.Since(began))

		_, err = doze(ctx, time.Hour).Await()
		require.ErrorIs(t, err, reason, "a context that has ended before")
		assert.Equal(t, 90*time.Minute, time.Since(began))
	})
}

func TestASleepThatExpiresWhileItsContextEndsDoesOneOfBoth(t *testing.T) {
	for range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Microsecond)
		if _, err := dozeAsync(ctx, 10*time.Microsecond).Await(); err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
}

// faultyTimers are those of a pool until they fail.
type faultyTimers struct {
	*pool.Pool
	left int // sleeps until then
	fail func()
}

func (f *faultyTimers) StartTimer(t *schedulers.Timer, d time.Duration) {
	if f.left == 0 {
		f.fail()
	}
	f.left--
	f.Pool.StartTimer(t, d)
}

// eachGuard runs test for a context that cannot end, and for one that can.
func eachGuard(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	t.Helper()
	t.Run("unguarded", func(t *testing.T) { test(t, context.Background()) })
	t.Run("guarded", func(t *testing.T) { test(t, t.Context()) })
}

func TestTimersThatPanicDoSoInTheFunctionThatSleeps(t *testing.T) {
	for name, sleeps := range map[string]int{"at its start": 0, "later": 1} {
		t.Run(name, func(t *testing.T) {
			eachGuard(t, func(t *testing.T, ctx context.Context) {
				s := &faultyTimers{Pool: pool.New(), left: sleeps, fail: func() { panic("no timer") }}
				_, err := dozeAsync(schedulers.With(ctx, s), time.Microsecond).Wait(context.Background())
				var p *job.PanicError
				require.ErrorAs(t, err, &p)
				assert.Equal(t, "no timer", p.Value)
				require.NoError(t, s.Shutdown(context.Background()))
			})
		})
	}
}

func TestTimersThatExitDoSoInTheFunctionThatSleeps(t *testing.T) {
	eachGuard(t, func(t *testing.T, ctx context.Context) {
		s := &faultyTimers{Pool: pool.New(), left: 1, fail: runtime.Goexit}
		_, err := dozeAsync(schedulers.With(ctx, s), time.Microsecond).Wait(context.Background())
		require.ErrorIs(t, err, job.ErrGoexit)
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// The context ends between the start of the watch and that of the timer; the machine
// continues, and ends, while the goroutine that arms the timer is still in StartTimer.
func TestASleepThatItsContextEndsBeforeItsTimerIsArmedEndsOnce(t *testing.T) {
	for name, then := range map[string]func(){
		"armed": func() {},
		"panic": func() { panic("too late") },
		"exit":  runtime.Goexit,
		"panic while it exits": func() {
			defer panic("too late")
			runtime.Goexit()
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			s := &faultyTimers{Pool: pool.New(), left: 1, fail: func() {
				cancel()
				<-ended
				then()
			}}
			_, err := dozeAsync(schedulers.With(ctx, s), time.Microsecond).Wait(context.Background())
			close(ended)
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, s.Shutdown(context.Background()))
		})
	}
}

// quiet is a context that ends without an error.
type quiet struct{ context.Context }

func (quiet) Err() error { return nil }

// nod sleeps once.
//
//movenext:async
func nod(ctx context.Context, d time.Duration) error { return job.Sleep(ctx, d) }

func TestASleepThatEndsWithoutAReasonHasNoError(t *testing.T) {
	for name, nod := range map[string]func(context.Context, time.Duration) error{
		"goroutine": nod,
		"machine": func(ctx context.Context, d time.Duration) error {
			_, err := nodAsync(ctx, d).Wait(context.Background())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New()
				ctx, cancel := context.WithCancel(schedulers.With(context.Background(), p))
				beside := job.SleepAsync(ctx, time.Hour) // it watches the context for both
				time.AfterFunc(time.Minute, cancel)
				began := time.Now()
				require.NoError(t, nod(quiet{ctx}, time.Hour))
				assert.Equal(t, time.Minute, time.Since(began))
				_, err := beside.Await()
				require.ErrorIs(t, err, context.Canceled)
				require.NoError(t, p.Shutdown(context.Background()))
			})
		})
	}
}

// strictTimers are those of a pool. They recognize an armed timer by its time, as the
// contract permits.
type strictTimers struct {
	*pool.Pool
	t *testing.T
}

func (s *strictTimers) StartTimer(t *schedulers.Timer, d time.Duration) {
	assert.Zero(s.t, t.When, "it is not armed yet")
	s.Pool.StartTimer(t, d)
}

func TestTheTimerOfASleepLooksUnarmedUntilItIsArmed(t *testing.T) {
	s := &strictTimers{pool.New(), t}
	for range 100 {
		ctx, cancel := context.WithCancel(schedulers.With(context.Background(), s))
		j := dozeAsync(ctx, time.Microsecond)
		cancel()
		if _, err := j.Wait(context.Background()); err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	_, err := dozeAsync(schedulers.With(context.Background(), s), time.Microsecond).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestASleepWhoseContextAndHomeHaveEndedSaysWhyTheContextHas(t *testing.T) {
	p := pool.New()
	ctx, cancel := context.WithCancel(schedulers.With(context.Background(), p))
	j := dozeAsync(ctx, time.Hour)
	require.NoError(t, p.Shutdown(context.Background()))
	cancel()
	_, err := j.Wait(context.Background())
	require.ErrorIs(t, err, context.Canceled)
}

// countingTimers are those of a pool. They count the timers that are armed.
type countingTimers struct {
	*pool.Pool
	armed atomic.Int64
}

func (c *countingTimers) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.armed.Add(1)
	c.Pool.StartTimer(t, d)
}

func (c *countingTimers) StopTimer(t *schedulers.Timer) bool {
	stopped := c.Pool.StopTimer(t)
	if stopped {
		c.armed.Add(-1)
	}
	return stopped
}

// nodUnder sleeps under another context than its own.
//
//movenext:async
func nodUnder(ctx, other context.Context, d time.Duration) error {
	if err := job.Sleep(other, d); err != nil {
		return errors.Join(err, ctx.Err())
	}
	return ctx.Err()
}

// The timers are those of the context that a function sleeps under, not those of its home.
func TestASleepUnderTheContextOfAnotherSchedulerStopsItsTimerThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := &countingTimers{Pool: pool.New()}, &countingTimers{Pool: pool.New()}
		ctx := schedulers.With(context.Background(), here)
		for _, ends := range []bool{true, false} {
			other, cancel := context.WithCancel(schedulers.With(context.Background(), there))
			before := there.armed.Load()
			j := nodUnderAsync(ctx, other, time.Hour)
			time.Sleep(time.Minute)
			assert.Equal(t, before+1, there.armed.Load())
			if ends {
				cancel()
			}
			_, err := j.Wait(context.Background())
			assert.Equal(t, ends, errors.Is(err, context.Canceled), "%v", err)
			if ends {
				assert.Equal(t, before, there.armed.Load(), "it was stopped")
			}
			cancel()
		}
		assert.Zero(t, here.armed.Load())
		require.NoError(t, here.Shutdown(context.Background()))
		require.NoError(t, there.Shutdown(context.Background()))
	})
}

// unwatchable is a context that can end, and panics when it is watched.
type unwatchable struct{ context.Context }

var neverEnds = make(chan struct{})

func (unwatchable) Done() <-chan struct{}        { return neverEnds }
func (unwatchable) AfterFunc(func()) func() bool { panic("no watch") }

// fickle is a context that can end, and panics when it is asked for that again.
type fickle struct {
	context.Context
	asked *atomic.Int64
}

func (f fickle) Done() <-chan struct{} {
	if n := f.asked.Add(1); n == 2 {
		panic("no watch")
	}
	return neverEnds
}

func TestAContextThatPanicsDoesSoInTheFunctionThatSleeps(t *testing.T) {
	for name, ctx := range map[string]func() context.Context{
		"told":  func() context.Context { return unwatchable{t.Context()} },
		"asked": func() context.Context { return fickle{t.Context(), new(atomic.Int64)} },
	} {
		t.Run(name, func(t *testing.T) {
			assert.PanicsWithValue(t, "no watch", func() { _ = nod(ctx(), time.Hour) }, "the goroutine")
			_, err := nodAsync(ctx(), time.Hour).Wait(context.Background())
			var p *job.PanicError
			require.ErrorAs(t, err, &p, "the machine")
			assert.Equal(t, "no watch", p.Value)
		})
	}
}

// wavering is a context that can end, until it is asked again.
type wavering struct {
	context.Context
	asked *atomic.Bool
}

func (w wavering) Done() <-chan struct{} {
	if w.asked.Swap(true) {
		return nil
	}
	return neverEnds
}

func TestASleepUnderAContextThatChangesItsMindEnds(t *testing.T) {
	for name, sleep := range nods() {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, sleep(wavering{t.Context(), new(atomic.Bool)}, time.Millisecond))
		})
	}
}

// nods are the two executions of nod.
func nods() map[string]func(context.Context, time.Duration) error {
	return map[string]func(context.Context, time.Duration) error{
		"goroutine": nod,
		"machine": func(ctx context.Context, d time.Duration) error {
			_, err := nodAsync(ctx, d).Wait(context.Background())
			return err
		},
	}
}

// leaving is a cause that ends the goroutine that compares it.
type leaving struct{ error }

func (leaving) Is(error) bool { runtime.Goexit(); return false }

// A cause is a user's. That of one sleep does not keep the machines asleep that share its context.
func TestACauseThatExitsEndsTheSleepsOfItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var jobs []*job.Job[job.Void]
	for range 3 {
		jobs = append(jobs, nodAsync(ctx, time.Hour))
	}
	cancel(leaving{errors.New("away")})
	for _, j := range jobs {
		_, err := j.Wait(context.Background())
		require.ErrorIs(t, err, job.ErrGoexit)
	}
}

// endsSearch is a context that ends a search when it is asked for its first value: the home of the
// machine that suspends.
type endsSearch struct {
	context.Context
	end *sync.Once
	by  func()
}

func (c endsSearch) Value(key any) any {
	c.end.Do(c.by)
	return c.Context.Value(key)
}

//movenext:async
func sleepNotAtAll(ctx context.Context, d time.Duration) (string, error) {
	err := job.Sleep(ctx, d)
	return "slept", err
}

func TestASleepThatHasToYieldMayFindThatTheSearchHasEnded(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, parent := range []context.Context{context.Background(), canceled} {
		ctx := endsSearch{parent, new(sync.Once), budget.EveryAwait()}
		slept, err := sleepNotAtAllAsync(ctx, 0).Wait(context.Background())
		require.ErrorIs(t, err, parent.Err())
		if err == nil {
			assert.Equal(t, "slept", slept)
		}
	}
}
