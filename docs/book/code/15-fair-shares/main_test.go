package main

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// one queue:                   LLLLLLssttt
	// in turn, newest first false: LstLstLtLLL
	// in turn, newest first true : LstLstLtLLL
}

// TestAllItemsRunUnderAPool fills queues at the same time as workers visit them.
func TestAllItemsRunUnderAPool(t *testing.T) {
	p := pool.New()
	r := &Ring{under: p}
	var ran atomic.Int64
	var fillers sync.WaitGroup
	for range 4 {
		q := r.CreateQueue()
		fillers.Go(func() {
			for range 1000 {
				job.Go(context.Background(), func(context.Context) error { ran.Add(1); return nil }, job.On(q))
			}
		})
	}
	fillers.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	assert.EqualValues(t, 4000, ran.Load())
	assert.Empty(t, r.waiting)
}

// weighted is exercise 1: a queue of weight n is n queues, which are filled in turn. The
// ring stays as it is.
type weighted struct {
	queues []*Queue
	turn   atomic.Uint64
}

func (w *weighted) Submit(work schedulers.Work, hint schedulers.Hint) error {
	return w.queues[w.turn.Add(1)%uint64(len(w.queues))].Submit(work, hint)
}

func TestExercise1AQueueOfWeightTwo(t *testing.T) {
	p := &pile{}
	r := &Ring{under: p}
	double := &weighted{queues: []*Queue{r.CreateQueue(), r.CreateQueue()}}
	assert.Equal(t, "LLstLLstLLt", story(p, double, r.CreateQueue(), r.CreateQueue()))
}

type work func()

func (f work) Run(schedulers.Worker) { f() }
func (f work) Abandon(error)         {}

// Exercise 2: a queue that enters at next has the next turn. One that is filled again
// each time it has become empty then has all turns.
func TestExercise2AQueueThatEntersAtNextOvertakes(t *testing.T) {
	order := func(atNext bool) (names string) {
		r := &Ring{under: &pile{}}
		large, small := r.CreateQueue(), r.CreateQueue()
		left := 3
		var item func()
		fill := func() {
			r.put(small, work(item))
			if atNext {
				r.next = (r.next + len(r.waiting) - 1) % len(r.waiting) // back to where it entered
			}
		}
		item = func() {
			names += "s"
			if left--; left > 0 {
				fill()
			}
		}
		for range 3 {
			r.put(large, work(func() { names += "L" }))
		}
		for fill(); len(r.waiting) > 0; {
			r.take().Run(nil)
		}
		return names
	}
	assert.Equal(t, "LsLsLs", order(false))
	assert.Equal(t, "sssLLL", order(true))
}

// closing is exercise 3: a queue that can be closed. The check whether it is closed and the
// addition of the item are one step under one lock. Otherwise an item could be added to a queue
// that is gone.
type closing struct {
	*Queue
	mu     sync.Mutex
	closed bool
}

func (c *closing) Submit(w schedulers.Work, hint schedulers.Hint) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return schedulers.ErrShutdown
	}
	return c.Queue.Submit(w, hint)
}

func (c *closing) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

func TestExercise3AnItemIsRefusedOrRuns(t *testing.T) {
	p := pool.New()
	r := &Ring{under: p}
	accepted, ran := 0, atomic.Int64{}
	for range 200 {
		q := &closing{Queue: r.CreateQueue()}
		var group sync.WaitGroup
		group.Go(q.Close)
		if q.Submit(work(func() { ran.Add(1) }), schedulers.Hint{}) == nil {
			accepted++
		}
		group.Wait()
	}
	require.NoError(t, p.Shutdown(context.Background()))
	assert.EqualValues(t, accepted, ran.Load())
}
