package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// body is the part of a job that has a function: what it needs in addition to the
// outcome. It is also the context that the function gets.
//
// The context is a field of the job and not the job itself, so that a method of one is
// never called on the other. (Keeping a job's context in memory keeps the job, though.)
// It looks values up itself and takes its end from the parent. That suffices until a
// caller wants a Done channel, or cancels this job and not the parent. Then it makes a
// real context, once, in the part of the job that most jobs never have. Other jobs pay
// one bit, in a word that is read anyway.
type body struct {
	users users

	holding bool // the job counts as a user of the enclosing job's context
	hidden  bool // the job's scheduler is not the ambient one
	// The argument spent of jobcore.Awaiting.RunClaimed, if the machine that awaits the
	// job runs it; jobcore.Unproven|1 if a waiting goroutine runs it. Written by the
	// job's claimer.
	spent uint8
	// The goroutine that claimed the job has completed it. Written and read by that
	// goroutine.
	attended bool

	// Set when the job is made, like holding and hidden.
	owner  owner
	parent context.Context
	root   *body            // the outermost job context around this one, all nested directly
	home   *schedulers.Home // where the job runs; a Start may name another

	// Written by the job's claimer, before the function is called.
	worker schedulers.Worker
}

// realContext does not embed its context: the methods of the shape of a type in an atomic pointer
// are compiled in each package that mentions a job.
type realContext struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

var _ context.Context = (*body)(nil)

// nest records the enclosing context. ctx is the parent of this one.
func (b *body) nest(ctx context.Context) {
	b.parent = ctx
	direct, ok := ctx.(*body)
	outer := direct
	if !ok {
		outer = enclosingBody(ctx)
	}
	if outer == nil || !outer.users.hold() {
		return
	}
	b.holding = true
	if ok {
		b.root = outer.outermost()
	}
}

// shield detaches the job's context from the end of the enclosing contexts.
func (b *body) shield() { b.parent, b.root = context.WithoutCancel(b.parent), nil }

// outermost returns the body whose parent is the first context outwards that is not a
// body.
//
// Jobs that start jobs make a chain of bodies as long as the recursion is deep. Only the
// far end of that chain needs to be checked: a body holds its enclosing body until it is
// closed itself, so none in between has ended, unless Cancel was called, which is noted
// in the outermost one.
func (b *body) outermost() *body {
	if b.root != nil {
		return b.root
	}
	return b
}

// Deadline implements context.Context.
func (b *body) Deadline() (time.Time, bool) { return b.outermost().parent.Deadline() }

// Done implements context.Context.
func (b *body) Done() <-chan struct{} { return b.materialize().ctx.Done() }

// Err implements context.Context.
func (b *body) Err() error {
	if r := b.realContext(); r != nil {
		return r.ctx.Err()
	}
	above := b.outermost()
	if above.users.cancelCalled() {
		above = b // one after the other, then
	}
	if err := above.parent.Err(); err != nil {
		return err
	}
	if b.users.unused() {
		return context.Canceled
	}
	return nil
}

// Value implements context.Context. Foreign keys are passed to the real context, if
// any: the standard library finds the nearest cancellable context by a private key, and
// must find the one whose Done channel this one returns.
func (b *body) Value(key any) any {
	switch key {
	case jobKey{}:
		return b.owner.base()
	case ctxwatch.HostKey{}:
		return b
	case contract.SchedulerKey:
		if !b.hidden {
			return b.home
		}
	case contract.WorkerKey:
		if !b.hidden {
			return b.worker
		}
		return nil
	}
	if r := b.realContext(); r != nil {
		return r.ctx.Value(key)
	}
	return b.parent.Value(key)
}

// HasLabels reports to [labels.Has].
func (b *body) HasLabels() bool { return b.owner.base().mode&labeled != 0 }

// materialize makes the real context, or returns the one that was made.
//
// It races with the departure of the last user: the second of the two cancels.
// materialize stores the context, then checks for users and sets realExists in one
// compare-and-swap; a departing user counts down and sees that bit. So one of the two
// sees the other.
func (b *body) materialize() *realContext {
	if r := b.realContext(); r != nil {
		return r
	}
	rare := b.owner.base().ensureExtra()
	r := interleave.LoadPointer(&rare.real)
	if r == nil {
		ctx, cancel := context.WithCancelCause(b.parent)
		r = &realContext{ctx, cancel}
		if !interleave.CompareAndSwapPointer(&rare.real, nil, r) {
			cancel(nil)
			r = interleave.LoadPointer(&rare.real)
		}
	}
	b.users.setReal(r)
	return r
}

// realContext returns the real context, or nil if none was made.
func (b *body) realContext() *realContext {
	if !b.users.hasReal() {
		return nil
	}
	return interleave.LoadPointer(&interleave.LoadPointer(&b.owner.base().extra).real)
}

// interrupt ends the context before its users do.
func (b *body) interrupt(cause error) {
	b.outermost().users.noteCancel()
	b.materialize().cancel(cause)
	if w := b.waits(); w != nil {
		w.source.End()
	}
}

// endOwn records that the job itself no longer needs its context: its function has
// returned or will not run.
func (c *core) endOwn() {
	b := c.own
	if b.users.leave() {
		b.close()
	}
	if c.mode&traced != 0 {
		c.ensureExtra().diagnostics.endTask()
	}
}

// close ends the context, which is no longer needed, and the contexts of enclosing jobs
// that only this one held.
func (b *body) close() {
	for last := true; last; last = b.users.release() {
		if r := b.realContext(); r != nil {
			r.cancel(nil)
		}
		if w := b.waits(); w != nil {
			w.watch.Stop()
		}
		if !b.holding {
			return
		}
		b = enclosingBody(b.parent)
	}
}

// contextWaits are the waits under a job's context that ask for no Done channel: those of this
// module. They end with the parent, which is watched, or with an interrupt.
//
//	# WatchSource                        # the last user leaves     # interrupt
//
//	W1 store the list, set waitsExist    L1 count down              I1 cancel the real context
//	W2 watch the parent                  L2 waitsExist? stop the    I2 waitsExist? end the waits
//	W3 no users? stop the watch             watch
//	W4 has it ended? end the waits
//
// Of W1 and L1 one comes first: L2 finds the list, or W3 finds no users. If L2 comes between W1
// and W2, it stops nothing, and W3 finds no users. The same holds for I1 and W4.
type contextWaits struct {
	source ctxwatch.Source
	watch  ctxwatch.Watch // of the parent
}

// ContextEnded implements ctxwatch.Listener.
func (w *contextWaits) ContextEnded(*ctxwatch.Watch) { w.source.End() }

// WatchSource returns the waits under the context to package ctxwatch.
func (b *body) WatchSource(ctxwatch.Key) *ctxwatch.Source {
	if w := b.waits(); w != nil {
		return &w.source
	}
	rare := b.owner.base().ensureExtra()
	w := new(contextWaits)
	w.source.Init(b, b)
	if !interleave.CompareAndSwapPointer(&rare.waits, nil, w) {
		return &interleave.LoadPointer(&rare.waits).source
	}
	b.users.setWaits()
	w.watch.Start(b.parent, w)
	if b.users.unused() {
		w.watch.Stop()
	}
	if b.Err() != nil {
		w.source.End()
	}
	return &w.source
}

// waits returns the waits under the context, or nil if none has begun.
func (b *body) waits() *contextWaits {
	if !b.users.hasWaits() {
		return nil
	}
	return interleave.LoadPointer(&interleave.LoadPointer(&b.owner.base().extra).waits)
}

// Hold implements ctxwatch.Host.
func (b *body) Hold() bool { return b.users.hold() }

// Release implements ctxwatch.Host.
func (b *body) Release() {
	if b.users.release() {
		b.close()
	}
}

// outcome returns the final status that a returned error means for this job.
func (b *body) outcome(err error) Status {
	switch {
	case err == nil:
		return Completed
	case b.owner.base().final != 0:
		return Status(b.owner.base().final)
	case endedBy(b, err):
		return Canceled
	default:
		return Faulted
	}
}

// DefaultScheduler returns the scheduler of jobs whose context and options name
// none. It is a pool until [SetDefaultScheduler] replaces it.
func DefaultScheduler() schedulers.Scheduler { return ambient.Default().Scheduler }

// SetDefaultScheduler makes s the default; nil restores the built-in pool. Jobs that
// were started before stay where they are.
func SetDefaultScheduler(s schedulers.Scheduler) { ambient.SetDefault(s) }

// homeOf is ambient.Home, with a shortcut if ctx is a job's own context.
func homeOf(ctx context.Context) *schedulers.Home {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.home
	}
	return ambient.Home(ctx)
}

// timersOf returns the timers that [Sleep] uses.
func timersOf(ctx context.Context) schedulers.Timers { return ambient.Timers(homeOf(ctx)) }

// workerOf is schedulers.WorkerFrom, with a shortcut if ctx is a job's own context.
func workerOf(ctx context.Context) schedulers.Worker {
	if b, ok := ctx.(*body); ok && !b.hidden {
		return b.worker
	}
	return schedulers.WorkerFrom(ctx)
}
