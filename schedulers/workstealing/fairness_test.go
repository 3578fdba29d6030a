package workstealing_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// race is a scheduler with a count of starts. Its work items resubmit themselves until all
// the watched work items have started.
type race struct {
	t      *testing.T
	s      *workstealing.Scheduler
	all    sync.WaitGroup // work items that have not ended
	starts atomic.Int64
	left   atomic.Int64 // watched work items that have not started
}

func newRace(t *testing.T, processors int, opts ...workstealing.Option) *race {
	t.Helper()
	opts = append(opts, workstealing.Processors(processors), workstealing.Patience(0))
	return &race{t: t, s: workstealing.New(opts...)}
}

func (r *race) submit(from schedulers.Worker, w do) {
	r.all.Add(1)
	work := func(on schedulers.Worker) {
		defer r.all.Done()
		w(on)
	}
	assert.NoError(r.t, r.s.Submit(do(work), schedulers.Hint{From: from}))
}

// end waits for all work items, including those that work has submitted, and
// shuts down.
func (r *race) end() {
	r.t.Helper()
	r.all.Wait()
	require.NoError(r.t, r.s.Shutdown(context.Background()))
}

// feeder returns work that submits itself to the slot of its processor, and so is always the
// newest.
func (r *race) feeder() do {
	return func(on schedulers.Worker) {
		r.starts.Add(1)
		if r.left.Load() > 0 {
			r.submit(on, r.feeder())
		}
	}
}

// watched returns work that records how many work items have started before it.
func (r *race) watched(before *int64) do {
	r.left.Add(1)
	return func(schedulers.Worker) {
		*before = r.starts.Add(1) - 1
		r.left.Add(-1)
	}
}

func TestTheGlobalQueueIsServedEvery61Starts(t *testing.T) {
	r := newRace(t, 1)
	const n = 20
	var before [n]int64
	gate := make(chan struct{})
	r.submit(nil, func(on schedulers.Worker) {
		<-gate
		r.feeder()(on)
	})
	for i := range n {
		r.submit(nil, r.watched(&before[i]))
	}
	close(gate)
	r.end()
	for i := range n {
		assert.LessOrEqual(t, before[i], int64(61*(i+1)), "place %d", i+1)
	}
}

// The processor changes its worker at each work item. If the workers counted, the 61st start
// would be later the more workers take turns.
func TestHandingOnDoesNotPutTheGlobalQueueOff(t *testing.T) {
	r := newRace(t, 1)
	var feed do
	feed = func(on schedulers.Worker) {
		r.starts.Add(1)
		if r.left.Load() > 0 {
			r.submit(on, feed)
		}
		unblock, err := on.(schedulers.Blocker).Block()
		assert.NoError(t, err)
		unblock()
	}
	const n = 10
	var before [n]int64
	gate := make(chan struct{})
	r.submit(nil, func(on schedulers.Worker) {
		<-gate
		feed(on)
	})
	for i := range n {
		r.submit(nil, r.watched(&before[i]))
	}
	close(gate)
	r.end()
	for i := range n {
		// A worker that has lost its processor may be between its last work and its end
		// when the next one starts.
		assert.LessOrEqual(t, before[i], int64(61*(i+1)+1), "place %d", i+1)
	}
}

func TestALocalQueueIsServedAtLeastEveryFourthTime(t *testing.T) {
	r := newRace(t, 1)
	const n = 250
	var before [n]int64
	r.submit(nil, func(on schedulers.Worker) {
		for i := range n {
			r.submit(on, r.watched(&before[i]))
		}
		r.submit(on, r.feeder())
		for range 100 { // these are served every 61st time
			r.submit(nil, func(schedulers.Worker) { r.starts.Add(1) })
		}
	})
	r.end()
	for i := range n {
		place := int64(i + 1)
		assert.LessOrEqual(t, before[i], 4*place+place/15+1, "place %d", place)
	}
}

// On one processor, the guarantee is 61 starts for each of N work items, plus 1046.
func TestNoWorkWaitsLongerThanTheGuaranteeSays(t *testing.T) {
	for _, n := range []int{10, 257, 1_500} {
		r := newRace(t, 1)
		before := make([]int64, n)
		submitted := make([]int64, n)
		r.submit(nil, func(on schedulers.Worker) {
			for i := range n {
				from := on
				if i%3 == 0 {
					from = nil
				}
				submitted[i] = r.starts.Load()
				r.submit(from, r.watched(&before[i]))
			}
			r.submit(on, r.feeder())
		})
		r.end()
		for i := range n {
			assert.LessOrEqual(t, before[i]-submitted[i], int64(61*(n+1)+1046), "work %d of %d", i, n)
		}
	}
}

// Each of several processors has its own count. The test counts the starts of all, so the
// bound is multiplied by their number.
func TestTheGuaranteeHoldsAcrossThieves(t *testing.T) {
	const processors, n = 4, 400
	r := newRace(t, processors)
	before := make([]int64, n)
	for range processors {
		// It may end, or never resubmit itself, before the watched work items are submitted.
		r.submit(nil, r.feeder())
	}
	r.submit(nil, func(on schedulers.Worker) {
		for i := range n {
			r.submit(on, r.watched(&before[i]))
		}
		r.submit(on, r.feeder())
	})
	r.end()
	assert.Zero(t, r.left.Load())
	require.Equal(t, r.s.Metrics().Submitted, r.s.Metrics().Completed)
}
