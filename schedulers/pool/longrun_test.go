package pool_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// ways lists the ways to run a function as a job.
var ways = map[string]func(ctx context.Context, fn func(context.Context) error){
	"Go":  func(ctx context.Context, fn func(context.Context) error) { job.Go(ctx, fn) },
	"Run": func(ctx context.Context, fn func(context.Context) error) { job.Run(ctx, valueOf(fn)) },
	"New": func(ctx context.Context, fn func(context.Context) error) { _ = job.New(ctx, valueOf(fn)).Start() },
	"Spawn": func(ctx context.Context, fn func(context.Context) error) {
		job.Spawn(job.NewScope(ctx), valueOf(fn))
	},
	"Spawn, held back": func(ctx context.Context, fn func(context.Context) error) {
		s := job.NewScope(ctx)
		s.Limit(1)
		s.Go(func(context.Context) error { return nil })
		job.Spawn(s, valueOf(fn))
	},
	"Scope.Go":    func(ctx context.Context, fn func(context.Context) error) { job.NewScope(ctx).Go(fn) },
	"with a name": func(ctx context.Context, fn func(context.Context) error) { job.Go(ctx, fn, job.Named("long")) },
}

//go:noinline
func valueOf(fn func(context.Context) error) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) { return 0, fn(ctx) }
}

func TestAFunctionThatTookLongRunsOutsideTheWorkers(t *testing.T) {
	for name, start := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(pool.Workers(1, 1), pool.LearnLongRunning(100*time.Millisecond))
				ctx := schedulers.With(context.Background(), p)
				var takes time.Duration
				var outside []bool
				ended := make(chan struct{})
				fn := func(ctx context.Context) error {
					outside = append(outside, schedulers.WorkerFrom(ctx) == nil)
					time.Sleep(takes)
					ended <- struct{}{}
					return nil
				}
				run := func(d time.Duration) {
					takes = d
					start(ctx, fn)
					<-ended
					synctest.Wait()
				}
				run(100 * time.Millisecond)
				run(time.Second)
				run(time.Millisecond)
				assert.Equal(t, []bool{false, false, true}, outside)
				for range 7 {
					run(time.Millisecond)
				}
				run(time.Millisecond)
				assert.Equal(t, []bool{true, false}, outside[9:], "eight short runs in a row")
				require.NoError(t, p.Shutdown(context.Background()))
			})
		})
	}
}

// Short work does not wait behind a learned function, and other functions are not affected.
func TestShortWorkDoesNotWaitBehindALearnedFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Workers(1, 100), pool.LearnLongRunning(time.Second))
		ctx := schedulers.With(context.Background(), p)
		long := func(context.Context) error { time.Sleep(time.Hour); return nil }
		_, err := job.Go(ctx, long).Wait(ctx)
		require.NoError(t, err)
		for range 50 {
			job.Go(ctx, long)
		}
		began := time.Now()
		worker, err := job.Run(ctx, func(ctx context.Context) (bool, error) { return schedulers.WorkerFrom(ctx) != nil, nil }).Wait(ctx)
		require.NoError(t, err)
		assert.True(t, worker)
		assert.Zero(t, time.Since(began))
		assert.LessOrEqual(t, p.Metrics().Workers, uint64(1))
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestAFunctionThatDoesNotReturnHasTakenItsTime(t *testing.T) {
	for name, leave := range map[string]func(){"a panic": func() { panic("deliberate") }, "an exit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool.New(pool.Workers(1, 1), pool.LearnLongRunning(time.Second))
				ctx := schedulers.With(context.Background(), p)
				var outside atomic.Bool
				for range 2 {
					_, err := job.Go(ctx, func(ctx context.Context) error {
						outside.Store(schedulers.WorkerFrom(ctx) == nil)
						time.Sleep(time.Minute)
						leave()
						return nil
					}).Wait(context.Background())
					require.Error(t, err)
				}
				assert.True(t, outside.Load())
				require.NoError(t, p.Shutdown(context.Background()))
			})
		})
	}
}

// A job is canceled while its function is learned.
func TestJobsOfALearnedFunctionAreCanceled(t *testing.T) {
	p := pool.New(pool.LearnLongRunning(time.Nanosecond))
	ctx := schedulers.With(context.Background(), p)
	var ran atomic.Int64
	for range 2000 {
		ctx, cancel := context.WithCancel(ctx)
		j := job.Go(ctx, func(context.Context) error { ran.Add(1); return nil })
		go cancel()
		_, _ = j.Wait(context.Background())
	}
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, m.Submitted, m.Completed+m.Abandoned)
}

// A job is made for a pool that learns and started on another scheduler, and the reverse.
func TestAJobMayBeStartedElsewhere(t *testing.T) {
	learns, other := pool.New(pool.LearnLongRunning(time.Nanosecond)), pool.New()
	for _, c := range [][2]*pool.Pool{{learns, other}, {other, learns}} {
		j := job.New(schedulers.With(context.Background(), c[0]), func(context.Context) (int, error) { return 7, nil })
		require.NoError(t, j.Start(job.On(c[1])))
		n, err := j.Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 7, n)
	}
	require.NoError(t, learns.Shutdown(context.Background()))
	require.NoError(t, other.Shutdown(context.Background()))
}

// A waiter for the scope runs children in place while others are started. This test is for
// the race detector.
func TestAWaiterRunsChildrenThatAreLearned(t *testing.T) {
	p := pool.New(pool.LearnLongRunning(time.Nanosecond))
	ctx := schedulers.With(context.Background(), p)
	var ran atomic.Int64
	for range 200 {
		s := job.NewScope(ctx)
		s.Go(func(context.Context) error {
			for range 20 {
				s.Go(func(context.Context) error { ran.Add(1); return nil })
			}
			return nil
		})
		require.NoError(t, s.Wait())
	}
	assert.EqualValues(t, 4000, ran.Load())
	require.NoError(t, p.Shutdown(context.Background()))
}

// A function that suspends has not kept its worker. This includes the steps of all machines.
func TestWhatSuspendsIsNotLearned(t *testing.T) {
	p := pool.New(pool.LearnLongRunning(time.Nanosecond))
	ctx := schedulers.With(context.Background(), p)
	for range 3 {
		worker := false
		_, err := job.RunTwin(ctx, func(ctx context.Context) *job.Job[job.Void] { //nolint:staticcheck // suspends, without a generated function
			worker = schedulers.WorkerFrom(ctx) != nil
			time.Sleep(time.Microsecond)
			return job.SleepAsync(ctx, time.Microsecond)
		}).Wait(ctx)
		require.NoError(t, err)
		assert.True(t, worker)
	}
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestWithoutALimitNothingIsLearned(t *testing.T) {
	assert.Nil(t, pool.New().Learned())
	assert.Nil(t, pool.New(pool.LearnLongRunning(0)).Learned())
	assert.Nil(t, pool.New(pool.LearnLongRunning(time.Second), pool.LearnLongRunning(-1)).Learned())
}

func ExampleLearnLongRunning() {
	p := pool.New(pool.Workers(1, 1), pool.LearnLongRunning(10*time.Millisecond))
	ctx := schedulers.With(context.Background(), p)
	render := func(ctx context.Context) (string, error) {
		time.Sleep(20 * time.Millisecond) // or computes for that long
		if schedulers.WorkerFrom(ctx) == nil {
			return "on a goroutine of its own", nil
		}
		return "on a worker", nil
	}
	for range 2 {
		fmt.Println(job.Run(ctx, render).Await())
	}
	_ = p.Shutdown(context.Background())
	// Output:
	// on a worker <nil>
	// on a goroutine of its own <nil>
}
