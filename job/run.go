package job

import (
	"context"

	"github.com/movenext/movenext/job/root"
	"github.com/movenext/movenext/schedulers"
)

// runJob is the job of New, Run and Go: outcome, context, function and work item
// in one allocation.
type runJob[T any] struct {
	job  Job[T]
	body body
	fn   func(context.Context) (T, error)
}

func (t *runJob[T]) base() *core { return &t.job.core }

func (t *runJob[T]) completer() jobCompleter { return (*completer[T])(&t.job) }

func (t *runJob[T]) invoke(ctx context.Context) (err error) {
	t.job.value, err = t.fn(ctx)
	return err
}

func (t *runJob[T]) drop() { t.fn = nil }

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
func New[T any](ctx context.Context, fn root.Func[T], opts ...Option) *Job[T] {
	t := &runJob[T]{fn: fn}
	if err := t.job.core.prepare(&t.body, t, ctx, opts, forJob, fn == nil); err != nil {
		t.job.core.faultWith(err)
	} else {
		t.job.core.state.set(Created)
	}
	return &t.job
}

// Run is [New] and [Job.Start]. If the scheduler refuses the job, it faults with an
// error that wraps the refusal ([ErrShutdown], [ErrRejected]). Work that fn starts and
// does not wait for continues after fn has returned; see New.
func Run[T any](ctx context.Context, fn root.Func[T], opts ...Option) *Job[T] {
	t := &runJob[T]{fn: fn}
	t.job.core.launch(t.job.core.prepare(&t.body, t, ctx, opts, forJob, fn == nil))
	return &t.job
}

// Go is [Run] for a function without a result.
func Go(ctx context.Context, fn root.Action, opts ...Option) *Job[Void] {
	t := &goJob{fn: fn}
	t.job.core.launch(t.job.core.prepare(&t.body, t, ctx, opts, forJob, fn == nil))
	return &t.job
}

// goJob is runJob without a result: wrapping fn in a closure would cost one more allocation.
type goJob struct {
	job  Job[Void]
	body body
	fn   func(context.Context) error
}

func (t *goJob) base() *core { return &t.job.core }

func (t *goJob) completer() jobCompleter { return (*completer[Void])(&t.job) }

func (t *goJob) invoke(ctx context.Context) error { return t.fn(ctx) }

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
	return j.core.runSynchronously()
}

func (c *core) runSynchronously() error {
	if c.own == nil || c.status() != Created {
		return ErrStarted
	}
	c.own.users.setOutside() // before the job can be seen Scheduled
	if !c.state.start() {
		return ErrStarted
	}
	c.finishSynchronously()
	return nil
}

// finishSynchronously runs the job, or waits for its end if a waiter claimed it first
// and runs it in place.
func (c *core) finishSynchronously() {
	parent := c.own.parent
	if !c.runFor(parent, schedulers.WorkerFrom(parent)) {
		_ = c.await(context.Background())
	}
}
