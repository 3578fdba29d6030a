package coord

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// condWaiters returns a Cond with n waiters; its lock is free.
func condWaiters(t *testing.T, ctx context.Context, n int) (*Cond, []*job.Job[job.Void]) {
	t.Helper()
	c := NewCond(new(Mutex))
	jobs := make([]*job.Job[job.Void], n)
	for i := range jobs {
		require.True(t, c.L.TryLock())
		jobs[i] = c.WaitAsync(ctx)
	}
	pending(t, jobs...)
	return c, jobs
}

func TestWaitingHandsTheLockOn(t *testing.T) {
	c := NewCond(new(Mutex))
	require.True(t, c.L.TryLock())
	next := c.L.LockAsync(endless)
	pending(t, c.WaitAsync(endless))
	completed(t, next)
}

func TestASignalReleasesTheFirstWaiterOnceTheLockIsFree(t *testing.T) {
	c, jobs := condWaiters(t, endless, 2)
	require.True(t, c.L.TryLock())
	c.Signal()
	pending(t, jobs...)
	c.L.Unlock()
	completed(t, jobs[0])
	pending(t, jobs[1])
	assert.False(t, c.L.TryLock(), "it holds the lock")
}

func TestASignalWithoutTheLockServesAtOnce(t *testing.T) {
	c, jobs := condWaiters(t, endless, 1)
	c.Signal()
	completed(t, jobs[0])
	assert.False(t, c.L.TryLock())
}

func TestASignalWithoutAWaiterIsNotRemembered(t *testing.T) {
	c, _ := condWaiters(t, endless, 0)
	c.Signal()
	c.Broadcast()
	require.True(t, c.L.TryLock())
	pending(t, c.WaitAsync(endless))
}

func TestABroadcastWakesOneAfterTheOther(t *testing.T) {
	c, jobs := condWaiters(t, endless, 3)
	c.Broadcast()
	for i := range jobs {
		completed(t, jobs[:i+1]...)
		pending(t, jobs[i+1:]...)
		c.L.Unlock()
	}
	assert.True(t, c.L.TryLock())
}

func TestTheContextEndsBeforeTheSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(endless)
		c, gone := condWaiters(t, ctx, 1)
		require.True(t, c.L.TryLock())
		stays := c.WaitAsync(endless)
		require.True(t, c.L.TryLock())
		cancel()
		synctest.Wait()
		pending(t, gone...) // it has failed, and waits for the lock
		c.Signal()
		c.L.Unlock()
		assert.Equal(t, job.Canceled, gone[0].Status())
		require.ErrorIs(t, gone[0].Err(), context.Canceled)
		pending(t, stays)
		c.L.Unlock()
		completed(t, stays) // the signal was for the next
	})
}

func TestTheContextEndsAfterTheSignalAndBeforeTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(endless)
		c, jobs := condWaiters(t, ctx, 1)
		require.True(t, c.L.TryLock())
		c.Signal()
		cancel()
		synctest.Wait()
		pending(t, jobs...)
		c.L.Unlock()
		completed(t, jobs...)
	})
}

func TestABlockedCondWaiterGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCond(new(Mutex))
		ctx, cancel := context.WithTimeout(endless, 1)
		defer cancel()
		require.True(t, c.L.TryLock())
		require.ErrorIs(t, c.Wait(ctx), context.DeadlineExceeded)
		assert.False(t, c.L.TryLock(), "the lock is held on return")
		assert.True(t, c.queue.empty())
	})
}

func TestTheContextEndedBeforeACondWait(t *testing.T) {
	c := NewCond(new(Mutex))
	require.True(t, c.L.TryLock())
	next := c.L.LockAsync(endless)
	require.ErrorIs(t, c.Wait(ended(nil)), context.Canceled)
	assert.Equal(t, job.Canceled, c.WaitAsync(ended(nil)).Status())
	pending(t, next) // the lock was not released in between
}

func TestTheContextEndsBetweenWatchingAndAdmissionToACond(t *testing.T) {
	c := NewCond(new(Mutex))
	require.True(t, c.L.TryLock())
	w := newJobCall[job.Void](c, job.Void{})
	w.waiter.giveUp(context.Canceled)
	w.waiter.enter(nil, nil)
	require.ErrorIs(t, w.promise.Job.Err(), context.Canceled)
	assert.False(t, c.L.TryLock(), "the lock is still the caller's")
}

func TestACondWaitWithoutTheLockPanicsAndHarmsNothing(t *testing.T) {
	c := NewCond(new(Mutex))
	assert.Panics(t, func() { _ = c.Wait(endless) })
	assert.Panics(t, func() { c.WaitAsync(endless) })
	assert.True(t, c.L.TryLock())
}

func TestAWorkerThatCanNotBeBlockedKeepsTheLock(t *testing.T) {
	c := NewCond(new(Mutex))
	require.True(t, c.L.TryLock())
	next := c.L.LockAsync(endless)
	ctx := context.WithValue(endless, contract.WorkerKey, stuck{})
	require.ErrorIs(t, c.Wait(ctx), schedulers.ErrWouldDeadlock)
	pending(t, next)
}

// counting is a worker that counts how often it is blocked.
type counting struct {
	schedulers.Worker
	blocked, unblocked int
}

func (c *counting) Block() (func(), error) {
	c.blocked++
	return func() { c.unblocked++ }, nil
}

func TestAWorkerIsToldOnceThatItBlocksInACond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCond(new(Mutex))
		on := new(counting)
		ctx := context.WithValue(endless, contract.WorkerKey, schedulers.Worker(on))
		require.True(t, c.L.TryLock())
		go func() {
			synctest.Wait()
			c.Signal()
		}()
		require.NoError(t, c.Wait(ctx))
		assert.Equal(t, 1, on.blocked)
		assert.Equal(t, 1, on.unblocked)
	})
}

func TestAQueueMadeOfAMutexAndAConditionLosesNothing(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			const each = 200
			var (
				c     = NewCond(new(Mutex))
				all   sync.WaitGroup
				items int // guarded by c.L
			)
			for range 3 {
				all.Go(func() {
					for range each {
						assert.NoError(t, c.L.Lock(endless))
						items++
						c.L.Unlock()
						c.Signal()
					}
				})
				all.Go(func() {
					for k := range each {
						assert.NoError(t, c.L.Lock(endless))
						for ; items == 0; k++ {
							ctx, cancel := context.WithCancel(endless)
							j := c.WaitAsync(ctx)
							// Some waiters give up and check again: they must not lose a
							// signal.
							if k%2 == 1 {
								cancel()
							}
							<-j.Done()
							cancel()
						}
						items--
						c.L.Unlock()
					}
				})
			}
			all.Wait()
			assert.Zero(t, items)
		})
	}
}
