package statemachine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

// Location is the method that the generator would write for leaf.
func (f *leafFrame) Location() statemachine.Location {
	return statemachine.At(&f.Frame, "pkg.leaf", "pkg/byhand.go", 7)
}

func TestASuspendedChainSaysWhereItIs(t *testing.T) {
	ss, js := sources(1)
	j := sumAsync(oneWorker(t), nothing, js...)
	stack := job.AsyncStack(js[0])
	require.Len(t, stack, 3)
	assert.Equal(t, job.Frame{What: "async function", Function: "pkg.leaf", File: "pkg/byhand.go", Line: 7}, stack[1])
	assert.Equal(t, "async function", stack[2].What, "a frame that does not know where it is shows all the same")
	assert.NotEmpty(t, stack[2].Job, "the outermost call names its job")
	ss[0].TrySetResult(1)
	v, err := j.Wait(context.Background())
	require.NoError(t, err, "looking has changed nothing")
	assert.Equal(t, 1, v)
}

func TestAPanicAfterASuspensionHasTheAsynchronousStack(t *testing.T) {
	ss, js := sources(1)
	j := sumAsync(oneWorker(t), panicIfNegative, js...)
	above := job.WhenAll(j)
	ss[0].TrySetResult(-1)
	_, err := above.Wait(context.Background())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	require.GreaterOrEqual(t, len(p.Async), 3)
	assert.Equal(t, "pkg.leaf", p.Async[0].Function)
	assert.Empty(t, p.Async[0].File, "it runs")
	assert.NotEmpty(t, p.Async[1].Job)
	assert.Equal(t, "WhenAll", p.Async[2].What)
}

func TestTheLocationOfAFrameThatIsNotSuspendedHasNoLine(t *testing.T) {
	f := &leafFrame{}
	for _, state := range []int32{statemachine.NotStarted, statemachine.Running, statemachine.Finished, 2} {
		f.State = state
		assert.Equal(t, statemachine.Location{Function: "pkg.leaf"}, f.Location())
	}
}

// recursion returns a machine that awaits j below depth calls.
func recursion(ctx context.Context, j *job.Job[int], depth int) *job.Job[int] {
	var r statemachine.Run
	leaf, _, _ := leafEnter(&r, ctx, j, nothing)
	for range depth {
		f := &sumFrame{ctx: ctx, jobs: []*job.Job[int]{j}, leaf1: leaf, end: nothing}
		f.State = 1
		r.Push(ctx, f, &f.Frame)
	}
	m := &sumMachine{sumFrame: sumFrame{jobs: []*job.Job[int]{j}, leaf1: leaf, end: nothing}}
	m.State = 1
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

func TestADeepChainIsShownInPart(t *testing.T) {
	s := job.NewSource[int]()
	j := recursion(oneWorker(t), s.Job(), 5000)
	stack := job.AsyncStack(s.Job())
	require.Len(t, stack, 1+64+1)
	assert.Equal(t, "4938 more async functions", stack[65].What)
	s.TrySetResult(1)
	_, err := j.Wait(context.Background())
	assert.NoError(t, err)
}

// later returns the job of a machine that first awaits the job of begin, and then the
// job that awaited returns.
func later(ctx context.Context, awaited func() *job.Job[int]) (begin *job.Source[int], j *job.Job[int]) {
	begin = job.NewSource[int]()
	m := &sumMachine{sumFrame: sumFrame{ctx: ctx}}
	m.jobs = []*job.Job[int]{begin.Job(), nil}
	m.end = func(int) { m.jobs[1] = awaited() }
	var r statemachine.Run
	if m.sumFrame.MoveNext(&r) {
		panic("not suspended")
	}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return begin, &m.Promise.Job
}

func TestAMachineThatAwaitsItselfIsTold(t *testing.T) {
	var j *job.Job[int]
	begin, own := later(oneWorker(t), func() *job.Job[int] { return j })
	j = own
	begin.TrySetResult(1)
	_, err := j.Wait(context.Background())
	var c *job.CycleError
	require.ErrorAs(t, err, &c)
	assert.Len(t, c.Jobs, 1)
	assert.ErrorIs(t, err, job.ErrWouldDeadlock)
}

func TestTheMachineThatClosesACycleIsRefused(t *testing.T) {
	ctx := oneWorker(t)
	for _, n := range []int{2, 3, 40} {
		js := make([]*job.Job[int], n)
		begin := make([]*job.Source[int], n)
		for i := range js {
			begin[i], js[i] = later(ctx, func() *job.Job[int] { return js[(i+1)%n] })
		}
		for _, s := range begin {
			s.TrySetResult(1) // one worker: they wait for each other one after another
		}
		for _, j := range js {
			_, err := j.Wait(context.Background())
			var c *job.CycleError
			require.ErrorAs(t, err, &c)
			assert.Len(t, c.Jobs, n)
		}
	}
}

func TestACycleOfMachinesAndCombinatorsIsFound(t *testing.T) {
	ctx := oneWorker(t)
	for name, around := range map[string]func(*job.Job[int]) *job.Job[int]{
		"Race": func(j *job.Job[int]) *job.Job[int] { return job.Race(j) },
		"Then": func(j *job.Job[int]) *job.Job[int] {
			return job.Then(ctx, j, func(_ context.Context, v int) (int, error) { return v, nil })
		},
		"a job": func(j *job.Job[int]) *job.Job[int] {
			waits := make(chan struct{})
			r := job.Run(context.Background(), func(ctx context.Context) (int, error) {
				close(waits)
				return j.Wait(ctx)
			})
			<-waits
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			var j *job.Job[int]
			begin, own := later(ctx, func() *job.Job[int] { return around(j) })
			j = own
			begin.TrySetResult(1)
			_, err := j.Wait(context.Background())
			assert.True(t, errors.Is(err, job.ErrCycle), "%v", err)
		})
	}
}

// On several workers, whatever the timing: no machine waits forever.
func TestCyclesOfMachinesOnSeveralWorkers(t *testing.T) {
	p := pool.New(pool.Workers(4, 4))
	ctx := schedulers.With(context.Background(), p)
	for round := range 300 {
		n := 2 + round%3
		js, begin := make([]*job.Job[int], n), make([]*job.Source[int], n)
		for i := range js {
			begin[i], js[i] = later(ctx, func() *job.Job[int] { return js[(i+1)%n] })
		}
		for _, s := range begin {
			go s.TrySetResult(1)
		}
		for _, j := range js {
			_, err := j.Wait(context.Background())
			require.ErrorIs(t, err, job.ErrCycle)
		}
	}
	require.NoError(t, p.Shutdown(context.Background()))
}
