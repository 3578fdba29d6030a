package awaiter_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/future"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	f := awaiter.Future[string]{Future: future.New[string]()}
	fmt.Println(f.IsCompleted())
	go f.Complete("tea", nil)
	fmt.Println(awaiter.Await(f))
	// Output:
	// false
	// tea <nil>
}

// Exercise 2: a goroutine for each registration, which is what step 3 removes.
func TestExercise2EachWaiterHoldsAGoroutine(t *testing.T) {
	f := awaiter.Future[int]{Future: future.New[int]()}
	var resumed sync.WaitGroup
	resumed.Add(100)
	for range 100 {
		f.OnCompleted(resumed.Done)
	}
	assert.GreaterOrEqual(t, runtime.NumGoroutine(), 100)
	f.Complete(1, nil)
	resumed.Wait()
}
