package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTheCurveStaysInItsBoundsAndReachesTheTop checks the last quarter of each half, when the
// climb is over.
func TestTheCurveStaysInItsBoundsAndReachesTheTop(t *testing.T) {
	const seconds = 40
	curve := climb(24, 8, seconds)
	for i, p := range curve {
		assert.LessOrEqual(t, fewest, p.workers, "part %d", i)
		assert.GreaterOrEqual(t, most, p.workers, "part %d", i)
	}
	assert.Equal(t, fewest, curve[0].workers)
	for i := range 2*parts - 1 {
		assert.Greater(t, curve[i+1].workers, curve[i].workers, "it climbs for two seconds; part %d", i)
	}
	for _, half := range []struct{ best, end int }{{24, seconds * parts / 2}, {8, seconds * parts}} {
		top := float64(half.best) / (2 * 0.005) // the reads in a second with the best number
		for _, p := range curve[half.end-seconds*parts/8 : half.end] {
			assert.InDelta(t, half.best, p.workers, float64(half.best)/3)
			assert.Greater(t, float64(p.reads), 0.9*top)
		}
	}
}

// work is a function as a work item.
type work func()

func (f work) Run(schedulers.Worker) { f() }
func (f work) Abandon(error)         {}

// pooled lets a pool read from such a disk for so long and returns the trace.
func pooled(best int, long time.Duration) (trace []pool.Sample, err error) {
	workers := pool.New(pool.Workers(fewest, most), pool.AddAfter(0),
		pool.HillClimbing(pool.ClimbingOn, func(s pool.Sample) { trace = append(trace, s) }))
	var users atomic.Int64
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(3, 4))
	end := time.Now().Add(long)
	var all sync.WaitGroup
	var read work
	submit := func() {
		all.Add(1)
		if err := workers.Submit(read, schedulers.Hint{}); err != nil {
			all.Done()
		}
	}
	read = func() {
		defer all.Done()
		mu.Lock()
		long := readTime(int(users.Add(1)), best, random)
		mu.Unlock()
		time.Sleep(long)
		users.Add(-1)
		if time.Now().Before(end) {
			submit()
		}
	}
	for range 2 * most {
		submit()
	}
	all.Wait()
	return trace, workers.Shutdown(context.Background())
}

// TestAPoolFindsTheTop runs in the bubble's time, so the trace does not depend on the
// machine's speed.
func TestAPoolFindsTheTop(t *testing.T) {
	for _, best := range []int{8, 24} {
		synctest.Test(t, func(t *testing.T) {
			trace, err := pooled(best, 30*time.Second)
			require.NoError(t, err)
			for _, s := range trace {
				assert.LessOrEqual(t, fewest, s.Next)
				assert.GreaterOrEqual(t, most, s.Next)
			}
			tail := trace[len(trace)*2/3:]
			mean, reads, seconds := 0.0, 0.0, 0.0
			for _, s := range tail {
				mean += float64(s.Workers) / float64(len(tail))
				reads, seconds = reads+float64(s.Completed), seconds+s.Elapsed.Seconds()
			}
			assert.InDelta(t, best, mean, float64(best)/2)
			assert.Greater(t, reads/seconds, 0.9*float64(best)/(2*0.005), "of the highest throughput")
		})
	}
}
