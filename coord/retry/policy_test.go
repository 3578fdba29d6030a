package retry_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord/retry"
)

func TestExponentialPausesGrowUpToTheirBound(t *testing.T) {
	p := retry.Exponential(time.Second, 5*time.Second)
	for range 100 {
		for _, longest := range seconds(1, 2, 4, 5, 5) {
			pause := p.NextBackOff()
			assert.LessOrEqual(t, pause, longest)
			assert.GreaterOrEqual(t, pause, longest/2)
		}
		p.(interface{ Reset() }).Reset()
	}
}

func TestExponentialPausesAreRandom(t *testing.T) {
	pauses := map[time.Duration]bool{}
	for range 100 {
		pauses[retry.Exponential(time.Hour, time.Hour).NextBackOff()] = true
	}
	assert.Greater(t, len(pauses), 1)
}

func TestExponentialPausesAreNeverNegative(t *testing.T) {
	for _, d := range [][2]time.Duration{{0, 0}, {-1, 1}, {1, -1}, {1 << 62, 1<<63 - 1}, {1<<63 - 1, 1<<63 - 1}} {
		p := retry.Exponential(d[0], d[1])
		for range 5 {
			assert.GreaterOrEqual(t, p.NextBackOff(), time.Duration(0), d)
		}
	}
}

func TestNothingIsMarkedIfThereIsNoError(t *testing.T) {
	require.NoError(t, retry.Permanent(nil))
	require.NoError(t, retry.After(time.Second, nil))
}

func TestMarksKeepTheError(t *testing.T) {
	for _, err := range []error{retry.Permanent(errBad), retry.After(time.Second, errBad)} {
		require.EqualError(t, err, errBad.Error())
		require.ErrorIs(t, err, errBad)
	}
}

// A budget of ten percent and a burst of ten: of a thousand calls that fail, 110 are repeated.
func TestABudgetIsSharedByAllCallers(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			budget := retry.NewBudget(0.125, 10)
			for range 20 { // takes all of the burst
				_, err := retry.Do(context.Background(), retry.Constant(0), fails, retry.Attempts(2), retry.Spending(budget))
				require.Error(t, err)
			}
			var calls, spent atomic.Int32
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 100 {
						_, err := retry.Do(context.Background(), retry.Constant(0), func(context.Context) (int, error) {
							calls.Add(1)
							return 0, errBusy
						}, retry.Attempts(2), retry.Spending(budget))
						if errors.Is(err, retry.ErrBudget) {
							spent.Add(1)
						}
					}
				})
			}
			all.Wait()
			assert.EqualValues(t, 800+100, calls.Load())
			assert.EqualValues(t, 700, spent.Load())
		})
	}
}

func TestABudgetSavesNoMoreThanItsBurst(t *testing.T) {
	budget := retry.NewBudget(0.5, 2)
	works := func(context.Context) (int, error) { return 0, nil }
	for range 100 {
		_, err := retry.Do(context.Background(), retry.Constant(0), works, retry.Spending(budget))
		require.NoError(t, err)
	}
	_, err := retry.Do(context.Background(), retry.Constant(0), fails, retry.Spending(budget))
	require.EqualError(t, err, "retry: the budget is spent after attempt 3: busy")
}

func fails(context.Context) (int, error) { return 0, errBusy }

func TestNotifyTellsOfEachPause(t *testing.T) {
	for form, call := range doers {
		t.Run(form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []retry.Failure
				server := &server{script: []error{errBusy, retry.After(time.Minute, errBad), errBusy}, now: func() time.Duration { return 0 }}
				ctx, shutdown := onPool(t)
				_, err := call(ctx, server, &doubling{first: time.Second}, retry.Attempts(3),
					retry.Notify(func(f retry.Failure) { told = append(told, f) }))
				require.Error(t, err)
				assert.Equal(t, []retry.Failure{{Err: errBusy, Attempt: 1, Pause: time.Second}, {Err: errBad, Attempt: 2, Pause: time.Minute}}, told)
				shutdown()
			})
		})
	}
}

// A nil context stands for the background, for the function, too.
func TestANilContextIsBackground(t *testing.T) {
	for name, do := range map[string]func(context.Context) (context.Context, error){
		"Do": func(ctx context.Context) (context.Context, error) {
			return retry.Do(ctx, retry.Constant(0), func(ctx context.Context) (context.Context, error) { return ctx, nil })
		},
		"Hedge": func(ctx context.Context) (context.Context, error) {
			return retry.Hedge(ctx, retry.Constant(time.Hour), func(ctx context.Context) (context.Context, error) { return ctx, nil })
		},
	} {
		ctx, err := do(nil)
		require.NoError(t, err, name)
		assert.NotNil(t, ctx, name)
	}
}
