package pool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/polling"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

func TestAWorkerSaysWhetherItRunsNewWorkNext(t *testing.T) {
	p := New(Workers(1, 1))
	w := newWorker(p, 1)
	for range fairTick - 1 {
		require.True(t, w.RunsNext())
	}
	assert.False(t, w.RunsNext(), "the other queues have their turn")
	assert.EqualValues(t, fairTick-1, w.loop.Completed())
	assert.EqualValues(t, fairTick-1, w.loop.Repeated(), "accepted")
	w.tick++ // it has looked there
	require.True(t, w.RunsNext())
	require.NoError(t, p.Shutdown(context.Background()))
	assert.False(t, w.RunsNext(), "the pool is closed")

	bounded := New(Workers(1, 1), QueueLimit(1, Reject))
	assert.False(t, newWorker(bounded, 1).RunsNext(), "the goroutine may be another one")
	require.NoError(t, bounded.Shutdown(context.Background()))
}

func TestAWorkerRunsYieldingWorkAgainIfNothingElseIsQueued(t *testing.T) {
	p, other := New(Workers(1, 1)), New(Workers(1, 1))
	w := newWorker(p, 1)
	for range fairTick - 1 {
		require.True(t, w.RunsAgain(p))
	}
	assert.False(t, w.RunsAgain(p), "the other queues have their turn")
	assert.EqualValues(t, fairTick-1, w.loop.Completed())
	assert.EqualValues(t, fairTick-1, w.loop.Repeated(), "accepted")
	w.tick++ // it has looked there
	assert.False(t, w.RunsAgain(other), "the work has moved")
	assert.False(t, w.RunsAgain(inline.New()))
	assert.False(t, w.RunsAgain(nil))
	require.True(t, w.RunsAgain(p))

	w.setOpen(true)
	_, _ = w.push(do(func(schedulers.Worker) {}))
	assert.False(t, w.RunsAgain(p), "its own queue has work")
	w.popOldest()
	require.Nil(t, w.popNewest(false))
	require.True(t, w.RunsAgain(p))

	p.setCheckGlobal()
	assert.False(t, w.RunsAgain(p), "the global queue may have work")
	p.checkGlobal.Store(false)
	require.True(t, w.RunsAgain(p))
	stop := schedulers.Observe(func(schedulers.Event) {})
	assert.False(t, w.RunsAgain(p), "listeners hear of each turn")
	stop()
	require.NoError(t, p.Shutdown(context.Background()))
	assert.False(t, w.RunsAgain(p), "the pool is closed")
	require.NoError(t, other.Shutdown(context.Background()))

	bounded := New(Workers(1, 1), QueueLimit(1, Reject))
	assert.False(t, newWorker(bounded, 1).RunsAgain(bounded), "the goroutine may be another one")
	require.NoError(t, bounded.Shutdown(context.Background()))
}

// polled counts the polls.
type polled int

func (p *polled) Poll() { *p++ }

func TestAWorkerPollsBetweenMachinesThatItRunsInTurn(t *testing.T) {
	var n polled
	polling.Open(&n)
	defer polling.Close()
	p := New(Workers(1, 1))
	w := newWorker(p, 1)
	for range 5000 { // there are at most 1024 between two polls
		if !w.RunsNext() {
			w.tick++
		}
	}
	assert.GreaterOrEqual(t, int(n), 4)
	require.NoError(t, p.Shutdown(context.Background()))
}
