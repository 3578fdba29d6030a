package workstealing_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestOneProcessorRunsOneAtATimeUnlessOneHasBlocked(t *testing.T) {
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0))
	var running, most atomic.Int32
	var all sync.WaitGroup
	all.Add(100)
	for range 100 {
		require.NoError(t, s.Submit(do(func(schedulers.Worker) {
			defer all.Done()
			most.Store(max(most.Load(), running.Add(1)))
			running.Add(-1)
		}), schedulers.Hint{}))
	}
	all.Wait()
	assert.EqualValues(t, 1, most.Load())

	// A work item that blocks lets the next one begin, and ends while that one runs.
	blocked, second, first := make(chan struct{}), make(chan struct{}), make(chan struct{})
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
		assert.NoError(t, schedulers.Wait(t.Context(), nil, nil, blocked)) // finds its worker
		<-second
		close(first)
	}), schedulers.Hint{}))
	require.NoError(t, s.Submit(do(func(schedulers.Worker) {
		close(blocked)
		close(second)
		<-first
	}), schedulers.Hint{}))
	require.NoError(t, s.Shutdown(t.Context()))
}
