package workstealing_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// do is a function as work.
type do func(schedulers.Worker)

func (f do) Run(on schedulers.Worker) { f(on) }
func (f do) Abandon(error)            {}

// ordered collects the order in which work items run on a scheduler with one processor.
type ordered struct {
	t    *testing.T
	s    *workstealing.Scheduler
	left sync.WaitGroup // work items that have not ended
	mu   sync.Mutex
	seen []int
}

func newOrdered(t *testing.T) *ordered {
	t.Helper()
	// No watch: it must not take the processor from work that holds it on purpose.
	return &ordered{t: t, s: workstealing.New(workstealing.Processors(1), workstealing.Patience(0))}
}

func (o *ordered) submit(from schedulers.Worker, f func(schedulers.Worker)) {
	o.t.Helper()
	o.left.Add(1)
	work := func(on schedulers.Worker) {
		defer o.left.Done()
		f(on)
	}
	require.NoError(o.t, o.s.Submit(do(work), schedulers.Hint{From: from}))
}

func (o *ordered) note(i int) func(schedulers.Worker) {
	return func(schedulers.Worker) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.seen = append(o.seen, i)
	}
}

func (o *ordered) end() []int {
	o.t.Helper()
	o.left.Wait()
	require.NoError(o.t, o.s.Shutdown(context.Background()))
	return o.seen
}

func TestTheNewestGoesFirstThreeTimesThenTheQueueIsServed(t *testing.T) {
	o := newOrdered(t)
	var again func(left int) func(schedulers.Worker)
	again = func(left int) func(schedulers.Worker) {
		return func(on schedulers.Worker) {
			o.note(100 + left)(on)
			if left > 0 {
				o.submit(on, again(left-1)) // feeds itself through the slot
			}
		}
	}
	o.submit(nil, func(on schedulers.Worker) {
		o.submit(on, o.note(1)) // moves to the queue when the next item arrives
		o.submit(on, o.note(2))
		o.submit(on, again(8))
	})
	assert.Equal(t, []int{108, 107, 106, 1, 105, 104, 103, 2, 102, 101, 100}, o.end())
}

func TestWorkThatFeedsItselfDoesNotKeepTheGlobalQueueWaiting(t *testing.T) {
	o := newOrdered(t)
	const most = 61
	var feed func(left int) func(schedulers.Worker)
	feed = func(left int) func(schedulers.Worker) {
		return func(on schedulers.Worker) {
			o.note(0)(on)
			if left > 0 {
				o.submit(on, feed(left-1))
			}
		}
	}
	gate := make(chan struct{})
	o.submit(nil, func(on schedulers.Worker) {
		<-gate
		feed(1000)(on)
	})
	o.submit(nil, o.note(1)) // waits in the global queue
	close(gate)
	seen := o.end()
	at := 0
	for i, v := range seen {
		if v == 1 {
			at = i
		}
	}
	assert.LessOrEqual(t, at, most, "the global queue is served every 61st time")
	assert.Len(t, seen, 1002)
}

// TestAFullLocalQueueGivesItsOlderHalfToTheGlobalOne fills the queue and its slot, and adds one
// item. The older half moves, in order, and runs when the queue is empty, except at every 61st
// search.
func TestAFullLocalQueueGivesItsOlderHalfToTheGlobalOne(t *testing.T) {
	const capacity = 256
	o := newOrdered(t)
	o.submit(nil, func(on schedulers.Worker) {
		for i := range capacity + 2 {
			o.submit(on, o.note(i))
		}
	})
	var moved, stayed []int
	for _, i := range o.end() {
		if i < capacity/2 {
			moved = append(moved, i)
		} else {
			stayed = append(stayed, i)
		}
	}
	assert.Equal(t, upTo(capacity/2), moved, "they are in the global queue, in their order")
	assert.Equal(t, capacity+1, stayed[0], "the newest is in the slot")
	assert.IsIncreasing(t, stayed[1:], "the others are in the local queue, in their order")
	assert.Len(t, stayed, capacity/2+2)
}

func TestAQueueThatOverflowsManyTimesLosesNothing(t *testing.T) {
	o := newOrdered(t)
	const n = 1000
	o.submit(nil, func(on schedulers.Worker) {
		for i := range n {
			o.submit(on, o.note(i))
		}
	})
	assert.ElementsMatch(t, upTo(n), o.end())
}

// TestQueuesKeepNothingAliveThatHasRun submits through the slot, the ring and the global queue.
func TestQueuesKeepNothingAliveThatHasRun(t *testing.T) {
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0))
	const n = 300 // more than a ring has
	var alive [n]weak.Pointer[[64]byte]
	submitted := make(chan struct{})
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
		for i := range n {
			large := new([64]byte)
			alive[i] = weak.Make(large)
			assert.NoError(t, s.Submit(do(func(schedulers.Worker) { runtime.KeepAlive(large) }), schedulers.Hint{From: on}))
		}
		close(submitted)
	}), schedulers.Hint{}))
	<-submitted
	require.NoError(t, s.Shutdown(context.Background()))
	require.Eventually(t, func() bool {
		runtime.GC()
		return !slices.ContainsFunc(alive[:], func(w weak.Pointer[[64]byte]) bool { return w.Value() != nil })
	}, time.Minute, time.Millisecond)
	runtime.KeepAlive(s)
}

func TestWorkThatBlocksWithoutSayingSoLosesItsProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := workstealing.New(workstealing.Processors(1))
		ran := make(chan struct{})
		require.NoError(t, s.Submit(do(func(schedulers.Worker) { <-ran }), schedulers.Hint{}))
		require.NoError(t, s.Submit(do(func(schedulers.Worker) { close(ran) }), schedulers.Hint{}))
		began := time.Now()
		require.NoError(t, s.Shutdown(context.Background()))
		assert.GreaterOrEqual(t, time.Since(began), workstealing.DefaultPatience, "in the bubble's time")
	})
}

func TestAThiefTakesHalf(t *testing.T) {
	s := workstealing.New(workstealing.Processors(2), workstealing.Patience(0))
	var all sync.WaitGroup
	hold := make(chan struct{})
	all.Add(7)
	require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
		for range 7 { // six in the queue, one in the slot
			assert.NoError(t, s.Submit(do(func(schedulers.Worker) { all.Done() }), schedulers.Hint{From: on}))
		}
		<-hold // so that the other processor has to steal them all
	}), schedulers.Hint{}))
	all.Wait()
	close(hold)
	require.NoError(t, s.Shutdown(context.Background()))
	m := s.Metrics()
	assert.Equal(t, uint64(7), m.Stolen, "3 or fewer at a time until nothing is left, the slot last")
	assert.Equal(t, uint64(8), m.Completed)
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}
