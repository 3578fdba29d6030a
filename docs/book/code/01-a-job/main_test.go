package main

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// 42 <nil>
	// made:    Created
	// started: Scheduled
	// inside:  Running
	// ended:   Completed
	// Faulted false false
	// Faulted true false
	// Canceled false true
}

// first is exercise 1: the index of the first future to arrive. It costs a
// goroutine for each future, and the losers' goroutines stay until their futures
// arrive, which may be never.
func first[T any](futures ...*future[T]) int {
	winner := make(chan int, len(futures))
	for i, f := range futures {
		go func() {
			<-f.arrived
			winner <- i
		}()
	}
	return <-winner
}

func TestExercise1TheFirstToArrive(t *testing.T) {
	never := make(chan struct{})
	slow := start(func() (int, error) { <-never; return 1, nil })
	fast := start(func() (int, error) { return 2, nil })
	assert.Equal(t, 1, first(slow, fast))
	close(never) // else the loser's goroutine leaks, and goleak reports it
	_, _ = slow.wait()
}

// Exercise 2: the same with jobs. WhenAny withdraws from the losers, so nothing is left behind:
// the job of the WhenAny is garbage although the slower one has not ended.
func TestExercise2TheFirstToEndOfJobs(t *testing.T) {
	slow, fast := job.NewSource[int](), job.NewSource[int]()
	any := job.WhenAny(slow.Job(), fast.Job())
	fast.TrySetResult(2)
	winner, err := any.Wait(context.Background())
	require.NoError(t, err)
	assert.Same(t, fast.Job(), winner)

	referred := weak.Make(any)
	any = nil
	runtime.GC()
	assert.Nil(t, referred.Value())
	slow.TrySetResult(1)
}
