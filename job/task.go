package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// task is a job that has a function to run, in one allocation with the job.
//
// The types with type parameters that contain a task have a field of that name and do not embed
// it, as [Job] does not embed its core: gc compiles a wrapper for each promoted method of each
// instance, used or not. With embedding, the 124 wrappers of a continuation and as many of others
// took two fifths of the time to compile a package that uses jobs of a few types.
type task[T any] struct {
	Job[T]
	body
}

// invoker is the concrete task, which knows its function and its arguments.
type invoker[T any] interface {
	owner
	invoke(ctx context.Context) (T, error)
}

// prepare sets up a new task. It returns the error that makes the job fault at once.
func (t *task[T]) prepare(self owner, ctx context.Context, opts []Option, p usage, nilFunc bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if d := Diagnostics(tracking.Jobs.Load()); len(opts) == 0 && !nilFunc && d&^ourBits == 0 {
		// The usual case. The code below costs some 10 ns, even if nothing is recorded.
		if schedulers.HasLabels(ctx) {
			t.core.mode |= labeled
		}
		t.enclose(self, homeOf(ctx), ctx)
		if d != 0 {
			t.track(d)
		}
		return nil
	}
	o := merge(opts)
	if o.name != "" {
		t.core.ensureExtra().name = o.name
	}
	if nilFunc {
		return ErrNilFunc
	}
	if err := o.check(p); err != nil {
		return err
	}
	at := o.home()
	if at == nil {
		at = homeOf(ctx)
	}
	if o.mode&shielded != 0 {
		ctx = context.WithoutCancel(ctx)
	}
	t.core.flags, t.core.mode, t.core.only = o.flags, o.mode, o.only
	if schedulers.HasLabels(ctx) {
		t.core.mode |= labeled
	}
	d := o.diagnose | Diagnostics(tracking.Jobs.Load())
	if d != 0 {
		ctx = t.record(ctx, d)
	}
	t.enclose(self, at, ctx)
	t.track(d)
	return nil
}

// enclose gives the task its function, which runs at home with a context below ctx.
func (t *task[T]) enclose(self owner, home *schedulers.Home, ctx context.Context) {
	t.owner, t.core.own, t.home = self, &t.body, home
	t.nest(ctx)
}

// faultWith makes the job fault with err, the reason why it could not be made.
func (t *task[T]) faultWith(err error) *Job[T] {
	t.core.setErr(err)
	t.core.publish(Faulted).Deliver(nil)
	return &t.Job
}

// Abandon implements schedulers.Work.
func (t *task[T]) Abandon(reason error) {
	if t.core.state.reserve(Scheduled) {
		t.core.abort(Faulted, orElse(reason, ErrShutdown)).Deliver(nil)
	}
}

// run claims the job, runs its function and completes it. It does nothing if it loses
// the claim to a waiter that runs the job in place, or to a canceller.
func (t *task[T]) run(self invoker[T], worker schedulers.Worker, q *queue) {
	if t.core.state.claim() {
		t.worker = worker
		if q != nil {
			// The job runs inside other work, perhaps not on the worker's goroutine.
			t.spent = jobcore.Unproven | 1
		}
		t.finish(self, q, q == nil)
	}
}

// execute is run for a caller that has claimed the job and has more to do after it.
func (t *task[T]) execute(self invoker[T], worker schedulers.Worker) {
	t.worker = worker
	t.finish(self, nil, false)
}

// finish calls the function of a claimed job and completes the job, unless the function
// suspends: then the function completes the job later. For last see complete.
func (t *task[T]) finish(self invoker[T], q *queue, last bool) {
	final, rest, returned := t.call(self, q)
	switch {
	case !returned: // and so it is complete
	case rest != nil:
		t.owner.drop() // a suspended function keeps what it needs
		t.core.state.suspend()
		rest.GoOn(t, t.worker, t.spent)
	default:
		t.complete(final, q, last)
	}
}

// call checks the context, runs the function and classifies its error: every step that
// may run user code. It returns false if one of these did not return. The deferred
// function has then completed the job, because after a runtime.Goexit no code of the
// caller runs. A function that has suspended is returned as rest and is not continued in
// here: the deferred function could not tell a job that others may complete from one
// that it has to complete itself.
func (t *task[T]) call(self invoker[T], q *queue) (final Status, rest suspension.Suspended, returned bool) {
	defer func() {
		if !returned {
			t.exit(recover(), q)
		}
	}()
	if t.body.Err() != nil {
		t.core.setErr(contextError(&t.body))
		return Canceled, nil, true
	}
	var err error
	if t.core.mode&(labeled|traced) == 0 {
		t.value, err = self.invoke(&t.body)
	} else {
		t.value, err = t.invokeWithDiagnostics(self)
	}
	if rest = suspension.Of(err); rest != nil {
		return Running, rest, true
	}
	t.core.setErr(err)
	return t.outcome(err), nil, true
}

// Return implements suspension.Completer.
func (t *task[T]) Return(value T, err error) continuation.Chain {
	t.value = value
	t.core.setErr(err)
	return t.end(t.outcome(err))
}

// Fault implements suspension.Completer.
func (t *task[T]) Fault(err error) continuation.Chain {
	var none T
	t.value = none
	if k, ok := t.owner.(keeper); ok {
		err = k.crashError(err)
	}
	t.core.setErr(err)
	return t.end(Faulted)
}

// Handle implements suspension.Completer.
func (t *task[T]) Handle() any { return &t.Job }

// end completes a job whose function has suspended.
func (t *task[T]) end(final Status) continuation.Chain {
	t.core.endOwn()
	return t.core.publish(final)
}

// crash completes a job whose function panicked with v, or has called runtime.Goexit if
// v is nil.
func (t *task[T]) crash(v any, q *queue) {
	err := ErrGoexit
	if v != nil {
		p := t.core.panicError(v)
		schedulers.ReportPanic(t.worker, p.Value, p.Stack)
		err = p
	}
	if k, ok := t.owner.(keeper); ok {
		err = k.crashError(err)
	}
	t.core.setErr(err)
	t.complete(Faulted, q, false)
}

// keeper is a task that has its own outcome to keep, whatever its function does.
type keeper interface {
	// crashError returns the error of a function that has panicked or called
	// runtime.Goexit, joined to the error that is kept.
	crashError(err error) error
}

// complete publishes the outcome of a function, on the goroutine that claimed the job,
// and notifies all waiters. Synchronous continuations go to q or, if that is nil, run
// here. last reports that the worker has nothing else to do in its current work.
func (t *task[T]) complete(final Status, q *queue, last bool) {
	t.owner.drop()
	t.core.endOwn()
	t.attended = true
	t.core.conclude(final)
	waiters := t.core.waiting.CompleteAttended()
	r := t.core.extra.Load()
	if (waiters != continuation.Chain{}) {
		from := t.worker
		if l, ok := from.(schedulers.Leaver); ok && last && r == nil {
			from = l.Leaving()
		}
		waiters.Deliver(from)
	}
	if r != nil {
		r.runSynchronous(t.worker, q)
	}
}
