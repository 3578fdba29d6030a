package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/schedulers"
)

// Job is one operation and, later, its outcome: a future. Jobs are made by [New],
// [Run], [Go], a [Source], the combinators, and by generated code. A Job must
// not be copied.
//
// All methods are safe for concurrent use. Any number of readers can read the result,
// any number of times. A nil *Job counts as complete, with [ErrNilJob].
type Job[T any] struct {
	value T // written and read by the rule of core.setErr
	core  core
}

// Void is the result type of a job that has none.
type Void = struct{}

// Status returns how far the job has come.
func (j *Job[T]) Status() Status {
	if j == nil {
		return Faulted
	}
	return j.core.status()
}

// IsCompleted reports whether the job has ended, with whatever outcome.
func (j *Job[T]) IsCompleted() bool { return j == nil || j.core.isCompleted() }

// Err returns the job's error. It is nil while the job has not ended, and nil if the job
// succeeded.
func (j *Job[T]) Err() error {
	if j == nil {
		return ErrNilJob
	}
	if !j.core.isCompleted() {
		return nil
	}
	return j.core.observedErr()
}

// GetResult returns the outcome of a job that has ended: the value and the error as its
// function returned them. If the job has not ended, GetResult blocks as [Job.Await]
// does.
func (j *Job[T]) GetResult() (T, error) {
	if j == nil || !j.core.isCompleted() || interleave.LoadPointer(&j.core.extra) != nil {
		return uncommonResult(j)
	}
	return j.value, nil
}

// uncommonResult is GetResult for a job that is nil, has not ended, or may have failed.
func uncommonResult[T any](j *Job[T]) (T, error) {
	if j == nil {
		var zero T
		return zero, ErrNilJob
	}
	if !j.core.isCompleted() {
		return j.Await()
	}
	return j.value, j.core.observedErr()
}

// observedErr returns the error of a job that has ended, and notes that it has been seen.
func (c *core) observedErr() error {
	c.observeFailure()
	return c.err()
}

// observeFailure notes that a failure has been seen.
func (c *core) observeFailure() {
	if c.err() != nil {
		c.observe()
	}
}

// GetAwaiter returns the job as its own awaiter, and starts it if it was Created. It
// does not block or allocate.
func (j *Job[T]) GetAwaiter() awaiter.Awaiter[T] {
	if j != nil {
		j.core.startIfCreated()
	}
	return j
}

// OnCompleted calls k.Resume once the job has ended, perhaps before it returns. It starts
// a Created job. A panic in Resume is contained: see [schedulers.Hook].
func (j *Job[T]) OnCompleted(k continuation.Continuation) {
	if j == nil {
		resumeNow(k)
		return
	}
	j.core.onCompleted(k)
}

// resumeNow is not inlined: each package that mentions a job would compile the hook.
//
//go:noinline
func resumeNow(k continuation.Continuation) { resume.Call(k) }

func (c *core) onCompleted(k continuation.Continuation) {
	r := &resumption{k: k}
	r.node.Prepare(r)
	if !c.register(&r.node) {
		resume.Call(k)
	}
}

// Register adds n to the continuations of the job and returns true, or returns
// false if the job has ended. It starts a Created job. Most code wants
// [ContinueWith]; Register is for custom awaiters.
func (j *Job[T]) Register(n *continuation.Node) bool {
	return j != nil && j.core.register(n)
}

// Start submits a Created job to its scheduler: the one of the option [On], else the one
// it was made with, else the ambient one of its context, else the default. It returns
// [ErrStarted] if the job is not Created. If the scheduler refuses the job, Start
// returns the reason, and the job is Faulted with that error. For a bad option it
// returns [ErrOption] or [ErrNilScheduler], and the job stays Created.
func (j *Job[T]) Start(opts ...Option) error {
	if j == nil {
		return ErrNilJob
	}
	return j.core.start(opts)
}

// Cancel asks the job to end. A job that has not begun to run becomes Canceled at once.
// If it runs, its context is canceled, and its function decides what follows. Cancel
// returns false if there was nothing to cancel: the job has ended, or only others can
// complete it (a [Source], an async function's twin: cancel the context that they were
// given).
func (j *Job[T]) Cancel() bool { return j.CancelCause(nil) }

// CancelCause is [Job.Cancel] with a cause, which context.Cause returns in the job's
// function. A nil cause stands for context.Canceled.
func (j *Job[T]) CancelCause(cause error) bool { return j != nil && j.core.cancel(cause) }

// ID returns a number that is unique among the jobs of this process, never 0.
// An ID is assigned at the first call, so the order of IDs means nothing. A nil *Job has
// 0.
func (j *Job[T]) ID() uint64 {
	if j == nil {
		return 0
	}
	return j.core.ensureExtra().id
}

// Name returns the name that the option [Named] gave the job, or "".
func (j *Job[T]) Name() string {
	if j == nil {
		return ""
	}
	return j.core.name()
}

func (c *core) name() string {
	if r := interleave.LoadPointer(&c.extra); r != nil {
		return r.name
	}
	return ""
}

// Done returns a channel that is closed when the job has ended. The channel is made at
// the first call. Done does not start a Created job.
func (j *Job[T]) Done() <-chan struct{} {
	if j == nil {
		return closedChannel
	}
	return j.core.done()
}

// Wait blocks until the job has ended and returns its outcome. ctx bounds the wait, not
// the job: when ctx ends first, Wait returns a *[WaitError] and the job continues. It
// returns [ErrNotStarted] for a Created job.
//
// A wait inside a job's function, given that function's ctx, involves the worker: the
// worker may run the awaited job in place, let another worker take over meanwhile, or
// refuse with [ErrWouldDeadlock] a wait that could never end. A wait that closes a cycle
// of jobs is refused with a [CycleError], unless it ends by itself: by a deadline before
// that of the waiting job.
//
// A job that the worker runs in place ends the caller's goroutine if it calls runtime.Goexit:
// then Wait does not return, the caller's deferred calls are made, and its own job has
// faulted with [ErrGoexit]. If another worker runs it, Wait returns ErrGoexit. A machine
// that awaits the job always continues with that error, wherever the job runs.
func (j *Job[T]) Wait(ctx context.Context) (T, error) {
	var zero T
	if j == nil {
		return zero, ErrNilJob
	}
	if err := j.core.await(ctx); err != nil {
		return zero, err
	}
	return j.value, j.core.observedErr()
}

// await waits until the job has ended, or returns the reason why the wait has ended without it.
func (c *core) await(ctx context.Context) error {
	if !c.isCompleted() {
		return c.wait(ctx)
	}
	budget.Yield()
	return nil
}

// Await returns the job's outcome, starting it if it was Created. In a function marked
// //movenext:async it is a suspension point: the generated machine suspends there.
// Everywhere else it blocks the calling goroutine. A plain function that runs as a job
// should rather call [Job.Wait] with its context, which notifies the worker that it
// blocks.
func (j *Job[T]) Await() (T, error) {
	if j != nil {
		j.core.startIfCreated()
	}
	return j.Wait(context.Background())
}

// Handle is any *Job[T] without its result type, for lists of mixed jobs, registries and
// logs. Only jobs of this package implement it.
type Handle interface {
	ID() uint64
	Name() string
	Creation() Frame
	Status() Status
	IsCompleted() bool
	Err() error
	Done() <-chan struct{}
	Start(opts ...Option) error
	Cancel() bool
	CancelCause(cause error) bool

	hiddenJob
}

// hiddenJob is an unexported name, which documentation does not show.
type hiddenJob = jobcore.Job

// baseOf returns the core of a handle's job; nil for a nil Handle and for a nil job. A method that
// returns the core would be two functions to compile for each type of results.
func baseOf(h Handle) *core {
	if h == nil {
		return nil
	}
	_, in := h.Internal(jobcore.Key{})
	return coreOf(in)
}

// coreIn is baseOf for a job of a known type.
func coreIn[T any](j *Job[T]) *core {
	if j == nil {
		return nil
	}
	return &j.core
}

var _ Handle = (*Job[Void])(nil)

// resumption lets a foreign continuation wait for a job.
type resumption struct {
	node continuation.Node
	k    continuation.Continuation
}

// Completed implements continuation.Target.
func (r *resumption) Completed(schedulers.Worker) continuation.Chain {
	resume.Call(r.k)
	return continuation.Chain{}
}

// resume calls a user's Resume. A panic that escaped from it would surface in the
// completer of the job, which may well recover, and the rest of the chain would never be
// notified.
var resume = schedulers.NewHook("continuation.Continuation.Resume", continuation.Continuation.Resume)

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// done returns the channel that is closed when the job has ended. Closing it is one more
// continuation, which adds no race.
//
// A job that has ended gets no separate channel: a completed job is shared by all
// callers that want the same result, and a channel made inside a synctest bubble cannot
// be shared.
func (c *core) done() <-chan struct{} {
	if c.isCompleted() && interleave.LoadPointer(&c.extra) == nil {
		return closedChannel
	}
	r := c.ensureExtra()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil && c.isCompleted() {
		return closedChannel
	}
	if r.done == nil {
		r.done = make(chan struct{})
		d := &closer{c: r.done}
		d.node.Prepare(d)
		if !c.waiting.Add(&d.node) {
			close(r.done)
		}
	}
	return r.done
}

// closer closes a channel when a job has ended.
type closer struct {
	node continuation.Node
	c    chan struct{}
}

func (d *closer) waitingJob() (*core, string) { return nil, "Done channel" }

// Completed implements continuation.Target.
func (d *closer) Completed(schedulers.Worker) continuation.Chain {
	close(d.c)
	return continuation.Chain{}
}

// String describes the job in one line of a log: its name or, without one, its number;
// its status; and where it was made, if that is recorded ([RecordCreation]).
func (j *Job[T]) String() string {
	if j == nil {
		return "job <nil>"
	}
	return j.core.describe()
}

func (c *core) describe() string {
	text := "job " + c.shortLabel() + ", " + c.status().String()
	if f := c.frame("job"); f.Function != "" {
		text += fmt.Sprintf(", made in %s (%s:%d)", lastPart(f.Function), lastPart(f.File), f.Line)
	}
	return text
}

// shortLabel is label for a line of a report.
func (c *core) shortLabel() string {
	if name := c.ensureExtra().name; name != "" {
		return fmt.Sprintf("%q", truncate.Name(name))
	}
	return c.label()
}

// lastPart returns the part of s after the last slash.
func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
