package pool

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// makePingPong makes p believe that all work items were short so far.
func makePingPong(p *Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pingPong.enabled.Store(true)
	p.pingPong.watch(p)
}

// handedOn submits a work item to p that makes another one ready, with flags, and
// waits for it. It returns the number of workers at that time, and the delay
// after which the other work ran.
func handedOn(t *testing.T, p *Pool, flags schedulers.Flags) (workers uint64, after time.Duration) {
	t.Helper()
	began := time.Now()
	counted, ran, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
		defer close(done)
		other := do(func(schedulers.Worker) {
			<-counted // otherwise its worker might end before the count
			close(ran)
		})
		assert.NoError(t, p.Submit(other, schedulers.Hint{From: self, Flags: flags}))
		workers = p.Metrics().Workers
		close(counted)
		<-ran
		after = time.Since(began)
	}), schedulers.Hint{}))
	<-done
	return workers, after
}

func TestAShortMachineIsLeftToItsWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 2))
		makePingPong(p)
		workers, after := handedOn(t, p, schedulers.Resumed)
		assert.Equal(t, uint64(1), workers)
		assert.Equal(t, pingPongPause, after, "the worker waits for the machine, so another one has to take it")
		workers, after = handedOn(t, p, schedulers.Resumed)
		assert.Equal(t, uint64(2), workers, "works are not short any more")
		assert.Zero(t, after)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestNewWorkIsNeverLeftToItsWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 2))
		makePingPong(p)
		workers, after := handedOn(t, p, 0)
		assert.Equal(t, uint64(2), workers)
		assert.Zero(t, after)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestAWorkerThatBlocksLeavesTheMachineToAnotherAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 1))
		makePingPong(p)
		ran := make(chan struct{})
		began := time.Now()
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			other := do(func(schedulers.Worker) { close(ran) })
			assert.NoError(t, p.Submit(other, schedulers.Hint{From: self, Flags: schedulers.Resumed}))
			unblock, err := self.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			defer unblock()
			<-ran
		}), schedulers.Hint{}))
		<-ran
		assert.Zero(t, time.Since(began))
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// Two machines are not a ping-pong: the second one gets a worker at once.
func TestOnlyOneMachineIsLeftToItsWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 2))
		makePingPong(p)
		began, ran := time.Now(), make(chan struct{})
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			for range 2 {
				machine := do(func(schedulers.Worker) { ran <- struct{}{} })
				assert.NoError(t, p.Submit(machine, schedulers.Hint{From: self, Flags: schedulers.Resumed}))
			}
			<-ran
			<-ran
		}), schedulers.Hint{}))
		synctest.Wait()
		assert.Zero(t, time.Since(began))
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Zero(t, time.Since(began))
	})
}

func TestShortWorksKeepAPairOnOneWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 2))
		const enough = 2 * int(pingPongPause/pingPongWork)
		rest := enough
		var step do
		step = func(self schedulers.Worker) {
			if rest--; rest > 0 {
				assert.NoError(t, p.Submit(step, schedulers.Hint{From: self, Flags: schedulers.Resumed}))
			}
		}
		require.NoError(t, p.Submit(step, schedulers.Hint{}))
		synctest.Wait()
		require.False(t, p.pingPong.enabled.Load(), "no look has been taken yet")
		time.Sleep(pingPongPause)
		synctest.Wait()
		assert.True(t, p.pingPong.enabled.Load())
		time.Sleep(pingPongPause)
		synctest.Wait()
		assert.False(t, p.pingPong.enabled.Load(), "nothing has run since")
		assert.False(t, p.pingPong.Armed(), "an idle pool has no timer")
		require.NoError(t, p.Shutdown(context.Background()))
	})
}
