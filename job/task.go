package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// # A job with a function
//
// Such a job is one object: the [Job], the [body], the function, and what a continuation or a
// child needs besides. The type of that object depends on the types of the results. gc compiles
// all methods of such a type in each package that mentions it, used or not, and twice each. So the
// type has only the four methods of an [owner]; everything else is a method of the core, which
// this package alone compiles. The core is what schedulers get, as [work].
//
//	scheduler ──Run──▶ work = core ──own──▶ body ──owner──▶ the object ──▶ the function

// owner is the object that contains a job with its own function. It knows the type of the result.
type owner interface {
	base() *core

	// completer returns the right to complete the job, a [completer].
	completer() jobCompleter

	// invoke calls the function and writes its value to the job.
	invoke(ctx context.Context) error

	// drop forgets the function, which will not run or has ended.
	drop()
}

// keeper is an owner that has its own outcome to keep, whatever its function does.
type keeper interface {
	// crashError returns the error of a function that has panicked or called
	// runtime.Goexit, joined to the error that is kept.
	crashError(err error) error
}

// work is the work item of a job with a function: its core. The conversion is free.
type work core

func (c *core) work() *work { return (*work)(c) }

// Run implements schedulers.Work.
func (w *work) Run(worker schedulers.Worker) { (*core)(w).run(worker, nil) }

// Abandon implements schedulers.Work.
func (w *work) Abandon(reason error) {
	if c := (*core)(w); c.state.reserve(Scheduled) {
		c.abort(Faulted, orElse(reason, ErrShutdown)).Deliver(nil)
	}
}

// Schedulers and their reports describe a work item by these.

func (w *work) ID() uint64        { return (*core)(w).ensureExtra().id }
func (w *work) Name() string      { return (*core)(w).name() }
func (w *work) Creation() Frame   { return (*core)(w).frame("job") }
func (w *work) IsCompleted() bool { return (*core)(w).isCompleted() }
func (w *work) String() string    { return (*core)(w).describe() }

// prepare gives a new job its function, which is in self. It returns the error that makes the job
// fault at once.
func (c *core) prepare(b *body, self owner, ctx context.Context, opts []Option, p usage, nilFunc bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if d := Diagnostics(probe.OfJobs()); len(opts) == 0 && !nilFunc && d&^ourBits == 0 {
		// The usual case. The code below costs some 10 ns, even if nothing is recorded.
		if labels.Has(ctx) {
			c.mode |= labeled
		}
		c.enclose(b, self, homeOf(ctx), ctx)
		if d != 0 {
			c.track(d)
		}
		return nil
	}
	o := merge(opts)
	if o.name != "" {
		c.ensureExtra().name = o.name
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
	c.flags, c.mode, c.only = o.flags, o.mode, o.only
	if labels.Has(ctx) {
		c.mode |= labeled
	}
	d := o.diagnose | Diagnostics(probe.OfJobs())
	if d != 0 {
		ctx = c.record(ctx, d)
	}
	c.enclose(b, self, at, ctx)
	c.track(d)
	return nil
}

// enclose gives the job its function, which runs at home with a context below ctx.
func (c *core) enclose(b *body, self owner, home *schedulers.Home, ctx context.Context) {
	b.owner, c.own, b.home = self, b, home
	b.nest(ctx)
}

// launch submits a new job. If err, the error of prepare, is not nil, the job faults instead.
func (c *core) launch(err error) {
	if err != nil {
		c.faultWith(err)
		return
	}
	_ = c.submit(c.own.home, c.flags) // the job carries the refusal
}

// faultWith makes the job fault with err, the reason why it could not be made.
func (c *core) faultWith(err error) {
	c.setErr(err)
	c.publish(Faulted).Deliver(nil)
}

// run claims the job, runs its function and completes it. It does nothing if it loses
// the claim to a waiter that runs the job in place, or to a canceller.
func (c *core) run(worker schedulers.Worker, q *queue) {
	if c.state.claim() {
		c.own.worker = worker
		if q != nil {
			// The job runs inside other work, perhaps not on the worker's goroutine.
			c.own.spent = jobcore.Unproven | 1
		}
		c.finish(q, q == nil)
	}
}

// runClaimed is run for a caller that has claimed the job and has more to do after it.
func (c *core) runClaimed(worker schedulers.Worker) {
	c.own.worker = worker
	c.finish(nil, false)
}

// finish calls the function of a claimed job and completes the job, unless the function
// suspends: then the function completes the job later. For last see complete.
func (c *core) finish(q *queue, last bool) {
	final, rest, returned := c.call(q)
	switch {
	case !returned: // and so it is complete
	case rest != nil:
		c.continueSuspended(rest)
	default:
		c.complete(final, q, last)
	}
}

// continueSuspended lets the function continue, which has suspended.
func (c *core) continueSuspended(rest suspension.Suspended) {
	b := c.own
	end := b.owner.completer()
	b.owner.drop() // a suspended function keeps what it needs
	c.state.suspend()
	rest.GoOn(end, b.worker, b.spent)
}

// call checks the context, runs the function and classifies its error: every step that
// may run user code. It returns false if one of these did not return. The deferred
// function has then completed the job, because after a runtime.Goexit no code of the
// caller runs. A function that has suspended is returned as rest and is not continued in
// here: the deferred function could not tell a job that others may complete from one
// that it has to complete itself.
func (c *core) call(q *queue) (final Status, rest suspension.Suspended, returned bool) {
	defer func() {
		if !returned {
			c.exit(recover(), q)
		}
	}()
	b := c.own
	if b.Err() != nil {
		c.setErr(contextError(b))
		return Canceled, nil, true
	}
	var err error
	if c.mode&(labeled|traced) == 0 {
		err = b.owner.invoke(b)
	} else {
		err = c.invokeWithDiagnostics()
	}
	if rest = suspension.Of(err); rest != nil {
		return Running, rest, true
	}
	c.setErr(err)
	return b.outcome(err), nil, true
}

// crash completes a job whose function panicked with v, or has called runtime.Goexit if
// v is nil.
func (c *core) crash(v any, q *queue) {
	err := ErrGoexit
	if v != nil {
		p := c.panicError(v)
		dispatch.ReportPanic(c.own.worker, p.Value, p.Stack)
		err = p
	}
	c.setErr(c.keep(err))
	c.complete(Faulted, q, false)
}

// keep joins err, of a function that has not returned, to the error that the job keeps anyway.
func (c *core) keep(err error) error {
	if k, ok := c.own.owner.(keeper); ok {
		return k.crashError(err)
	}
	return err
}

// complete publishes the outcome of a function, on the goroutine that claimed the job,
// and notifies all waiters. Synchronous continuations go to q or, if that is nil, run
// here. last reports that the worker has nothing else to do in its current work.
func (c *core) complete(final Status, q *queue, last bool) {
	b := c.own
	b.owner.drop()
	c.endOwn()
	b.attended = true
	c.conclude(final)
	waiters := c.waiting.CompleteAttended()
	r := interleave.LoadPointer(&c.extra)
	if (waiters != continuation.Chain{}) {
		from := b.worker
		if l, ok := from.(dispatch.Leaver); ok && last && r == nil {
			from = l.Leaving()
		}
		waiters.Deliver(from)
	}
	if r != nil {
		r.runSynchronous(b.worker, q)
	}
}

// completer is a job whose function has suspended, as that function sees it: it implements
// suspension.Completer. The conversion is free.
type completer[T any] Job[T]

// jobCompleter is a [completer] of any type.
type jobCompleter interface{ Handle() any }

// Return implements suspension.Completer.
func (j *completer[T]) Return(value T, err error) continuation.Chain {
	j.value = value
	return j.core.endSuspended(err)
}

// Fault implements suspension.Completer.
func (j *completer[T]) Fault(err error) continuation.Chain {
	var none T
	j.value = none
	return j.core.faultSuspended(err)
}

// Handle implements suspension.Completer.
func (j *completer[T]) Handle() any { return (*Job[T])(j) }

// endSuspended completes a job whose function has suspended, and has returned err now.
func (c *core) endSuspended(err error) continuation.Chain {
	c.setErr(err)
	final := c.own.outcome(err)
	c.endOwn()
	return c.publish(final)
}

// faultSuspended completes a job whose function has suspended, and has not returned.
func (c *core) faultSuspended(err error) continuation.Chain {
	c.setErr(c.keep(err))
	c.endOwn()
	return c.publish(Faulted)
}
