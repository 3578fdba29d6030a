package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// Internal is for the other packages of this module, which have a key; programs can
// neither make nor need one. It returns a pointer to the value, and the operations that
// these packages may use on a job.
func (j *Job[T]) Internal(jobcore.Key) (value any, in jobcore.Internals) {
	if j == nil {
		return nil, nil
	}
	return &j.value, (*internals)(&j.core)
}

// internals is a core as the other packages of this module see it; package jobcore
// documents the methods. The conversion is free. Methods of core itself would also be
// methods of every [Job].
type internals core

func (i *internals) core() *core { return (*core)(i) }

// coreOf returns the core behind the internals; nil for nil.
func coreOf(in jobcore.Internals) *core {
	if i, ok := in.(*internals); ok {
		return i.core()
	}
	return nil
}

// Init implements jobcore.Completing.
func (i *internals) Init() { i.state.set(WaitingForActivation) }

// InitDependent implements jobcore.Completing.
func (i *internals) InitDependent() {
	i.Init()
	i.core().setPromiseMode(dependent)
}

// SetExclusive implements jobcore.Completing.
func (i *internals) SetExclusive() { i.core().setPromiseMode(exclusive) }

// HoldContext implements jobcore.Completing.
func (i *internals) HoldContext(ctx context.Context) {
	if ctx == nil {
		return
	}
	if b := enclosingBody(ctx); b != nil && b.Hold() {
		i.core().setPromiseMode(holdsContext)
	}
}

// ReleaseContext implements jobcore.Completing.
func (i *internals) ReleaseContext(ctx context.Context) {
	if !i.core().hasPromiseMode(holdsContext) {
		return
	}
	if b := enclosingBody(ctx); b != nil {
		b.Release()
	}
}

// Reserve implements jobcore.Completing.
func (i *internals) Reserve(ctx context.Context, err error) bool {
	final := Completed
	switch {
	case err == nil:
	case endedBy(ctx, err):
		final = Canceled
	default:
		final = Faulted
	}
	if !i.state.reserve(WaitingForActivation) {
		return false
	}
	i.final = uint8(final)
	return true
}

// Publish implements jobcore.Completing.
func (i *internals) Publish(err error) continuation.Chain {
	c := i.core()
	c.setErr(err)
	return c.publish(Status(c.final))
}

// Register implements jobcore.Awaiting.
func (i *internals) Register(n *continuation.Node) bool { return i.core().register(n) }

// Unregister implements jobcore.Awaiting.
func (i *internals) Unregister(n *continuation.Node) { i.waiting.Remove(n) }

// HasExclusiveValue implements jobcore.Awaiting.
func (i *internals) HasExclusiveValue() bool {
	c := i.core()
	return c.hasPromiseMode(exclusive) && c.status() == Completed
}

// Claim implements jobcore.Awaiting.
func (i *internals) Claim(worker schedulers.Worker) bool {
	c := i.core()
	if c.own == nil {
		return false
	}
	from, ok := c.takeBack(worker)
	return ok && c.state.move(from, Running)
}

// takeBack takes a job that has not begun from its scheduler, for a waiter on worker that is
// going to claim it. It returns the status that the job had, or false if it stays where it is.
func (c *core) takeBack(worker schedulers.Worker) (Status, bool) {
	from := c.status()
	switch from {
	case Scheduled:
		r, ok := c.scheduler().(dispatch.Reclaimer)
		return from, ok && r.Reclaim(c.work(), worker)
	case Created:
		// A job with scheduling flags is submitted normally: Submit sees them.
		a, ok := c.scheduler().(dispatch.Admitter)
		return from, ok && c.flags == 0 && a.Admit(worker)
	}
	return from, false
}

// RunClaimed implements jobcore.Awaiting.
func (i *internals) RunClaimed(n *continuation.Node, worker schedulers.Worker, spent uint8) {
	i.own.spent = spent
	i.waiting.Add(n) // the list is open: only the claimer completes the job
	i.core().runClaimed(worker)
}

// LeaveClaimed implements jobcore.Awaiting.
func (i *internals) LeaveClaimed(n *continuation.Node) (notified bool) {
	if i.own.attended {
		i.waiting.Settle()
		return false
	}
	return n.Leave()
}

// StartLast implements jobcore.Awaiting.
func (i *internals) StartLast(worker schedulers.Worker) {
	c := i.core()
	if c.own == nil || c.status() != Created || !c.state.start() {
		return
	}
	// The job has the error.
	_ = c.submitFrom(c.scheduler(), schedulers.Hint{From: worker, Flags: c.flags})
}

// Antecedents implements jobcore.Awaiting.
func (i *internals) Antecedents() (all []jobcore.Internals) {
	before := i.core().antecedents()
	if before == nil {
		return nil
	}
	for k := range before.count() {
		if c := before.get(k); c != nil && !c.isCompleted() {
			all = append(all, (*internals)(c))
		}
	}
	return all
}

// Waits implements jobcore.Awaiting.
func (i *internals) Waits() bool { return i.own != nil || i.core().hasPromiseMode(dependent) }

// WithdrawIfCycle implements jobcore.Awaiting. It costs next to nothing if the waiting job has
// no waiters.
func (i *internals) WithdrawIfCycle(n *continuation.Node, waiting jobcore.Internals) error {
	c, w := i.core(), coreOf(waiting)
	if w == nil || w != c && w.waiting.Empty() || !c.mayWait() {
		return nil
	}
	if err := findCycle(w, c); err != nil && c.waiting.Withdraw(n) {
		return err
	}
	return nil
}

var _ jobcore.Job = (*Job[Void])(nil)
