package statemachine

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Spawned is the part of a root machine that completes the job of [job.RunMachine]: what [Builder] is to the
// job of an async function. Generated roots of function literals that run as jobs embed it before their frame.
//
// The two differ in when they are made. The job of a literal is there before the literal runs, since it has to wait in a
// queue; the machine is made if the literal suspends, which a worker that runs awaited jobs itself makes rare.
type Spawned[T any] struct {
	chain chain
	job   *job.Machine[T]
}

// Suspend takes over a chain of frames that suspended in the first step of j: t is the task of that step, m the
// promoted root. What it returns registers the chain.
func (s *Spawned[T]) Suspend(ctx context.Context, t *Task, m machine, j *job.Machine[T]) job.Rest {
	s.job = j
	t.Push(ctx, m)
	s.chain.takeOver(t, m)
	r := t.outlive(j.Worker())
	r.begun, r.first = &s.chain, m.base()
	return (*rest)(r)
}

// rest is the Task of a chain that has suspended in its first step.
type rest Task

// GoOn implements job.Rest. In contrast to a hot start, the first step was taken by a worker which has nothing
// else to do: the chain may run what it awaits, or go on here, if the frame to resume is at home here.
func (r *rest) GoOn(schedulers.Worker, uint8) {
	t, c, first := (*Task)(r), r.begun, r.first
	t.begun, t.first = nil, nil
	if t.register(c) {
		t.giveBack()
		return
	}
	t.awaiting = nil
	if !t.top.atHomeOf(first) {
		t.goHome(c)
		t.giveBack()
		return
	}
	t.goOn(c)
}

// SetResult completes the job with what the function returned. t is what the machine was given: its last run.
func (s *Spawned[T]) SetResult(t *Task, v T, err error) {
	s.job.Return(v, err)
	s.job.End(t.leaving())
}

func (s *Spawned[T]) handle() job.Handle { return &s.job.Job }

func (s *Spawned[T]) fail(err error, on schedulers.Worker) {
	s.job.Fault(err)
	s.job.End(on)
}

// Fail is deferred by the first step of j, with that step's task: a panic becomes the job's fault. A
// runtime.Goexit is seen by the job itself.
func Fail[T any](t *Task, j *job.Machine[T]) {
	if v := recover(); v != nil {
		o := t.panicked(v)
		if len(o.async) == 0 { // the machine was not made yet
			o.async = job.AsyncStack(&j.Job)
		}
		j.Fault(o.err())
	}
}
