package coord

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

func TestALightRequestDoesNotPassAHeavyOne(t *testing.T) {
	s := NewSemaphore(10)
	require.NoError(t, s.Acquire(endless, 6))
	heavy := s.AcquireAsync(endless, 5)
	light := s.AcquireAsync(endless, 1)
	pending(t, heavy, light)
	assert.False(t, s.TryAcquire(1), "4 are free, but another waiter was first")
	assert.False(t, s.TryAcquire(0))
	s.Release(1)
	completed(t, heavy)
	pending(t, light)
	s.Release(5)
	completed(t, light)
	assert.EqualValues(t, 4, s.Free())
}

func TestLightRequestsBehindAHeavyOneThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSemaphore(3)
		require.True(t, s.TryAcquire(1))
		ctx, cancel := context.WithCancel(endless)
		heavy := s.AcquireAsync(ctx, 3)
		l1, l2, l3 := s.AcquireAsync(endless, 1), s.AcquireAsync(endless, 1), s.AcquireAsync(endless, 1)
		pending(t, heavy, l1, l2, l3)
		cancel()
		synctest.Wait()
		assert.Equal(t, job.Canceled, heavy.Status())
		completed(t, l1, l2)
		pending(t, l3)
		assert.Zero(t, s.Free())
	})
}

func TestABlockedHeavyRequestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSemaphore(2)
		require.True(t, s.TryAcquire(1))
		ctx, cancel := context.WithTimeout(endless, 1)
		defer cancel()
		var light *job.Job[job.Void]
		go func() {
			synctest.Wait()
			light = s.AcquireAsync(endless, 1)
		}()
		require.ErrorIs(t, s.Acquire(ctx, 2), context.DeadlineExceeded)
		synctest.Wait()
		completed(t, light)
	})
}

func TestOneReleaseServesSeveral(t *testing.T) {
	s := NewSemaphore(4)
	require.True(t, s.TryAcquire(4))
	a, b, c := s.AcquireAsync(endless, 1), s.AcquireAsync(endless, 2), s.AcquireAsync(endless, 2)
	s.Release(4)
	completed(t, a, b)
	pending(t, c)
}

func TestWeightsThatCanNotBe(t *testing.T) {
	s := NewSemaphore(3)
	require.ErrorIs(t, s.Acquire(endless, -1), ErrNegativeWeight)
	require.ErrorIs(t, s.AcquireAsync(endless, math.MinInt64).Err(), ErrNegativeWeight)
	require.ErrorIs(t, s.Acquire(endless, 4), ErrTooHeavy)
	assert.Equal(t, job.Faulted, s.AcquireAsync(endless, math.MaxInt64).Status())
	assert.EqualError(t, s.Acquire(endless, 4), "coord: more than the semaphore has: 4 of 3")
	assert.Panics(t, func() { s.TryAcquire(-1) })
	assert.False(t, s.TryAcquire(4))
	assert.Panics(t, func() { s.Release(-1) })
	assert.PanicsWithValue(t, "coord: release of 1 permits where 0 are held", func() { s.Release(1) })
	assert.Panics(t, func() { NewSemaphore(-1) })
	assert.EqualValues(t, 3, s.Free())

	var none Semaphore
	require.NoError(t, none.Acquire(endless, 0))
	require.ErrorIs(t, none.Acquire(endless, 1), ErrTooHeavy)

	all := NewSemaphore(math.MaxInt64)
	assert.True(t, all.TryAcquire(math.MaxInt64))
	assert.False(t, all.TryAcquire(1), "the sum would overflow")
}

func TestNeverMorePermitsThanThereAre(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			const size = 5
			var (
				s    = NewSemaphore(size)
				all  sync.WaitGroup
				mu   sync.Mutex
				held int64
			)
			change := func(n int64) {
				mu.Lock()
				defer mu.Unlock()
				held += n
				assert.LessOrEqual(t, held, int64(size))
			}
			for i := range 8 {
				n := int64(i%size + 1)
				all.Go(func() {
					for k := range 100 {
						ctx, cancel := context.WithCancel(endless)
						j := s.AcquireAsync(ctx, n)
						if k%3 == 0 {
							cancel()
						}
						if _, err := j.Wait(endless); err == nil {
							change(n)
							change(-n)
							s.Release(n)
						}
						cancel()
					}
				})
			}
			all.Wait()
			assert.EqualValues(t, size, s.Free())
			assert.Zero(t, s.queue.count)
		})
	}
}
