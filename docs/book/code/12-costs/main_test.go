package main

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The race detector makes allocations of its own, so nothing is counted here. The
// documents' test compares the page's output: it runs the program without the race
// detector.
func TestBothFormsEnd(t *testing.T) {
	for _, form := range []func(j *job.Job[int]) (end func()){goroutine, machine} {
		assert.NotZero(t, perWaiter(form))
	}
}

// Exercise 1: none. A goroutine is needed to run a machine, not to keep it.
func TestExercise1WaitingMachinesHoldNoGoroutine(t *testing.T) {
	source, before := job.NewSource[int](), runtime.NumGoroutine()
	waiting := make([]*job.Job[int], 10_000)
	for i := range waiting {
		waiting[i] = twiceAsync(source.Job())
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	source.TrySetResult(1)
	all, err := job.WhenAll(waiting...).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 2, all[0])
}

// kept keeps the compiler from leaving out an object that is not used.
var kept *job.Job[int]

// Exercise 2: the small numbers that functions return most often. .NET caches the tasks
// of the same ones, from -1, which means "not found", to 8.
func TestExercise2JobsOfSmallNumbersAreShared(t *testing.T) {
	for n := -2; n <= 9; n++ {
		objects := testing.AllocsPerRun(100, func() { kept = job.FromResult(n) })
		assert.Equal(t, n == -2 || n == 9, objects > 0, "FromResult(%d)", n)
	}
}
