package statemachine_test

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

const many = 100_000

// withSmallStack runs f where many stack frames of the smallest size would not fit.
func withSmallStack(f func()) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	f()
}

func TestReturningThroughManySuspendedCallsNeedsNoStack(t *testing.T) {
	s := job.NewSource[int]()
	j := recursion(oneWorker(t), s.Job(), many)
	withSmallStack(func() {
		s.TrySetResult(1)
		_, err := j.Wait(context.Background())
		assert.NoError(t, err)
	})
}

func TestAPanicThroughManySuspendedCallsNeedsNoStack(t *testing.T) {
	s := job.NewSource[int]()
	var run statemachine.Run
	ctx := oneWorker(t)
	leaf, _, _ := leafEnter(&run, ctx, s.Job(), panicIfNegative)
	for range many {
		f := &sumFrame{ctx: ctx, leaf1: leaf, end: nothing}
		f.State = 1
		run.Push(ctx, f, &f.Frame)
	}
	m := &sumMachine{sumFrame: sumFrame{leaf1: leaf, end: nothing}}
	m.State = 1
	m.Chain.Start(&m.Promise.Job, ctx, &run, m, &m.Frame)
	j := &m.Promise.Job
	withSmallStack(func() {
		s.TrySetResult(-1)
		requirePanic(t, j, "negative")
	})
}

func TestAChainOfManyMachinesNeedsNoStack(t *testing.T) {
	ctx := oneWorker(t)
	s := job.NewSource[int]()
	j := s.Job()
	for range many {
		j = sumAsync(ctx, nothing, j)
	}
	withSmallStack(func() {
		s.TrySetResult(1)
		v, err := j.Wait(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

// lookingFrame awaits a job, and calls the function between after the check of the job
// and before the registration.
type lookingFrame struct {
	statemachine.Builder[int]
	statemachine.Frame
	first, second *job.Job[int]
	between       func()
	sum           int
}

// Root is for the runtime.
func (f *lookingFrame) Root() (statemachine.Root, statemachine.Location) {
	return f.Chain.Root(&f.Promise.Job), statemachine.Location{}
}

func (f *lookingFrame) MoveNext(r *statemachine.Run) bool {
	state := f.State
	f.State = statemachine.Running
	switch state {
	case 1:
		goto resume1
	case 2:
		goto resume2
	}
	if !f.first.IsCompleted() {
		f.between()
		f.State = 1
		return r.Await(f.first)
	}
resume1:
	f.sum, _ = statemachine.JobResult(r, f.first)
	if !f.second.IsCompleted() {
		f.between()
		f.State = 2
		return r.Await(f.second)
	}
resume2:
	v, err := statemachine.JobResult(r, f.second)
	f.State = statemachine.Finished
	f.SetResult(r, f.sum+v, err)
	return true
}

func TestCompleteBetweenTheLookAndTheRegistrationOfAMachine(t *testing.T) {
	ctx := oneWorker(t)
	ss, js := sources(2)
	completed := 0
	m := &lookingFrame{first: js[0], second: js[1]}
	m.between = func() {
		ss[completed].TrySetResult(completed + 1)
		completed++
	}
	var run statemachine.Run
	require.False(t, m.MoveNext(&run), "it has looked before: it suspends all the same")
	m.Chain.Start(&m.Promise.Job, ctx, &run, m, &m.Frame)
	j := &m.Promise.Job
	v, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.Equal(t, 2, completed, "once on the caller's goroutine, once on the worker")
}
