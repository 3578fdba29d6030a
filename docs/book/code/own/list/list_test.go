package list_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	p := new(list.Promise[string])
	p.OnCompleted(func() { fmt.Println("first") })
	p.OnCompleted(func() { fmt.Println("second") })
	p.Complete("tea", nil)
	fmt.Println(awaiter.Await(p))
	// Output:
	// first
	// second
	// tea <nil>
}

// Exercise 3: registration and completion meet in every order. Each continuation is called
// once, and finds the result.
func TestExercise3NoContinuationIsLostAndNoneIsCalledTwice(t *testing.T) {
	for range 1000 {
		p := new(list.Promise[int])
		var calls atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				p.OnCompleted(func() {
					if v, _ := p.Result(); v == 42 {
						calls.Add(1)
					}
				})
			})
		}
		all.Go(func() { p.Complete(42, nil) })
		all.Wait()
		assert.EqualValues(t, 4, calls.Load())
	}
}

func TestAWaiterHoldsNoGoroutine(t *testing.T) {
	p, before, calls := new(list.Promise[int]), runtime.NumGoroutine(), 0
	for range 10_000 {
		p.OnCompleted(func() { calls++ })
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	p.Complete(1, nil)
	assert.Equal(t, 10_000, calls)
	assert.False(t, p.Complete(2, nil))
}
