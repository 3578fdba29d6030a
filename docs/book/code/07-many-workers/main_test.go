package main

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// local queue:    [b b2 b1 a a2 a1]
	// PreferFairness: [b a b1 b2 a1 a2]
	// run by another worker: 6 <nil>
}

// Exercise 1: the waiter's goroutine. The job that it waits for is in its own worker's queue, and
// has not begun, so the wait runs it in place: the event Inlined tells of it.
func TestExercise1AWaitOnTheOnlyWorkerRunsWhatItWaitsFor(t *testing.T) {
	one := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	var inPlace atomic.Int64
	defer schedulers.Observe(func(e schedulers.Event) {
		if e.Kind == schedulers.Inlined && e.Scheduler == schedulers.Scheduler(one) {
			inPlace.Add(1)
		}
	})()
	ctx := schedulers.With(context.Background(), one)
	v, err := job.Run(ctx, func(ctx context.Context) (int, error) {
		child := job.Run(ctx, func(context.Context) (int, error) { return 42, nil })
		return child.Wait(ctx)
	}).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 42, v)
	require.NoError(t, one.Shutdown(context.Background()))
	assert.EqualValues(t, 1, inPlace.Load())
}

// Exercise 2: the trace of a scheduler of two processors. The submitter is not a
// worker, so the work goes to the global queue, and the worker that is started
// for it takes it from there.
func TestExercise2TheDecisionsForOneJob(t *testing.T) {
	var mu sync.Mutex
	seen := map[workstealing.Decision]bool{}
	s := workstealing.New(workstealing.Processors(2), workstealing.Trace(func(e workstealing.Event) {
		mu.Lock()
		defer mu.Unlock()
		seen[e.Decision] = true
	}))
	_, err := job.Go(context.Background(), func(context.Context) error { return nil }, job.On(s)).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(context.Background()))
	assert.True(t, seen[workstealing.Started])
	assert.True(t, seen[workstealing.TookGlobal] || seen[workstealing.TookGlobalFirst])
	assert.False(t, seen[workstealing.Stole])
}
