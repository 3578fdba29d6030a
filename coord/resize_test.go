package coord_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// resizable is a semaphore or a limiter.
type resizable struct {
	semaphore *coord.Semaphore
	limiter   *coord.Limiter[int]
}

func resizables() map[string]resizable {
	return map[string]resizable{
		"Semaphore": {semaphore: coord.NewSemaphore(1)},
		"Limiter":   {limiter: coord.NewLimiter[int](1)},
	}
}

//movenext:async
func (r resizable) acquire(ctx context.Context) error {
	if r.limiter != nil {
		return r.limiter.Acquire(ctx, 1)
	}
	return r.semaphore.Acquire(ctx, 1)
}

func (r resizable) try() bool {
	if r.limiter != nil {
		return r.limiter.TryAcquire(1)
	}
	return r.semaphore.TryAcquire(1)
}

func (r resizable) release() {
	if r.limiter != nil {
		r.limiter.Release(1)
	} else {
		r.semaphore.Release(1)
	}
}

func (r resizable) resize(n int) {
	if r.limiter != nil {
		r.limiter.Resize(n)
	} else {
		r.semaphore.Resize(int64(n))
	}
}

func TestMorePermitsServeThoseThatWait(t *testing.T) {
	for home, begin := range homes {
		for what := range resizables() {
			for _, form := range []string{"plain", "machine"} {
				t.Run(home+"/"+what+"/"+form, func(t *testing.T) {
					within(t, func() { grows(t, begin(), resizables()[what], form == "machine") })
				})
			}
		}
	}
}

func grows(t *testing.T, stack []shutdowner, r resizable, machine bool) {
	ctx := schedulers.With(context.Background(), stack[len(stack)-1])
	require.True(t, r.try())
	var waiter *job.Job[job.Void]
	if machine {
		waiter = r.acquireAsync(ctx)
	} else {
		waiter = job.Go(ctx, r.acquire)
	}
	r.resize(2)
	_, err := waiter.Wait(context.Background())
	require.NoError(t, err)
	assert.False(t, r.try(), "both permits are held")
	r.resize(1)
	r.release()
	assert.False(t, r.try(), "the permit that is left is held")
	r.release()
	assert.True(t, r.try())
	for len(stack) > 0 {
		require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
		stack = stack[:len(stack)-1]
	}
}

func TestFewerPermitsLetWaitersWaitInOrder(t *testing.T) {
	for what, r := range resizables() {
		t.Run(what, func(t *testing.T) {
			r.resize(3)
			for range 3 {
				require.True(t, r.try())
			}
			first, second := r.acquireAsync(context.Background()), r.acquireAsync(context.Background())
			r.resize(1)
			r.release()
			r.release()
			assert.False(t, first.IsCompleted())
			r.release()
			assert.NoError(t, first.Err())
			assert.False(t, second.IsCompleted())
			r.resize(2)
			assert.NoError(t, second.Err())
			assert.Panics(t, func() { r.resize(-1) })
		})
	}
}

func TestARequestThatASmallerSemaphoreNeverServes(t *testing.T) {
	s := coord.NewSemaphore(3)
	require.True(t, s.TryAcquire(2))
	heavy, light := s.AcquireAsync(context.Background(), 3), s.AcquireAsync(context.Background(), 1)
	s.Resize(2)
	assert.ErrorIs(t, heavy.Err(), coord.ErrTooHeavy)
	assert.False(t, light.IsCompleted())
	require.ErrorIs(t, s.Acquire(context.Background(), 3), coord.ErrTooHeavy)
	s.Resize(1)
	assert.EqualValues(t, -1, s.Free())
	s.Release(2)
	assert.True(t, light.IsCompleted())
	assert.Zero(t, s.Free())
}
