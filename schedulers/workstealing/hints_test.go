package workstealing_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// TestAHintNamesAWorkerOfThisSchedulerOrNone submits with the worker of another scheduler.
func TestAHintNamesAWorkerOfThisSchedulerOrNone(t *testing.T) {
	one, other := workstealing.New(), workstealing.New()
	ran := make(chan schedulers.Scheduler, 1)
	require.NoError(t, one.Submit(do(func(on schedulers.Worker) {
		assert.NoError(t, other.Submit(do(func(on schedulers.Worker) { ran <- on.Scheduler() }), schedulers.Hint{From: on}))
	}), schedulers.Hint{}))
	assert.Same(t, other, <-ran)
	require.NoError(t, one.Shutdown(context.Background()))
	require.NoError(t, other.Shutdown(context.Background()))
}

func TestWorkThatAsksForFairnessGoesBehindWhatIsQueued(t *testing.T) {
	o := newOrdered(t)
	o.submit(nil, func(on schedulers.Worker) {
		o.submit(on, o.note(1))
		assert.NoError(t, o.s.Submit(do(o.note(2)), schedulers.Hint{From: on, Flags: schedulers.PreferFairness}))
	})
	assert.Equal(t, []int{1, 2}, o.end())
}

// TestWorkWithoutAProcessorSubmitsToAll runs work that has handed off its processor. Work that it
// submits then goes to the global queue, which is served in order, and not into the queue of a
// processor that has another worker.
func TestWorkWithoutAProcessorSubmitsToAll(t *testing.T) {
	o := newOrdered(t)
	gate, begun, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	o.submit(nil, func(on schedulers.Worker) {
		defer close(ended)
		assert.NoError(t, o.s.Submit(do(func(schedulers.Worker) { close(begun); <-gate }), schedulers.Hint{}))
		unblock, err := on.(schedulers.Blocker).Block()
		assert.NoError(t, err)
		<-begun
		unblock()
		for i := range 3 {
			o.submit(on, o.note(i))
		}
	})
	<-ended
	close(gate)
	assert.Equal(t, []int{0, 1, 2}, o.end())
}

// TestNothingIsAcceptedWhileTheEndIsAwaited submits on each path while the last work runs.
func TestNothingIsAcceptedWhileTheEndIsAwaited(t *testing.T) {
	s := workstealing.New()
	begun, closed := make(chan struct{}), make(chan struct{})
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
		close(begun)
		<-closed
		for _, hint := range []schedulers.Hint{{}, {From: on}, {From: on, Flags: schedulers.PreferFairness}, {Flags: schedulers.LongRunning}} {
			assert.ErrorIs(t, s.Submit(do(func(schedulers.Worker) {}), hint), schedulers.ErrShutdown, "%+v", hint)
		}
	}), schedulers.Hint{}))
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	for s.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{}) == nil {
		runtime.Gosched()
	}
	close(closed)
	require.NoError(t, <-ended)
}

// TestNoMoreWorkersAreStartedThanAllowed runs three work items that block, with a limit of two
// workers.
func TestNoMoreWorkersAreStartedThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := workstealing.New(workstealing.Processors(1), workstealing.MaxWorkers(2))
		gate := make(chan struct{})
		begun := 0
		for range 3 {
			require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
				begun++
				unblock, err := on.(schedulers.Blocker).Block()
				assert.NoError(t, err)
				<-gate
				unblock()
			}), schedulers.Hint{}))
			synctest.Wait()
		}
		time.Sleep(time.Hour) // the watch checks meanwhile, too
		assert.Equal(t, 2, begun)
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, 3, begun)
	})
}

// TestAProcessorThatMakesProgressIsNotTaken runs work items one after the other, each of which
// blocks for less than the watch's patience.
func TestAProcessorThatMakesProgressIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := workstealing.New(workstealing.Processors(1))
		running, most := 0, 0
		for range 20 {
			require.NoError(t, s.Submit(do(func(schedulers.Worker) {
				running++
				most = max(most, running)
				time.Sleep(workstealing.DefaultPatience * 6 / 10)
				running--
			}), schedulers.Hint{}))
		}
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, 1, most)
	})
}

// TestAllProcessorsThatBlockAreHandedOnTogether blocks as many work items as there are
// processors, while as many others wait.
func TestAllProcessorsThatBlockAreHandedOnTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4
		s := workstealing.New(workstealing.Processors(n))
		gate, began := make(chan struct{}), time.Now()
		for range n {
			require.NoError(t, s.Submit(do(func(schedulers.Worker) { <-gate }), schedulers.Hint{}))
		}
		synctest.Wait()
		late := make(chan time.Duration, n)
		for range n {
			require.NoError(t, s.Submit(do(func(schedulers.Worker) {
				late <- time.Since(began)
				<-gate
			}), schedulers.Hint{}))
		}
		for range n {
			assert.Less(t, <-late, 3*workstealing.DefaultPatience, "in the bubble's time")
		}
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// TestASchedulerThatHasEndedIsNotKeptAlive has a watch that would check an hour later.
func TestASchedulerThatHasEndedIsNotKeptAlive(t *testing.T) {
	ended := func() weak.Pointer[workstealing.Scheduler] {
		s := workstealing.New(workstealing.Processors(1), workstealing.Patience(time.Hour))
		require.NoError(t, s.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{}))
		require.NoError(t, s.Shutdown(context.Background()))
		return weak.Make(s)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return ended.Value() == nil
	}, time.Minute, time.Millisecond)
}
