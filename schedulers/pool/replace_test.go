package pool

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// counting makes p use active as the number of running goroutines.
func counting(p *Pool, active func() int) *Pool {
	p.replacement.countActive = func(*replacement) int { return active() }
	return p
}

func TestWorkersThatWaitAreReplacedWithinAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(2, 100)), func() int { return 1 }) // only the worker that checks
		began := time.Now()
		meet(t, p, 64).Wait()
		assert.Equal(t, defaultReplace, time.Since(began), "one look, and then each starts the next")
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestWorkersThatMayAllBeRunningAreNotReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(2, 100)), func() int { return 3 }) // that worker, and two others
		for range 10 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { time.Sleep(DefaultStall / 2) }), schedulers.Hint{}))
		}
		for range 4 {
			time.Sleep(DefaultStall / 2)
			synctest.Wait()
			assert.LessOrEqual(t, p.Metrics().Workers, uint64(2))
		}
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestReplacedWorkersThatComeBackEndWhenTooManyRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		active := 1
		p := counting(New(Workers(2, 100)), func() int { return active })
		hold := make(chan struct{})
		for range 64 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		time.Sleep(2 * defaultReplace)
		require.Equal(t, uint64(64), p.Metrics().Workers)
		active = 64 // all of them compute from now on
		again := make(chan struct{})
		for range 64 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-again }), schedulers.Hint{}))
		}
		close(hold)
		synctest.Wait()
		assert.Equal(t, uint64(2), p.Metrics().Workers, "as many as the pool is wide go on")
		close(again)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestReplacementsDoNotExceedTheMaximum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(2, 5)), func() int { return 1 })
		hold := make(chan struct{})
		for range 20 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		time.Sleep(DefaultStall / 2)
		assert.Equal(t, uint64(5), p.Metrics().Workers)
		p.SetWorkers(1, 7)
		time.Sleep(DefaultStall / 2)
		assert.Equal(t, uint64(7), p.Metrics().Workers)
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// One worker has announced that it blocks, and another one computes: none waits unannounced.
func TestAWorkerInBlockIsNotReplacedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		askerAndOther := func() int { return 2 }
		p := counting(New(Workers(1, 100)), askerAndOther)
		hold := make(chan struct{})
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			unblock, err := self.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			defer unblock()
			<-hold
		}), schedulers.Hint{}))
		for range 5 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		time.Sleep(DefaultStall / 2)
		assert.Equal(t, uint64(2), p.Metrics().Workers)
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// The result of an earlier check may be out of date: workers that waited in their work may
// wait for the lock now.
func TestEachLookOfTheTimerProvesAnew(t *testing.T) {
	p := counting(New(Workers(2, 100)), func() int { return 1 })
	p.mu.Lock()
	for range 2 {
		p.slots.take(p).live = true // they run no work
	}
	p.capacity.running, p.replacement.assumedWaiting, p.replacement.pause = 2, 2, time.Millisecond
	p.global.PushBack(do(nil))
	p.mu.Unlock()
	p.checkWaiting()
	p.mu.Lock()
	assert.Zero(t, p.capacity.waiting)
	p.replacement.Stop()
	p.mu.Unlock()
}

// When a worker that comes for work finds that none waits, the pool records that, as after a
// check of the timer: a submitter need not take the pool's lock if no worker was replaced.
func TestSubmittersKnowWhetherWorkersWereReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(1, 2)), func() int { return 1 })
		hold := make(chan struct{})
		for range 3 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		assert.False(t, p.overLimit.Load())
		time.Sleep(DefaultStall / 2)
		assert.True(t, p.overLimit.Load())
		close(hold)
		time.Sleep(DefaultStall / 2)
		require.NoError(t, p.Submit(do(nil), schedulers.Hint{}))
		synctest.Wait()
		assert.False(t, p.overLimit.Load())
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// On a machine that gives the process little processor time, most workers wait for the pool's
// lock. The pool must not replace them: their replacements would wait there, too.
func TestWorkersThatWaitForTheLockOfThePoolAreNotReplaced(t *testing.T) {
	p := counting(New(Workers(2, 100)), func() int { return 1 })
	var begun sync.WaitGroup
	hold := make(chan struct{})
	begun.Add(2)
	for range 2 {
		require.NoError(t, p.Submit(do(func(schedulers.Worker) {
			begun.Done()
			<-hold
		}), schedulers.Hint{}))
	}
	begun.Wait()
	p.mu.Lock()
	p.countWaiting(1)
	assert.Positive(t, p.capacity.waiting, "their work blocks")
	close(hold)
	for p.countBusy() > 0 {
		runtime.Gosched()
	}
	p.replacement.assumedWaiting = 0 // as the timer does
	p.countWaiting(1)
	assert.Zero(t, p.capacity.waiting)
	p.mu.Unlock()
	require.NoError(t, p.Shutdown(context.Background()))
}

// The check of the queues is held up at a worker's queue. A poster to a queue that was
// checked before must already know that the watch is about to end.
func TestTheWatchSaysThatItEndsBeforeItLooks(t *testing.T) {
	p := New(Workers(1, 2))
	w := p.slots.take(p)
	p.capacity.running = 1
	p.stall.Arm(time.Hour)
	p.replacement.Arm(time.Hour)
	p.updateNeedsDispatch()
	require.False(t, p.needsDispatch.Load())
	w.mayHaveWork.Store(true)
	w.mu.Lock()
	var look sync.WaitGroup
	look.Go(p.checkWaiting)
	for !p.needsDispatch.Load() {
		runtime.Gosched()
	}
	w.mu.Unlock()
	look.Wait()
	assert.True(t, p.needsDispatch.Load())
	assert.False(t, p.replacement.Armed())
	p.stall.Stop()
	p.replacement.Stop()
}

func TestTheRuntimeIsNotAskedWhileWorkIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requested := 0
		p := counting(New(Workers(2, 100)), func() int { requested++; return 0 })
		for range 100_000 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{}))
		}
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Zero(t, requested, "no time has passed")
	})
}

// A worker that waits for some microseconds is back before a replacement would help.
func TestTheRuntimeIsNotAskedWhereWorksWaitShortly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requested := 0
		p := counting(New(Workers(2, 100)), func() int { requested++; return 0 })
		began := time.Now()
		for range 2000 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { time.Sleep(shortWork / 4) }), schedulers.Hint{}))
		}
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Greater(t, time.Since(began), 2*defaultReplace, "the timer has looked")
		assert.Zero(t, requested)
	})
}

func TestTheRuntimeCountsWhatRuns(t *testing.T) {
	var r replacement
	assert.Positive(t, readActive(&r), "at least the goroutine that asks")
}
