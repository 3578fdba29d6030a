package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// meet submits n work items that end when all of them have begun.
func meet(t *testing.T, p *Pool, n int) *sync.WaitGroup {
	t.Helper()
	var begun, ended sync.WaitGroup
	begun.Add(n)
	ended.Add(n)
	for range n {
		require.NoError(t, p.Submit(do(func(schedulers.Worker) {
			defer ended.Done()
			begun.Done()
			begun.Wait()
		}), schedulers.Hint{}))
	}
	return &ended
}

func TestMoreWorkersStartAtOnceWhenTheirLimitIsRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 1), AddAfter(0))
		three := meet(t, p, 3) // hangs with one worker
		synctest.Wait()        // the first waits, and no worker searches for work
		p.SetWorkers(3, 3)
		three.Wait()
		minWorkers, maxWorkers, now := p.WorkerLimits()
		assert.Equal(t, []int{3, 3, 3}, []int{minWorkers, maxWorkers, now})
		assert.Equal(t, 3, p.MaxConcurrency())
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestWorkersBeyondALoweredLimitEndBeforeTheyTakeMore(t *testing.T) {
	p := New(Workers(4, 4), AddAfter(0))
	var begun sync.WaitGroup
	begun.Add(4)
	hold := make(chan struct{})
	for range 4 {
		require.NoError(t, p.Submit(do(func(schedulers.Worker) { begun.Done(); <-hold }), schedulers.Hint{}))
	}
	begun.Wait()
	var now, maxWorkers atomic.Int64
	for range 100 {
		require.NoError(t, p.Submit(do(func(schedulers.Worker) {
			maxWorkers.Store(max(maxWorkers.Load(), now.Add(1)))
			now.Add(-1)
		}), schedulers.Hint{}))
	}
	p.SetWorkers(1, 1)
	close(hold)
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, int64(1), maxWorkers.Load())
	assert.Equal(t, uint64(104), p.Metrics().Completed)
}

func TestLimitsThatMakeNoSenseAreThoseOfTheOption(t *testing.T) {
	p := New(Workers(7, 3))
	minWorkers, maxWorkers, now := p.WorkerLimits()
	assert.Equal(t, []int{7, 7, 7}, []int{minWorkers, maxWorkers, now})
	p.SetWorkers(0, 0)
	minWorkers, maxWorkers, _ = p.WorkerLimits()
	assert.Positive(t, minWorkers)
	assert.Equal(t, DefaultMax, maxWorkers)
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestWorkersThatAStallHasAddedStayWhenLimitsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := counting(New(Workers(1, 10), AddAfter(time.Second)), func() int { return 100 })
		four, hold := meet(t, p, 4), make(chan struct{}) // three are added
		for range 4 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-hold }), schedulers.Hint{}))
		}
		four.Wait()
		for _, c := range []struct{ least, most, now int }{{1, 10, 4}, {2, 10, 5}, {1, 3, 3}} {
			p.SetWorkers(c.least, c.most)
			_, _, now := p.WorkerLimits()
			assert.Equal(t, c.now, now, "workers %d to %d", c.least, c.most)
		}
		close(hold)
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

// A surplus worker ends and leaves work behind, for which other work waits.
func TestWorkThatASurplusWorkerLeavesBehindIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(2, 3), AddAfter(time.Second))
		lowered, ran := make(chan struct{}), make(chan struct{})
		require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-ran }), schedulers.Hint{}))
		require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
			<-lowered
			self.(*worker).tick = fairTick - 1 // it must check the other queues next
			left := do(func(schedulers.Worker) { close(ran) })
			assert.NoError(t, p.Submit(left, schedulers.Hint{From: self.(dispatch.Leaver).Leaving()}))
		}), schedulers.Hint{}))
		synctest.Wait()
		p.SetWorkers(1, 3)
		close(lowered)
		<-ran
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestTheLowestFreeSlotIsTakenFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(3, 3), AddAfter(0))
		hold := map[int]chan struct{}{}
		busy := func() (id int) {
			began := make(chan int)
			require.NoError(t, p.Submit(do(func(self schedulers.Worker) {
				until := make(chan struct{})
				hold[self.ID()] = until
				began <- self.ID()
				<-until
			}), schedulers.Hint{}))
			return <-began
		}
		assert.Equal(t, []int{1, 2, 3}, []int{busy(), busy(), busy()})
		for _, id := range []int{1, 2} {
			close(hold[id])
			synctest.Wait()
		}
		assert.Equal(t, []int{1, 2}, []int{busy(), busy()})
		for _, until := range hold {
			close(until)
		}
		require.NoError(t, p.Shutdown(context.Background()))
	})
}

func TestLimitsChangeWhileClimbing(t *testing.T) {
	p := New(Workers(2, 100), HillClimbing(ClimbingOn, nil))
	p.SetWorkers(20, 30)
	_, _, now := p.WorkerLimits()
	assert.Equal(t, 20, now)
	p.SetWorkers(1, 5)
	_, _, now = p.WorkerLimits()
	assert.Equal(t, 5, now)
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestChangingLimitsUnderLoadLosesNothing(t *testing.T) {
	p := New()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2_000 {
				_ = p.Submit(do(func(self schedulers.Worker) {
					_ = p.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{From: self})
				}), schedulers.Hint{})
			}
		})
	}
	all.Go(func() {
		for i := range 500 {
			p.SetWorkers(1+i%7, 1+i%11)
		}
	})
	all.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, uint64(16_000), m.Submitted+m.Refused)
	assert.Equal(t, m.Submitted, m.Completed)
}

// yieldsAndPanics is work that yields once when all work of this type has begun, and then
// panics.
type yieldsAndPanics struct {
	pool    *Pool
	begun   *sync.WaitGroup
	yielded bool
}

func (y *yieldsAndPanics) Run(self schedulers.Worker) {
	if y.yielded {
		panic("deliberate")
	}
	y.begun.Done()
	y.begun.Wait()
	y.yielded = true
	leaving := self.(dispatch.Leaver).Leaving()
	if err := y.pool.Submit(y, schedulers.Hint{From: leaving, Flags: schedulers.PreferFairness}); err != nil {
		panic(err)
	}
}

func (*yieldsAndPanics) Abandon(error) {}

// The slots of workers that a stall has added are dropped when the workers end. The counts
// of those workers are kept.
func TestCountsOutliveTheirWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Workers(1, 100), AddAfter(time.Second))
		const n = 20
		var begun sync.WaitGroup
		begun.Add(n)
		for range n {
			require.NoError(t, p.Submit(&yieldsAndPanics{pool: p, begun: &begun}, schedulers.Hint{}))
		}
		begun.Wait()
		synctest.Wait()
		require.Len(t, p.slots.all, 1)
		m := p.Metrics()
		assert.Equal(t, []uint64{2 * n, 2 * n, n}, []uint64{m.Submitted, m.Completed, m.Panicked})
		require.NoError(t, p.Shutdown(context.Background()))
	})
}
