package statemachine_test

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// runSum is the code that the generator makes of
//
//	job.Run(ctx, func(ctx context.Context) (int, error) { return sum(ctx, jobs) })
func runSum(ctx context.Context, end func(int), jobs ...*job.Job[int]) *job.Job[int] {
	return job.Run(ctx, func(ctx1 context.Context) (int, error) { return sumFunc1Run(end, jobs, ctx1) })
}

func sumFunc1Run(end func(int), jobs []*job.Job[int], ctx context.Context) (int, error) {
	var r statemachine.Run
	frame := sumFrame{ctx: ctx, jobs: jobs, end: end}
	defer statemachine.Fail(&r)
	if frame.MoveNext(&r) {
		return frame.total, frame.err
	}
	m := &sumFunc1Machine{sumFrame: frame}
	return 0, m.Spawned.Chain.Suspend(ctx, &r, m, &m.Frame)
}

type sumFunc1Machine struct {
	statemachine.Spawned[int]
	sumFrame
}

// Root is for the runtime.
func (m *sumFunc1Machine) Root() (statemachine.Root, statemachine.Location) {
	return m.Spawned.Chain.Root(), statemachine.Location{}
}

func (m *sumFunc1Machine) MoveNext(r *statemachine.Run) bool {
	if !m.sumFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, m.total, m.err)
	return true
}

func TestALiteralThatDoesNotSuspendReturnsAtOnce(t *testing.T) {
	v, err := runSum(context.Background(), nothing, job.FromResult(1), job.FromResult(2)).Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 3, v)
}

func TestALiteralThatSuspendsCompletesItsJob(t *testing.T) {
	first, second := job.NewSource[int](), job.NewSource[int]()
	j := runSum(context.Background(), nothing, first.Job(), second.Job())
	first.TrySetResult(1)
	second.TrySet(2, io.EOF)
	v, err := j.Wait(context.Background())
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, 1, v)
}

func TestALiteralRunsTheJobsThatItAwaitsFromItsFirstStepOn(t *testing.T) {
	p, ctx := singleWorker(t)
	one := func(context.Context) (int, error) { return 1, nil }
	j := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[int] {
		a, b := job.Run(ctx, one), job.Run(ctx, one)
		return runSum(ctx, nothing, a, b)
	}))
	v, err := j.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 2, v)
	assert.Equal(t, uint64(4), p.Metrics().Submitted, "the four jobs: nothing was resumed by way of the queue")
}

func TestAPanicOfALiteralIsItsJobsError(t *testing.T) {
	for name, gate := range map[string]*job.Source[int]{"at once": nil, "after a suspension": job.NewSource[int]()} {
		t.Run(name, func(t *testing.T) {
			on := job.FromResult(-1)
			if gate != nil {
				on = gate.Job()
			}
			j := runSum(context.Background(), func(v int) { panic(v) }, on)
			if gate != nil {
				gate.TrySetResult(-1)
			}
			_, err := j.Wait(context.Background())
			var p *job.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, -1, p.Value)
			assert.NotEmpty(t, p.Async, "it says which job")
			assert.Equal(t, job.Faulted, j.Status())
		})
	}
}

func TestALiteralMayExit(t *testing.T) {
	_, ctx := singleWorker(t)
	exit := func(int) { runtime.Goexit() }
	_, err := runSum(ctx, exit, job.FromResult(1)).Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit)

	// Within another one that has run it in place, and continues.
	outer := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[int] {
		return runSum(ctx, nothing, runSum(ctx, exit, job.Run(ctx, func(context.Context) (int, error) { return 1, nil })))
	}))
	_, err = outer.Wait(context.Background())
	require.ErrorIs(t, err, job.ErrGoexit, "the inner job's error")
}

func TestAChainOfJobsThatAwaitEachOtherNeedsNoStack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds under the race detector, and is on one goroutine")
	}
	_, ctx := singleWorker(t)
	const jobs = 2000
	deepest := 0
	measure := func(int) {
		var calls [20 * jobs]uintptr
		deepest = max(deepest, runtime.Callers(0, calls[:]))
	}
	j := job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[int] {
		last := job.Run(ctx, func(context.Context) (int, error) { return 1, nil })
		for range jobs {
			last = runSum(ctx, measure, last, job.FromResult(1))
		}
		return last
	}))
	v, err := j.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, jobs+1, v)
	assert.Less(t, deepest, jobs, "calls on the stack")
}

// A context names its worker, even on a goroutine other than the worker's. A literal
// that such a goroutine runs in place must not touch the worker's data, since the worker
// runs other machines meanwhile; the race detector checks this.
func TestAForeignGoroutineRunsALiteralInPlaceBesideTheWorkerOfItsContext(t *testing.T) {
	_, ctx := singleWorker(t)
	started := make(chan context.Context, 1)
	hold := job.NewSource[int]() // keeps the context in use, and no worker
	holder := job.Run(ctx, func(ctx context.Context) (int, error) {
		started <- ctx
		return sumFunc1Run(nothing, []*job.Job[int]{hold.Job()}, ctx)
	})
	foreign := <-started
	beside := yieldAsync(ctx, 50_000)
	for range 300 {
		gate := job.NewSource[int]()
		j := runSum(foreign, nothing, gate.Job())
		go func() {
			for j.Status() == job.Scheduled {
				runtime.Gosched()
			}
			gate.TrySetResult(1)
		}()
		v, err := j.Wait(foreign)
		require.NoError(t, err)
		assert.Equal(t, 1, v)
	}
	hold.TrySetResult(1)
	_, err := beside.Wait(context.Background())
	require.NoError(t, err)
	_, err = holder.Wait(context.Background())
	require.NoError(t, err)
}
