package pool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// step is work that receives its worker.
type step func(self schedulers.Worker)

func (s step) Run(self schedulers.Worker) { s(self) }
func (s step) Abandon(error)              {}

func leavingOf(t *testing.T, self schedulers.Worker) schedulers.Worker {
	t.Helper()
	l, ok := self.(dispatch.Leaver)
	require.True(t, ok)
	assert.Equal(t, self.ID(), l.Leaving().ID())
	assert.Equal(t, self.Scheduler(), l.Leaving().Scheduler())
	return l.Leaving()
}

func TestALeavingWorkerTakesWhatItSubmitsItself(t *testing.T) {
	p := pool.New(pool.Workers(2, 2))
	const links = 1000
	var worker []int
	done := make(chan struct{})
	var link step
	link = func(w schedulers.Worker) {
		worker = append(worker, w.ID())
		if len(worker) == links {
			close(done)
			return
		}
		assert.NoError(t, p.Submit(link, schedulers.Hint{From: leavingOf(t, w)}))
	}
	require.NoError(t, p.Submit(link, schedulers.Hint{}))
	<-done
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Len(t, worker, links)
	for _, id := range worker {
		assert.Equal(t, worker[0], id, "there was never more than one work item, so no worker was woken")
	}
	assert.Zero(t, p.Metrics().Stolen)
}

func TestTheSecondPieceOfALeavingWorkerFindsAnotherOne(t *testing.T) {
	p := pool.New(pool.Workers(2, 2))
	both, submitted := make(chan struct{}), make(chan struct{})
	meet := step(func(schedulers.Worker) {
		select { // each needs the other to run at the same time
		case both <- struct{}{}:
		case <-both:
		}
	})
	require.NoError(t, p.Submit(step(func(w schedulers.Worker) {
		from := leavingOf(t, w)
		assert.NoError(t, p.Submit(meet, schedulers.Hint{From: from}))
		assert.NoError(t, p.Submit(meet, schedulers.Hint{From: from}))
		close(submitted)
	}), schedulers.Hint{}))
	<-submitted
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestAWrongHintOfALeavingWorkerLosesNothing(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	other := pool.New(pool.Workers(1, 1))
	ran := make(chan int, 2)
	require.NoError(t, other.Submit(step(func(w schedulers.Worker) {
		from := leavingOf(t, w)
		assert.NoError(t, p.Submit(step(func(schedulers.Worker) { ran <- 1 }), schedulers.Hint{From: from}))
		<-ran // on another pool, whose workers are not busy
	}), schedulers.Hint{}))
	require.NoError(t, other.Shutdown(context.Background()))
	require.NoError(t, p.Submit(step(func(w schedulers.Worker) {
		from := leavingOf(t, w)
		done := make(chan struct{})
		go func() { // this goroutine is not the worker, and the worker is not leaving
			defer close(done)
			assert.NoError(t, p.Submit(step(func(schedulers.Worker) { ran <- 2 }), schedulers.Hint{From: from}))
		}()
		<-done
	}), schedulers.Hint{}))
	assert.Equal(t, 2, <-ran)
	require.NoError(t, p.Shutdown(context.Background()))
}
