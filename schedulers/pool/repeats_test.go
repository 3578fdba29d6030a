package pool

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// submittedAgain is one work item, however often it is submitted.
type submittedAgain struct {
	ran, abandoned atomic.Int64
	first          func(on schedulers.Worker) // called by the first run
}

func (c *submittedAgain) Run(on schedulers.Worker) {
	if c.ran.Add(1) == 1 {
		c.first(on)
	}
}
func (c *submittedAgain) Abandon(error) { c.abandoned.Add(1) }

// The item is in the global queue, in the worker's own queue, and running, all at once.
func TestAnItemThatIsSubmittedAgainWhileItIsQueuedRunsAsOften(t *testing.T) {
	for name, opts := range map[string][]Option{
		"":                 {Workers(1, 1)},
		"with two":         {Workers(2, 2)},
		"with little room": {Workers(1, 1), QueueLimit(10, Block)},
	} {
		t.Run("a pool "+name, func(t *testing.T) {
			p := New(opts...)
			require.True(t, dispatch.AcceptsRepeats(p))
			c := &submittedAgain{}
			filled, nested := make(chan struct{}), make(chan struct{})
			c.first = func(on schedulers.Worker) {
				<-filled
				for range 4 {
					assert.NoError(t, p.Submit(c, schedulers.Hint{From: on}))
				}
				close(nested)
			}
			for range 3 {
				require.NoError(t, p.Submit(c, schedulers.Hint{}))
			}
			close(filled)
			<-nested
			require.NoError(t, p.Shutdown(context.Background()))
			assert.Equal(t, int64(7), c.ran.Load())
			m := p.Metrics()
			assert.Equal(t, [2]uint64{7, 7}, [2]uint64{m.Submitted, m.Completed})
		})
	}
}

func TestAnItemThatIsSubmittedAgainWhileItIsQueuedIsAbandonedAsOften(t *testing.T) {
	p := New(Workers(1, 1))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	c := &submittedAgain{}
	given, began := make(chan struct{}), make(chan struct{})
	c.first = func(schedulers.Worker) { close(began); <-given }
	for range 5 {
		require.NoError(t, p.Submit(c, schedulers.Hint{}))
	}
	<-began
	require.ErrorIs(t, p.Shutdown(ended), context.Canceled)
	close(given)
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, [2]int64{1, 4}, [2]int64{c.ran.Load(), c.abandoned.Load()})
}
