package pool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestAdmitCountsWhatAWorkerRunsAtOnce(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	assert.False(t, p.Admit(nil), "not on a worker")
	other, done := pool.New(), make(chan struct{})
	require.NoError(t, p.Submit(step(func(w schedulers.Worker) {
		defer close(done)
		assert.False(t, other.Admit(w), "a worker of another pool")
		assert.True(t, p.Admit(w))
	}), schedulers.Hint{}))
	<-done
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, uint64(2), m.Submitted)
	assert.Equal(t, uint64(2), m.Completed)
}

func TestAdmitKeepsTheLimitOfAQueue(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.QueueLimit(1, pool.Reject))
	require.NoError(t, p.Submit(step(func(w schedulers.Worker) { assert.False(t, p.Admit(w)) }), schedulers.Hint{}))
	require.NoError(t, p.Shutdown(context.Background()))
}
