package main

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nested starts a task that starts a task, and so on, each of which waits for the next.
func nested(p *pool, depth int) (deepest int, err error) {
	var down func(w *worker, n int)
	down = func(w *worker, n int) {
		if deepest = n; n == depth {
			return
		}
		next := p.start(func(w *worker) { down(w, n+1) })
		if e := w.wait(next); e != nil {
			err = e
		}
	}
	outer := p.start(func(w *worker) { down(w, 1) })
	<-outer.ended
	p.drain()
	return deepest, err
}

// Exercise 1: in place, a thousand tasks need one worker, and its stack; otherwise a
// thousand workers.
func TestExercise1AThousandNestedWaits(t *testing.T) {
	for _, c := range []struct {
		r       remedies
		started int
	}{{remedies{inPlace: true}, 1}, {remedies{inject: true}, 1000}} {
		p := newPool(1, c.r)
		deepest, err := nested(p, 1000)
		require.NoError(t, err)
		assert.Equal(t, 1000, deepest)
		assert.Equal(t, c.started, p.started)
	}
}

// Exercise 2: the waiter holds a lock that the awaited task needs. In place, the task runs on
// top of the waiter; with another worker, beside it. Either way the waiter cannot unlock before
// the task has ended, and no pool knows of the lock. (The task only tries to lock: Lock would
// hang.) Without a remedy, the wait is refused, the waiter unlocks, and the task gets the lock.
func TestExercise2TheAwaitedTaskNeedsTheWaitersLock(t *testing.T) {
	for _, c := range []struct {
		r    remedies
		err  error
		free bool // whether the task gets the lock
	}{
		{remedies{inPlace: true}, nil, false},
		{remedies{inject: true}, nil, false},
		{remedies{}, errHangs, true},
	} {
		p := newPool(1, c.r)
		var mu sync.Mutex
		free := false
		outer := p.start(func(w *worker) {
			mu.Lock()
			defer mu.Unlock()
			task := p.start(func(*worker) {
				if free = mu.TryLock(); free {
					mu.Unlock()
				}
			})
			assert.Equal(t, c.err, w.wait(task))
		})
		<-outer.ended
		p.drain()
		assert.Equal(t, c.free, free, c.r)
	}
}

// Exercise 3: a task that starts its successor keeps the only worker, as the newest comes first.
// Taking the oldest every 61st time ends that. Here the queue alone is enough: the test takes its
// next task, and adds a successor.
func TestExercise3TheOldestEvery61stTime(t *testing.T) {
	served := func(every int) (after int) {
		queue := []string{"old", "feeds itself"}
		for tick := 1; tick <= 600; tick++ {
			at := len(queue) - 1
			if every > 0 && tick%every == 0 {
				at = 0
			}
			name := queue[at]
			queue = append(queue[:at], queue[at+1:]...)
			if name == "old" {
				return tick
			}
			queue = append(queue, name)
		}
		return -1
	}
	assert.Equal(t, -1, served(0), "not within 600 tasks, nor ever")
	assert.Equal(t, 61, served(61))
}

func Example() {
	main()
	// Output:
	// no remedy:       order 321, workers started: 1, all workers wait
	// in place:        order 123, workers started: 1, <nil>
	// another worker:  order 321, workers started: 2, <nil>
}
