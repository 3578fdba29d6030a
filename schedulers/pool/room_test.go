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

// roomOf returns the room that a worker of p reports.
func roomOf(t *testing.T, p *pool.Pool) (room *any) {
	t.Helper()
	done := make(chan struct{})
	require.NoError(t, p.Submit(step(func(self schedulers.Worker) {
		defer close(done)
		k, ok := self.(dispatch.Keeper)
		if assert.True(t, ok) {
			room = k.Room()
		}
	}), schedulers.Hint{}))
	<-done
	return room
}

func TestAWorkerHasOneRoom(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	room := roomOf(t, p)
	require.NotNil(t, room)
	assert.Nil(t, *room)
	assert.Same(t, room, roomOf(t, p))
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestABoundedPoolsWorkerHasNoRoom(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.QueueLimit(1, pool.CallerRuns))
	assert.Nil(t, roomOf(t, p))
	require.NoError(t, p.Shutdown(context.Background()))
}
