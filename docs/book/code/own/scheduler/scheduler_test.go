package scheduler_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
	"github.com/movenext/movenext/docs/book/code/own/machine"
	"github.com/movenext/movenext/docs/book/code/own/scheduler"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	s := scheduler.New(2)
	net, tax := new(list.Promise[int]), new(list.Promise[int])
	price := machine.PriceAsync(s.Start, net, tax)
	s.Start(func() { tax.Complete(19, nil) })
	s.Start(func() { net.Complete(100, nil) })
	fmt.Println(awaiter.Await(price))
	// Output: 119 <nil>
}

func TestAllWorkRunsAndNoMoreThanTheBoundAtOnce(t *testing.T) {
	s := scheduler.New(3)
	var now, most, ran atomic.Int64
	var all sync.WaitGroup
	all.Add(1000)
	for range 10 {
		go func() {
			for range 100 {
				s.Start(func() {
					defer all.Done()
					n := now.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					ran.Add(1)
					now.Add(-1)
				})
			}
		}()
	}
	all.Wait()
	assert.EqualValues(t, 1000, ran.Load())
	assert.LessOrEqual(t, most.Load(), int64(3))
}

// Exercise 5: the chain of exercise 4. Each machine resumes from the queue, so no work item runs
// inside another one.
func TestExercise5AQueueMakesTheStackFlat(t *testing.T) {
	s, now, deepest := scheduler.New(1), 0, 0 // one worker: nothing here is concurrent
	counted := func(work func()) {
		s.Start(func() {
			now++
			deepest = max(deepest, now)
			work()
			now--
		})
	}
	first, zero := new(list.Promise[int]), new(list.Promise[int])
	zero.Complete(0, nil)
	last := first
	for range 1000 {
		last = machine.PriceAsync(counted, last, zero)
	}
	ended := make(chan struct{})
	last.OnCompleted(func() { s.Start(func() { close(ended) }) }) // after the last machine
	first.Complete(1, nil)
	<-ended
	assert.Equal(t, 1, deepest)
}
