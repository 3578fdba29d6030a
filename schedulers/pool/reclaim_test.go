package pool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// call is a function as work.
type call struct{ f func(schedulers.Worker) }

func (c *call) Run(self schedulers.Worker) { c.f(self) }
func (c *call) Abandon(error)              {}

func TestReclaimedWorkIsTheWaiters(t *testing.T) {
	p := New(Workers(1, 1), AddAfter(0))
	other, entries := New(), 0
	var local, global *call
	submit := func(self schedulers.Worker) *call {
		w := &call{func(schedulers.Worker) { entries++ }}
		require.NoError(t, p.Submit(w, schedulers.Hint{From: self}))
		return w
	}
	ended := make(chan struct{})
	outer := &call{func(self schedulers.Worker) {
		defer close(ended)
		local, global = submit(self), submit(nil)
		submit(self)
		for _, w := range []*call{local, global} {
			assert.False(t, p.Reclaim(w, nil), "without a worker")
			assert.False(t, p.Reclaim(w, other.slots.take(other)), "by a worker of another pool")
			assert.True(t, p.Reclaim(w, self))
			assert.False(t, p.Reclaim(w, self), "twice")
		}
	}}
	require.NoError(t, p.Submit(outer, schedulers.Hint{}))
	<-ended
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, 1, entries, "what was taken back is not run by its entry")
	m := p.Metrics()
	assert.Equal(t, uint64(4), m.Submitted)
	assert.Equal(t, uint64(4), m.Completed)
	assert.Zero(t, m.Queued)
}

func TestAClosedPoolAdmitsNothing(t *testing.T) {
	p := New(Workers(1, 1))
	begun, closed, requested := make(chan struct{}), make(chan struct{}), make(chan []bool, 1)
	require.NoError(t, p.Submit(&call{func(self schedulers.Worker) {
		before := p.Admit(self)
		close(begun)
		<-closed
		requested <- []bool{before, p.Admit(self)}
	}}, schedulers.Hint{}))
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, p.Shutdown(ctx), context.Canceled)
	close(closed)
	assert.Equal(t, []bool{true, false}, <-requested)
	require.NoError(t, p.Shutdown(context.Background()))
}
