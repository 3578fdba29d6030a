package coord

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
)

func TestAReleasedMutexIsNeverFreeWhileItHasWaiters(t *testing.T) {
	var m Mutex
	require.NoError(t, m.Lock(endless))
	j := m.LockAsync(endless)
	m.Unlock()
	completed(t, j)
	assert.False(t, m.TryLock(), "it was handed over")
	m.Unlock()
	assert.True(t, m.TryLock())
}

func TestUnlockOfAnUnlockedMutexPanicsAndHarmsNothing(t *testing.T) {
	var m Mutex
	assert.PanicsWithValue(t, "coord: unlock of an unlocked Mutex", m.Unlock)
	assert.True(t, m.TryLock())
	m.Unlock()
}

func TestTheMutexHasOneHolder(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			var (
				m       Mutex
				all     sync.WaitGroup
				inside  int // guarded by m: the race detector checks, too
				entered int
			)
			for i := range 8 {
				all.Go(func() {
					for range 200 {
						if i%2 == 0 {
							assert.NoError(t, m.Lock(endless))
						} else {
							<-m.LockAsync(endless).Done()
						}
						inside++
						assert.Equal(t, 1, inside)
						entered++
						inside--
						m.Unlock()
					}
				})
			}
			all.Wait()
			assert.Equal(t, 8*200, entered)
		})
	}
}

func TestAChainOfHandoversNeedsNoStack(t *testing.T) {
	// Each waiter that gets the lock unlocks it on the stack of the goroutine that
	// handed it over. If that happened under the inner lock, it would hang; as a
	// recursion through the whole queue, it would need a deep stack.
	var m Mutex
	m.TryLock()
	const n = 100_000
	var order, deepest, depth int
	for i := range n {
		j := m.LockAsync(endless)
		whenEnded(t, j, func() {
			depth++
			deepest = max(deepest, depth)
			if i != order {
				t.Errorf("%d is served as number %d", i, order)
			}
			order++
			depth--
		})
	}
	for range n {
		m.Unlock()
	}
	assert.Equal(t, n, order)
	assert.Equal(t, 1, deepest)
}

func TestReadersContinueTogetherAndWritersAlone(t *testing.T) {
	var m RWMutex
	require.True(t, m.TryLock())
	r1, r2 := m.RLockAsync(endless), m.RLockAsync(endless)
	w := m.LockAsync(endless)
	r3 := m.RLockAsync(endless)
	pending(t, r1, r2, w, r3)

	m.Unlock()
	completed(t, r1, r2)
	pending(t, w, r3)
	assert.False(t, m.TryRLock(), "a reader does not pass a waiting writer")

	m.RUnlock()
	pending(t, w)
	m.RUnlock()
	completed(t, w)
	pending(t, r3)

	m.Unlock()
	completed(t, r3)
	assert.True(t, m.TryRLock())
	assert.False(t, m.TryLock())
}

func TestReadersBehindAWriterThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m RWMutex
		require.NoError(t, m.RLock(endless))
		ctx, cancel := context.WithCancel(endless)
		w := m.LockAsync(ctx)
		r1, r2 := m.RLockAsync(endless), m.RLockAsync(endless)
		w2 := m.LockAsync(endless)
		pending(t, w, r1, r2, w2)
		cancel()
		synctest.Wait()
		assert.Equal(t, job.Canceled, w.Status())
		completed(t, r1, r2)
		pending(t, w2)
		for range 3 {
			m.RUnlock()
		}
		completed(t, w2)
	})
}

func TestUnlockOfAnRWMutexThatIsNotHeldThatWay(t *testing.T) {
	var m RWMutex
	assert.Panics(t, m.Unlock)
	assert.Panics(t, m.RUnlock)
	require.True(t, m.TryRLock())
	assert.Panics(t, m.Unlock)
	m.RUnlock()
	require.True(t, m.TryLock())
	assert.Panics(t, m.RUnlock)
	m.Unlock()
}

func TestReadersSeeWhatWritersWrote(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			var (
				m    RWMutex
				all  sync.WaitGroup
				a, b int
			)
			for range 4 {
				all.Go(func() {
					for range 200 {
						assert.NoError(t, m.Lock(endless))
						a++
						b++
						m.Unlock()
					}
				})
				all.Go(func() {
					for range 200 {
						<-m.RLockAsync(endless).Done()
						assert.Equal(t, a, b)
						m.RUnlock()
					}
				})
			}
			all.Wait()
			assert.Equal(t, 4*200, a)
		})
	}
}

func TestKeysAreLockedIndependently(t *testing.T) {
	var m KeyedMutex[string]
	require.NoError(t, m.Lock(endless, "a"))
	require.NoError(t, m.Lock(endless, "b"))
	a := m.LockAsync(endless, "a")
	assert.False(t, m.TryLock("a"))
	m.Unlock("b")
	assert.True(t, m.TryLock("b"))
	pending(t, a)
	m.Unlock("a")
	completed(t, a)
}

func TestAnUnlockedKeyIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m KeyedMutex[int]
		for key := range 100 {
			ctx, cancel := context.WithCancel(endless)
			require.True(t, m.TryLock(key))
			m.LockAsync(ctx, key)
			cancel()
			synctest.Wait()
			m.Unlock(key)
		}
		assert.Zero(t, shrinkmap.Len(&m.locked))
	})
}

func TestKeysThatAreNone(t *testing.T) {
	zero := 0.0
	var numbers KeyedMutex[float64]
	assert.Panics(t, func() { numbers.TryLock(zero / zero) })
	assert.True(t, numbers.TryLock(1), "the panic has left no lock behind")
	assert.Panics(t, func() { numbers.Unlock(2) })

	var values KeyedMutex[any]
	assert.Panics(t, func() { values.TryLock([]int{}) })
	assert.True(t, values.TryLock(1))
	values.Unlock(1)
}
