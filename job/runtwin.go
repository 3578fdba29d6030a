package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// RunTwin is [Run] for a function that returns a job, as the twin of an async function
// does: start runs on the job's scheduler, and the job ends as the one that start
// returned, with its value and error. Its own context decides between Canceled and
// Faulted. While it waits for that end it is Running and holds no worker. [Job.Cancel]
// cancels the context that start was given.
//
// A nil start makes a job that has faulted with [ErrNilFunc], a start that returns nil
// one that faults with [ErrNilJob]. RunTwin does not block. The idea is that of .NET's
// Task.Run for a function that returns a task.
func RunTwin[T any](ctx context.Context, start func(context.Context) *Job[T], opts ...Option) *Job[T] {
	t := &twinJob[T]{start: start}
	if err := t.prepare(t, ctx, opts, forJob, start == nil); err != nil {
		return t.failed(err)
	}
	t.mode |= dependent
	_ = t.submit(t.home, t.flags) // the job carries the refusal
	return &t.Job
}

// NewTwin is [New] for a function that returns a job: RunTwin, not started.
func NewTwin[T any](ctx context.Context, start func(context.Context) *Job[T], opts ...Option) *Job[T] {
	t := &twinJob[T]{start: start}
	if err := t.prepare(t, ctx, opts, forJob, start == nil); err != nil {
		return t.failed(err)
	}
	t.mode |= dependent
	t.state.set(Created)
	return &t.Job
}

// twinJob is a job whose function returns another one, which the job then follows.
//
// The claimer completes a job; here that right passes from the worker that ran start to
// the goroutine that delivers the end of the inner job. Registering is the last thing
// that the worker does with the job.
type twinJob[T any] struct {
	task[T]
	start func(context.Context) *Job[T]
	inner *Job[T]
	node  continuation.Node
}

// Run implements schedulers.Work.
func (t *twinJob[T]) Run(on schedulers.Worker) {
	if t.state.claim() {
		t.runClaimed(on)
	}
}

func (t *twinJob[T]) runClaimed(on schedulers.Worker) {
	t.worker = on
	final, _, returned := t.call(t, nil)
	switch {
	case !returned: // and so it is complete
	case final != Completed:
		t.complete(final, nil, false)
	case t.inner == nil:
		t.setErr(ErrNilJob)
		t.complete(Faulted, nil, false)
	default:
		t.follow()
	}
}

func (t *twinJob[T]) follow() {
	t.node.Prepare(t)
	if !t.inner.Register(&t.node) {
		t.Completed(nil).Deliver(t.worker)
	}
}

// Completed implements continuation.Target: the inner job has ended.
func (t *twinJob[T]) Completed(schedulers.Worker) continuation.Chain {
	j := t.inner
	t.value = j.value
	t.setErr(j.err())
	j.observed() // from here on it is this job's failure
	final := t.judge()
	t.drop()
	t.endOwn()
	return t.publish(final)
}

// judge is outcome where the error is a user's and the goroutine is the inner job's
// completer: a panic in a method of the error makes this job fault, as in task.call,
// and goes no further.
func (t *twinJob[T]) judge() (final Status) {
	defer func() {
		if v := recover(); v != nil {
			t.setErr(t.panicked(v))
			final = Faulted
		}
	}()
	return t.outcome(t.err())
}

func (t *twinJob[T]) invoke(ctx context.Context) (none T, err error) {
	t.inner = t.start(ctx)
	return none, nil
}

func (t *twinJob[T]) drop() { t.start, t.inner = nil, nil }

func (t *twinJob[T]) waitingJob() (*core, string) { return &t.core, "RunTwin" }
