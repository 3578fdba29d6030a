package simulation_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/simulation"
)

// The goroutine is not simulated, and has not begun when nothing can run any more.
func TestADriverWaitsForGoroutinesThatCanRun(t *testing.T) {
	for seed := range uint64(300) {
		s := simulation.New(seed)
		ctx := s.Context(context.Background())
		source := job.NewSource[int]()
		j := awaitAsync(ctx, source.Job())
		job.Run(ctx, func(context.Context) (struct{}, error) {
			go func() {
				for range 3 { // passes through some hands
					next := make(chan struct{})
					go close(next)
					<-next
				}
				source.TrySetResult(1)
			}()
			return struct{}{}, nil
		})
		require.NoError(t, s.Run())
		require.True(t, j.Status().IsFinal())
	}
}

// The bubble's clock shows whether the driver has slept. It does if the system has put a
// thread of the process aside, which a busy one does most of the time.
func TestAStillWorldIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slept := true
		for tries := 0; slept && tries < 10_000; tries++ {
			before := time.Now()
			s := simulation.New(1)
			awaitAsync(s.Context(context.Background()), job.NewSource[int]().Job())
			require.Error(t, s.Run(), "it waits forever")
			slept = time.Since(before) > 0
		}
		assert.False(t, slept)
	})
}

// The channel delivers a value, from a goroutine that is not simulated, when nothing can run.
func TestARunUntilAValueConsumesIt(t *testing.T) {
	for range 200 {
		s := simulation.New(1)
		awaitAsync(s.Context(context.Background()), job.NewSource[int]().Job())
		done := make(chan struct{})
		sent := make(chan struct{})
		go func() {
			done <- struct{}{}
			close(sent)
		}()
		require.NoError(t, s.RunUntil(context.Background(), done))
		<-sent
	}
}
