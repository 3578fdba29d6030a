package parallel

import (
	"context"
	"runtime"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// # Operations that machines call
//
// Each operation has an entry for machines, which gets companions of its functions. A body that
// has one may suspend: it becomes the root of a chain of its own, and reports its suspension to
// its participant by its error. If bodies are suspended when the caller has nothing more to do,
// the operation returns a [*paused] in place of its error, and the caller suspends.
//
// An operation has no twin. Where nothing that it is given can suspend, machines call it as plain
// code does.

// byMachine is the context of an operation whose caller can suspend. The operation unwraps it at
// once, so bodies never see it. The Context may be nil.
type byMachine struct{ context.Context }

// end describes how an operation whose caller is suspended has ended. It is the value of a job,
// and not its error: an operation returns a panic in a body as an error, but a panic that is a
// job's error would be raised.
type end struct {
	err    error
	goexit bool // a body has called runtime.Goexit, and so must the caller
}

// wait is what a machine waits for that has called an operation.
type wait[T any] struct {
	statemachine.Waiting[T]
	job   *job.Job[end]
	value func(err error) (T, error) // the results, once the operation has ended with err
}

// Results implements [statemachine.Outcome]. If a body has called runtime.Goexit, so does
// Results.
func (w *wait[T]) Results(r *statemachine.Run) (T, error) {
	end, err := statemachine.JobResult(r, w.job)
	if err != nil { // the machine's home has refused it
		return w.value(err)
	}
	if end.goexit {
		end.err = job.ErrGoexit
	}
	v, err := w.value(end.err)
	if end.goexit {
		runtime.Goexit()
	}
	return v, err
}

// enterValue makes the machine of r wait for an operation with these results, unless it has
// ended.
func enterValue[T any](r *statemachine.Run, v T, err error) (*statemachine.Waiting[T], T, error) {
	p, ok := err.(*pausedValue[T])
	if !ok {
		return nil, v, err
	}
	w := &wait[T]{job: p.job, value: p.value}
	w.Init(w)
	r.Await(p.job)
	return &w.Waiting, v, nil
}

// enterVoid is enterValue for an operation without a result.
func enterVoid(r *statemachine.Run, err error) (*statemachine.WaitingVoid[job.Void], error) {
	if p, ok := err.(*paused); ok {
		err = &pausedValue[job.Void]{*p, func(err error) (job.Void, error) { return job.Void{}, err }}
	}
	w, _, err := enterValue(r, job.Void{}, err)
	return (*statemachine.WaitingVoid[job.Void])(w), err
}
