package statemachine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/statemachine"
)

// hashAsync is the twin of a function that waits for its results.
func hashAsync(gate *job.Job[int]) func(context.Context, int) *job.Job[int] {
	return func(ctx context.Context, n int) *job.Job[int] {
		return job.Then(ctx, gate, func(_ context.Context, seed int) (int, error) { return seed + n, nil })
	}
}

// An operation of package parallel that a machine calls returns before it has ended. The
// machine reads the results when it continues.
func ExampleFunc() {
	gate := job.NewSource[int]()
	var r statemachine.Run
	ctx := statemachine.Calling(context.Background())
	wait, _, _ := statemachine.Func(parallel.Map(ctx, []int{1, 2}, statemachine.Func2(hashAsync(gate.Job())))).Enter(&r)
	gate.TrySetResult(40)
	<-r.Kept().(interface{ Done() <-chan struct{} }).Done()
	fmt.Println(wait.Results(&r))
	// Output: [41 42] <nil>
}

func TestAnOperationThatHasNotSuspendedHasItsResultsAtOnce(t *testing.T) {
	var run statemachine.Run
	ctx := statemachine.Calling(t.Context())
	failed := errors.New("failed")
	wait, err := statemachine.Action(parallel.For(ctx, 0, 1, func(context.Context, int) error { return failed })).Enter(&run)
	assert.Nil(t, wait)
	assert.Equal(t, failed, err)
	results, out, err := statemachine.Func(parallel.Map(ctx, []int{1}, func(context.Context, int) (int, error) { return 5, nil })).Enter(&run)
	assert.Nil(t, results)
	assert.Equal(t, []int{5}, out)
	assert.NoError(t, err)
}

func TestAGoexitInABodyThatHasSuspendedIsTheCallers(t *testing.T) {
	gate := job.NewSource[int]()
	body := func(ctx context.Context, _, _ int) *job.Job[job.Void] {
		return job.ContinueWith(ctx, gate.Job(), func(context.Context, *job.Job[int]) (job.Void, error) {
			runtime.Goexit()
			return job.Void{}, nil
		})
	}
	var run statemachine.Run
	wait, err := statemachine.Action(parallel.ForBlocks(statemachine.Calling(t.Context()), 0, 3, statemachine.Action3(body))).Enter(&run)
	assert.NoError(t, err)
	gate.TrySetResult(1)
	exited := make(chan bool)
	go func() {
		returned := false
		defer func() { exited <- !returned }()
		<-run.Kept().(interface{ Done() <-chan struct{} }).Done()
		_ = wait.Results(&run)
		returned = true
	}()
	assert.True(t, <-exited)
}
