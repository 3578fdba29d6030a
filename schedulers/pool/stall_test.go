package pool

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// The times in these tests are those of the bubble: they are exact, and pass without a real
// wait.

func TestAStallAddsTwiceAsManyEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 100), AddAfter(time.Second))
		began := time.Now()
		meet(t, p, 32).Wait()
		// 1, 2, 4, 8, 16 are added, 32 with the first worker. The first interval may
		// have seen the first work begin.
		assert.Contains(t, []time.Duration{5 * time.Second, 6 * time.Second}, time.Since(began))
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestWithoutStallsNoWorkerIsAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 100), AddAfter(time.Second))
		for range 50 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { time.Sleep(900 * time.Millisecond) }), schedulers.Hint{}))
		}
		for range 20 {
			time.Sleep(time.Second)
			_, _, now := p.WorkerLimits()
			assert.Equal(t, 2, now, "slow is not stalled")
		}
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// The pool cannot distinguish work that computes from work that waits, so long-running jobs
// without the flag make it add workers.
func TestLongWorkThatDoesNotSaySoDrawsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func(flags schedulers.Flags) (workers uint64) {
			p := New(Workers(2, 100), AddAfter(time.Second))
			for range 10 {
				require.NoError(t, p.Submit(do(func(schedulers.Worker) { time.Sleep(time.Hour) }), schedulers.Hint{Flags: flags}))
			}
			require.NoError(t, p.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{}))
			time.Sleep(time.Minute)
			workers = p.Metrics().Workers
			require.NoError(t, p.Shutdown(context.Background()))
			return workers
		}
		assert.Equal(t, uint64(10), run(0), "one for each that runs")
		assert.Zero(t, run(schedulers.LongRunning), "they run outside of the pool, which has nothing to do")
	})
}

func TestThePoolNeverGrowsBeyondItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 3), AddAfter(time.Second))
		hold := make(chan struct{})
		for range 10 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		time.Sleep(time.Hour)
		assert.Equal(t, uint64(3), p.Metrics().Running)
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestAWatchThatIsSwitchedOffAddsNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 3), AddAfter(0))
		hold := make(chan struct{})
		for range 10 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		time.Sleep(time.Hour)
		assert.Equal(t, uint64(1), p.Metrics().Running)
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// Work in a local queue can stall just like work in the global one.
func TestAStallOfALocalQueueAddsAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 2), AddAfter(time.Second))
		var ended sync.WaitGroup
		ended.Add(1)
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			defer ended.Done()
			child := make(chan struct{})
			assert.NoError(t, p.Submit(do(func(schedulers.Worker) { close(child) }), schedulers.Hint{From: self}))
			<-child // this wait is not announced to the pool
		}), schedulers.Hint{}))
		ended.Wait()
		assert.Equal(t, uint64(1), p.Metrics().Stolen)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestTheWorkersOfAStallGoWhenThereIsNothingToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 100), AddAfter(time.Second))
		meet(t, p, 32).Wait()
		synctest.Wait()
		_, _, now := p.WorkerLimits()
		assert.Equal(t, 1, now)
		assert.Zero(t, p.Metrics().Workers)
		p.mu.Lock()
		assert.Len(t, p.slots.all, 1, "and so have their places")
		p.mu.Unlock()
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestTheWatchEndsWhenNothingIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(1, 3), AddAfter(time.Second)), func() int { return 100 })
		hold := make(chan struct{})
		for range 2 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
			synctest.Wait()
		}
		watching := func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.stall.Armed()
		}
		assert.True(t, watching())
		time.Sleep(10 * time.Second)
		assert.Equal(t, uint64(2), p.Metrics().Running)
		assert.False(t, watching())
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestAPoolThatHasEndedLeavesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 3))
		hold := make(chan struct{})
		for range 2 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
			synctest.Wait()
		}
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
		assert.False(t, p.stall.Stop(), "it was stopped")
		assert.False(t, p.replacement.Stop())
	})
}
