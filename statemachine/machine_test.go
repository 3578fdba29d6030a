package statemachine_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func nothing(int) {}

// oneWorker returns a context with a scheduler of one worker of its own.
func oneWorker(t *testing.T) context.Context {
	t.Helper()
	p := pool.New(pool.Workers(1, 1))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return schedulers.With(context.Background(), p)
}

func sources(n int) (ss []*job.Source[int], js []*job.Job[int]) {
	for range n {
		s := job.NewSource[int]()
		ss, js = append(ss, s), append(js, s.Job())
	}
	return ss, js
}

func TestAMachineThatNeverWaitsFinishesOnItsCallersStack(t *testing.T) {
	j := sumAsync(context.Background(), nothing, job.FromResult(1), job.FromResult(2))
	require.True(t, j.IsCompleted())
	v, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
}

func TestAMachineResumesOncePerSuspension(t *testing.T) {
	ctx := oneWorker(t)
	ss, js := sources(5)
	var seen []int
	j := sumAsync(ctx, func(v int) { seen = append(seen, v) }, js...)
	assert.Equal(t, job.WaitingForActivation, j.Status())
	for i, s := range ss {
		assert.True(t, s.TrySetResult(i+1))
	}
	v, err := j.Wait(ctx)
	assert.NoError(t, err)
	assert.Equal(t, 15, v)
	assert.Equal(t, []int{1, 2, 3, 4, 5}, seen)
}

func TestAnErrorOfTheAwaitedJobIsAResult(t *testing.T) {
	boom := errors.New("boom")
	ss, js := sources(2)
	j := sumAsync(oneWorker(t), nothing, js...)
	ss[0].TrySetResult(4)
	ss[1].TrySetError(boom)
	v, err := j.Wait(context.Background())
	assert.Equal(t, 4, v, "the value is kept beside the error")
	assert.Equal(t, boom, err)
	assert.Equal(t, job.Faulted, j.Status())
}

func TestAnErrorOfTheMachinesOwnContextMakesItCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(oneWorker(t))
	ss, js := sources(1)
	j := sumAsync(ctx, nothing, js...)
	cancel()
	ss[0].TrySetCanceled()
	_, err := j.Wait(context.Background())
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, job.Canceled, j.Status())
	assert.False(t, j.Cancel(), "a twin's job refuses Cancel")
}

func panicIfNegative(v int) {
	if v < 0 {
		panic("negative")
	}
}

func TestAPanicBeforeTheFirstSuspensionFaultsTheJob(t *testing.T) {
	j := sumAsync(context.Background(), panicIfNegative, job.FromResult(-1))
	requirePanic(t, j, "negative")
}

func TestAPanicAfterASuspensionReachesTheCallerThenTheJob(t *testing.T) {
	ss, js := sources(2)
	j := sumAsync(oneWorker(t), panicIfNegative, js...)
	ss[0].TrySetResult(1)
	ss[1].TrySetResult(-1)
	requirePanic(t, j, "negative")
}

func requirePanic(t *testing.T, j *job.Job[int], value any) {
	t.Helper()
	_, err := j.Wait(context.Background())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, value, p.Value)
	assert.Contains(t, string(p.Stack), "panicIfNegative")
	assert.Equal(t, job.Faulted, j.Status())
}

func TestGoexitAfterASuspensionEndsEachFrameAndTheJob(t *testing.T) {
	ctx := oneWorker(t)
	ss, js := sources(1)
	j := sumAsync(ctx, func(int) { runtime.Goexit() }, js...)
	ss[0].TrySetResult(0)
	_, err := j.Wait(context.Background())
	assert.Equal(t, job.ErrGoexit, err)

	v, err := sumAsync(ctx, nothing, job.FromResult(7)).Wait(ctx)
	assert.NoError(t, err, "the scheduler has survived")
	assert.Equal(t, 7, v)
}

func TestAMachineWhoseHomeIsGoneResumesWithErrShutdown(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ss, js := sources(1)
	j := sumAsync(schedulers.With(context.Background(), p), nothing, js...)
	require.NoError(t, p.Shutdown(context.Background()))
	ss[0].TrySetResult(1)
	_, err := j.Wait(context.Background())
	assert.ErrorIs(t, err, job.ErrShutdown)
}

func TestAMachineDrivenTwiceSaysSo(t *testing.T) {
	f := &leafFrame{await1: job.FromResult(1), end: nothing}
	require.True(t, f.MoveNext(new(statemachine.Run)))
	assert.PanicsWithValue(t, "statemachine: MoveNext called on a machine that has finished",
		func() { f.MoveNext(new(statemachine.Run)) })
}
