package job_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/pool"
)

// countedTimers counts the timers of a loop that run.
type countedTimers struct {
	*eventloop.Loop
	running atomic.Int32
}

func (c *countedTimers) StartTimer(t *schedulers.Timer, d time.Duration) {
	c.running.Add(1)
	c.Loop.StartTimer(t, d)
}

func (c *countedTimers) StopTimer(t *schedulers.Timer) bool {
	c.running.Add(-1)
	return c.Loop.StopTimer(t)
}

// Work that exits on top of a Sleep ends the sleeper, and its timer.
func TestASleepThatIsUnwoundStopsItsTimer(t *testing.T) {
	s := &countedTimers{Loop: eventloop.Start()}
	_, err := job.Go(schedulers.With(context.Background(), s), func(ctx context.Context) error {
		job.Go(ctx, exits)
		return job.Sleep(ctx, time.Hour)
	}).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)
	assert.Zero(t, s.running.Load())
	require.NoError(t, s.Shutdown(context.Background()))
}

func exits(context.Context) error {
	runtime.Goexit()
	return nil
}

// Work that exits on top of a Submit, which waits for room in the queue of another scheduler,
// ends the submitter. What it submits runs when there is room.
func TestASubmitThatIsUnwoundKeepsItsPlace(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.QueueLimit(1, pool.Block))
	l := eventloop.Start()
	open, begun := make(chan struct{}), make(chan struct{})
	busy := job.Go(context.Background(), func(context.Context) error { close(begun); <-open; return nil }, job.On(p))
	<-begun
	queued := job.Go(context.Background(), func(context.Context) error { return nil }, job.On(p))
	var ran atomic.Bool
	_, err := job.Go(schedulers.With(context.Background(), l), func(ctx context.Context) error {
		job.Go(ctx, exits)
		job.Go(ctx, func(context.Context) error { ran.Store(true); return nil }, job.On(p))
		return nil
	}).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)
	close(open)
	_, err = job.WhenAll(busy, queued).Wait(context.Background())
	require.NoError(t, err)
	require.NoError(t, l.Shutdown(context.Background()))
	require.NoError(t, p.Shutdown(context.Background()))
	assert.True(t, ran.Load())
}
