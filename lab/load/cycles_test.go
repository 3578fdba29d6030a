package main

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// do is work that is a function.
type do func()

func (f do) Run(schedulers.Worker) { f() }
func (f do) Abandon(error)         {}

// start makes the scheduler of v, on its own pool if it needs one, and returns a
// function that ends both.
func (v candidate) start(tb testing.TB) (s target, end func()) {
	tb.Helper()
	if v.over == nil {
		s = v.make()
		return s, func() { require.NoError(tb, s.Shutdown(context.Background())) }
	}
	beneath := pool.New()
	s = v.over(beneath)
	return s, func() {
		require.NoError(tb, s.Shutdown(context.Background()))
		require.NoError(tb, beneath.Shutdown(context.Background()))
	}
}

// liveObjects returns the number of reachable objects on the heap, as soon as two collections in
// a row agree on it: finalizers, pools and goroutines that are about to end keep objects for some
// rounds. A count taken too early would be too high, and would hide as many objects that leak.
func liveObjects() int {
	last := objectsAfterACollection()
	for range 100 {
		now := objectsAfterACollection()
		if now-10 < last && last < now+10 {
			return now
		}
		last = now
	}
	return last
}

func objectsAfterACollection() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapObjects)
}

func TestStartingAndShuttingDownManyTimesLeaksNothing(t *testing.T) {
	cycles := cycles
	if testing.Short() {
		cycles /= 20
	}
	for _, v := range candidates() {
		if v.drive != nil {
			continue // it has neither goroutines nor timers of its own
		}
		t.Run(v.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			objects := liveObjects()
			for range cycles {
				s, end := v.start(t)
				require.NoError(t, s.Submit(do(func() {}), schedulers.Hint{}))
				end()
			}
			goleak.VerifyNone(t, before)
			// One object per cycle would be 10 000. The runtime always keeps some of its own.
			assert.Less(t, liveObjects()-objects, 1_000+cycles/2, "objects that are left")
		})
	}
}

// created returns the number of goroutines that the process has ever started.
func created() uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// An hour passes in a bubble. A scheduler that checked for work every ten milliseconds would have
// had 360 000 timers expire, each on a goroutine.
func TestAnIdleSchedulerDoesNothing(t *testing.T) {
	for _, v := range candidates() {
		if v.drive != nil {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, end := v.start(t)
				var all sync.WaitGroup
				for range 100 {
					all.Add(1)
					require.NoError(t, s.Submit(do(all.Done), schedulers.Hint{}))
				}
				all.Wait()
				assert.Less(t, goroutinesOfAnHour(), uint64(restless))
				end()
			})
		})
	}
}

// restless is a number of goroutines that an idle scheduler must not start in an hour; the rest
// of the process also starts some.
const restless = 10_000

func goroutinesOfAnHour() uint64 {
	before := created()
	time.Sleep(time.Hour)
	return created() - before
}

func TestATimerThatGoesOffForNothingWouldBeNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tick *time.Timer
		tick = time.AfterFunc(time.Hour, func() { tick.Reset(10 * time.Millisecond) })
		tick.Reset(10 * time.Millisecond)
		defer tick.Stop()
		assert.Greater(t, goroutinesOfAnHour(), uint64(restless))
	})
}

func TestAnIdleDefaultPoolHoldsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New()
		var all sync.WaitGroup
		for range 100 {
			all.Add(1)
			require.NoError(t, p.Submit(do(all.Done), schedulers.Hint{}))
		}
		all.Wait()
		synctest.Wait()
		assert.Zero(t, p.Metrics().Workers)
		// No Shutdown: a leftover goroutine would fail the bubble.
	})
}
