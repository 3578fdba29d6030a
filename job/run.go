package job

import (
	"context"

	"github.com/movenext/movenext/schedulers"
)

// runJob is the job of New, Run and Go: outcome, context, function and work item
// in one allocation.
type runJob[T any] struct {
	task task[T]
	fn   func(context.Context) (T, error)
}

// New returns a job that will run fn, not started: its status is Created. Start
// starts it, and so does awaiting it.
//
// fn gets the job's own context: a child of ctx that carries the job's scheduler and
// worker. It is canceled by [Job.Cancel], and when the job and everything started with
// that context have ended: other jobs, twins that have suspended, a [SleepAsync] and
// other asynchronous forms. Work without a waiter continues after the job that started
// it. A goroutine that uses the context does not count; work that must not outlive fn
// belongs in a [Scope]. If ctx has ended when the job's turn comes, the job becomes
// Canceled and fn is not called. A nil fn makes a job that has faulted with [ErrNilFunc].
func New[T any](ctx context.Context, fn func(context.Context) (T, error), opts ...Option) *Job[T] {
	t := &runJob[T]{fn: fn}
	if err := t.task.prepare(t, ctx, opts, forJob, fn == nil); err != nil {
		return t.task.faultWith(err)
	}
	t.task.core.state.set(Created)
	return &t.task.Job
}

// Run is [New] and [Job.Start]. If the scheduler refuses the job, it faults with an
// error that wraps the refusal ([ErrShutdown], [ErrRejected]). Work that fn starts and
// does not wait for continues after fn has returned; see New.
func Run[T any](ctx context.Context, fn func(context.Context) (T, error), opts ...Option) *Job[T] {
	t := &runJob[T]{fn: fn}
	if err := t.task.prepare(t, ctx, opts, forJob, fn == nil); err != nil {
		return t.task.faultWith(err)
	}
	_ = t.task.core.submit(t.task.home, t.task.core.flags) // the job carries the refusal
	return &t.task.Job
}

// Go is [Run] for a function without a result.
func Go(ctx context.Context, fn func(context.Context) error, opts ...Option) *Job[Void] {
	t := &goJob{fn: fn}
	if err := t.prepare(t, ctx, opts, forJob, fn == nil); err != nil {
		return t.faultWith(err)
	}
	_ = t.core.submit(t.home, t.core.flags)
	return &t.Job
}

// Run implements schedulers.Work.
func (t *runJob[T]) Run(worker schedulers.Worker) { t.task.run(t, worker, nil) }

// Abandon implements schedulers.Work.
func (t *runJob[T]) Abandon(reason error) { t.task.Abandon(reason) }

func (t *runJob[T]) base() *core { return t.task.base() }

// Schedulers and their reports describe a work item by these.

func (t *runJob[T]) ID() uint64        { return t.task.ID() }
func (t *runJob[T]) Name() string      { return t.task.Name() }
func (t *runJob[T]) Creation() Frame   { return t.task.Creation() }
func (t *runJob[T]) IsCompleted() bool { return t.task.IsCompleted() }
func (t *runJob[T]) String() string    { return t.task.String() }

func (t *runJob[T]) runClaimed(worker schedulers.Worker) { t.task.execute(t, worker) }

func (t *runJob[T]) invoke(ctx context.Context) (T, error) { return t.fn(ctx) }

func (t *runJob[T]) drop() { t.fn = nil }

// goJob is runJob without a result: wrapping fn in a closure would cost one more allocation.
type goJob struct {
	task[Void]
	fn func(context.Context) error
}

// Run implements schedulers.Work.
func (t *goJob) Run(worker schedulers.Worker) { t.run(t, worker, nil) }

func (t *goJob) runClaimed(worker schedulers.Worker) { t.execute(t, worker) }

func (t *goJob) invoke(ctx context.Context) (Void, error) { return Void{}, t.fn(ctx) }

func (t *goJob) drop() { t.fn = nil }

// RunSynchronously runs a Created job on the calling goroutine and returns nil when it
// has ended; the job has the outcome. If the job is not Created, RunSynchronously runs
// nothing and returns [ErrStarted].
//
// The job's scheduler is bypassed: the caller has chosen the goroutine. Work that the
// function starts still goes to that scheduler. If the function calls runtime.Goexit,
// the job has faulted with [ErrGoexit] and the calling goroutine ends.
func (j *Job[T]) RunSynchronously() error {
	if j == nil {
		return ErrNilJob
	}
	if j.core.own == nil || j.Status() != Created {
		return ErrStarted
	}
	j.core.ensureExtra().ignoresHome.Store(true) // before the job can be seen Scheduled
	if !j.core.state.start() {
		return ErrStarted
	}
	j.finishSynchronously()
	return nil
}

// finishSynchronously runs the job, or waits for its end if a waiter claimed it first
// and runs it in place.
func (j *Job[T]) finishSynchronously() {
	parent := j.core.own.parent
	if !j.core.runFor(parent, schedulers.WorkerFrom(parent)) {
		_, _ = j.Await()
	}
}
