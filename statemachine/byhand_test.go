package statemachine_test

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// This file lowers two functions by hand, in the form that generated code has, so that
// the contract is tested without the generator.
//
//	func leaf(ctx context.Context, j *job.Job[int]) (int, error) {
//		v, err := j.Await()
//		if v < 0 { panic("negative") }
//		if v == 0 { runtime.Goexit() }
//		return v, err
//	}
//
//	func sum(ctx context.Context, jobs []*job.Job[int]) (total int, err error) {
//		for _, j := range jobs {
//			v, err := leaf(ctx, j)
//			if err != nil { return total, err }
//			total += v
//		}
//		return total, nil
//	}

type leafFrame struct {
	statemachine.Frame
	await1  *job.Job[int]
	end     func(int)
	result0 int
	result1 error
}

func (f *leafFrame) MoveNext(r *statemachine.Run) bool {
	state := f.State
	f.State = statemachine.Running
	switch state {
	case 0:
	case 1:
		goto resume1
	default:
		statemachine.Misuse(state)
	}
	if f.await1.IsCompleted() {
		goto resume1
	}
	f.State = 1
	return r.Await(f.await1)
resume1:
	f.result0, f.result1 = statemachine.JobResult(r, f.await1)
	f.await1 = nil
	f.end(f.result0)
	f.State = statemachine.Finished
	return true
}

func (f *leafFrame) Results(r *statemachine.Run) (int, error) {
	r.Rethrow()
	return f.result0, f.result1
}

func leafEnter(r *statemachine.Run, ctx context.Context, j *job.Job[int], end func(int)) (*leafFrame, int, error) {
	frame := leafFrame{await1: j, end: end}
	if frame.MoveNext(r) {
		return nil, frame.result0, frame.result1
	}
	m := new(leafFrame)
	*m = frame
	r.Push(ctx, m, &m.Frame)
	return m, 0, nil
}

type sumFrame struct {
	statemachine.Frame
	ctx   context.Context
	jobs  []*job.Job[int]
	end   func(int)
	total int
	i     int
	leaf1 *leafFrame
	err   error
}

func (f *sumFrame) MoveNext(r *statemachine.Run) bool {
	var v int
	state := f.State
	f.State = statemachine.Running
	switch state {
	case 0:
	case 1:
		goto resume1
	default:
		statemachine.Misuse(state)
	}
next:
	if f.i == len(f.jobs) {
		f.State = statemachine.Finished
		return true
	}
	f.leaf1, v, f.err = leafEnter(r, f.ctx, f.jobs[f.i], f.end)
	if f.leaf1 == nil {
		goto resumed1
	}
	f.State = 1
	return false
resume1:
	v, f.err = f.leaf1.Results(r)
	f.leaf1 = nil
resumed1:
	if f.err != nil {
		f.State = statemachine.Finished
		return true
	}
	f.total += v
	f.i++
	goto next
}

func sumAsync(ctx context.Context, end func(int), jobs ...*job.Job[int]) (result *job.Job[int]) {
	var r statemachine.Run
	frame := sumFrame{ctx: ctx, jobs: jobs, end: end}
	defer statemachine.Catch(&r, &result)
	if frame.MoveNext(&r) {
		return statemachine.Completed(ctx, frame.total, frame.err)
	}
	m := &sumMachine{sumFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

type sumMachine struct {
	statemachine.Builder[int]
	sumFrame
}

// Root is for the runtime.
func (m *sumMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *sumMachine) MoveNext(r *statemachine.Run) bool {
	if !m.sumFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, m.total, m.err)
	return true
}
