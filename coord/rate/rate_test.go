package rate_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/statemachine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var t0 = time.Unix(1_000_000, 0)

// at returns t0 plus the given tenths of a second.
func at(tenths int) time.Time { return t0.Add(time.Duration(tenths) * 100 * time.Millisecond) }

func TestABucketIsFullAtFirstAndRefilled(t *testing.T) {
	l := rate.NewLimiter(10, 3)
	for i, step := range []struct {
		tenths, n int
		want      bool
	}{
		{0, 1, true}, {0, 2, true}, {0, 1, false}, {1, 1, true}, {1, 1, false},
		{5, 4, false}, {5, 3, true}, {4, 1, false}, {6, 1, true}, {100, 3, true}, {100, 1, false}, {101, 0, true},
	} {
		assert.Equal(t, step.want, l.AllowN(at(step.tenths), step.n), "step %d", i)
	}
}

func TestReservationsFollowOneAnother(t *testing.T) {
	l := rate.NewLimiter(10, 2)
	var all []*rate.Reservation
	for i, want := range []int{0, 1, 2, 4} {
		n := 1 + i%2
		r := l.ReserveN(at(0), n)
		require.True(t, r.OK())
		assert.Equal(t, at(want).Sub(at(0)), r.DelayFrom(at(0)), "reservation %d", i)
		all = append(all, r)
	}
	assert.False(t, l.ReserveN(at(0), 3).OK(), "more than the burst")
	assert.Equal(t, time.Duration(math.MaxInt64), l.ReserveN(at(0), 3).Delay())
	assert.InDelta(t, -4.0, l.TokensAt(at(0)), 1e-9)

	all[3].CancelAt(at(0))
	all[3].CancelAt(at(0))
	assert.InDelta(t, -2.0, l.TokensAt(at(0)), 1e-9, "the last gives all back, once")
	all[0].CancelAt(at(0))
	assert.InDelta(t, -2.0, l.TokensAt(at(0)), 1e-9, "others follow from the first")
	assert.Zero(t, (&rate.Reservation{}).DelayFrom(t0)-time.Duration(math.MaxInt64))
	(&rate.Reservation{}).Cancel()
}

func TestLimitsAtTheEdges(t *testing.T) {
	all := rate.NewLimiter(rate.Inf, 0)
	assert.True(t, all.AllowN(t0, 1_000_000))
	require.NoError(t, all.WaitN(context.Background(), 5))
	r := all.Reserve()
	assert.Zero(t, r.DelayFrom(time.Now()))
	r.Cancel()

	none := rate.NewLimiter(0, 2)
	assert.True(t, none.AllowN(t0, 2))
	assert.False(t, none.AllowN(at(1_000_000), 1))
	assert.Equal(t, time.Duration(math.MaxInt64), none.ReserveN(t0, 1).DelayFrom(t0))
	assert.False(t, new(rate.Limiter).Allow())
	require.ErrorIs(t, new(rate.Limiter).Wait(context.Background()), rate.ErrBurst)

	assert.Equal(t, rate.Inf, rate.Every(0))
	assert.InDelta(t, 4.0, float64(rate.Every(250*time.Millisecond)), 1e-9)
}

func TestRateAndBurstMayChange(t *testing.T) {
	l := rate.NewLimiter(1, 1)
	assert.True(t, l.AllowN(t0, 1))
	l.SetLimitAt(t0, 10)
	l.SetBurstAt(t0, 5)
	assert.Equal(t, rate.Limit(10), l.Limit())
	assert.Equal(t, 5, l.Burst())
	assert.True(t, l.AllowN(at(5), 5))
	l.SetBurst(2)
	l.SetLimit(1)
	assert.InDelta(t, 2.0, l.Tokens(), 1e-9)
}

// The clock of a caller may be behind that of another: no time is counted twice.
func TestAnEarlierChangeGrantsNothingTwice(t *testing.T) {
	for name, change := range map[string]func(l *rate.Limiter){
		"of the limit": func(l *rate.Limiter) { l.SetLimitAt(t0, 1) },
		"of the burst": func(l *rate.Limiter) { l.SetBurstAt(t0, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			l := rate.NewLimiter(1, 5)
			require.True(t, l.AllowN(t0, 5))
			require.True(t, l.AllowN(at(50), 5))
			change(l)
			assert.False(t, l.AllowN(at(50), 1))
			assert.True(t, l.AllowN(at(60), 1))
			assert.False(t, l.AllowN(at(60), 1))
		})
	}
}

// Both forms wait in the same way: a burst at once, then one per interval.
func TestWaitsInABubble(t *testing.T) {
	for name, wait := range map[string]func(l *rate.Limiter, ctx context.Context) error{
		"plain": func(l *rate.Limiter, ctx context.Context) error { return l.Wait(ctx) },
		"async": func(l *rate.Limiter, ctx context.Context) error {
			_, err := l.WaitAsync(ctx).Wait(context.Background())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := schedulers.With(context.Background(), pool.New())
				l, began := rate.NewLimiter(rate.Every(time.Second), 3), time.Now()
				for range 10 {
					require.NoError(t, wait(l, ctx))
				}
				assert.Equal(t, 7*time.Second, time.Since(began))

				soon, stop := context.WithTimeout(ctx, 500*time.Millisecond)
				defer stop()
				require.ErrorIs(t, wait(l, soon), rate.ErrDeadline)
				require.ErrorIs(t, l.WaitN(ctx, 4), rate.ErrBurst)
				assert.Equal(t, 7*time.Second, time.Since(began), "both say so at once")

				canceled, cancel := context.WithCancel(ctx)
				time.AfterFunc(300*time.Millisecond, cancel)
				require.ErrorIs(t, wait(l, canceled), context.Canceled)
				require.ErrorIs(t, wait(l, canceled), context.Canceled)
				require.NoError(t, wait(l, ctx))
				assert.Equal(t, 8*time.Second, time.Since(began), "a wait that gave up has given its token back")
			})
		})
	}
}

// Virtual time of a simulation, by the context of the wait or by the option.
func TestWaitsInASimulation(t *testing.T) {
	for name, opts := range map[string]func(s *simulation.Scheduler) []rate.Option{
		"by its context": func(*simulation.Scheduler) []rate.Option { return nil },
		"by the option":  func(s *simulation.Scheduler) []rate.Option { return []rate.Option{rate.On(s)} },
	} {
		t.Run(name, func(t *testing.T) {
			s := simulation.New(1)
			l := rate.NewLimiter(rate.Every(time.Hour), 1, opts(s)...)
			ctx := s.Context(context.Background())
			var ended atomic.Int64
			for range 5 {
				job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[job.Void] {
					return job.Finally(ctx, l.WaitAsync(ctx), func(context.Context) error { ended.Add(1); return nil })
				}))
			}
			require.NoError(t, s.Run())
			assert.EqualValues(t, 5, ended.Load())
			assert.Equal(t, 4*time.Hour, s.Now())
			require.NoError(t, s.Shutdown(context.Background()))
		})
	}
}
