package pool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
