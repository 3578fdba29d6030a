package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// Internal is for the other packages of this module, which have a key; programs can
// neither make nor need one. It returns a pointer to the value, and the operations that
// these packages may use on a job. It does not block.
func (j *Job[T]) Internal(jobcore.Key) (value any, in jobcore.Insides) {
	if j == nil {
		return nil, nil
	}
	return &j.value, (*insides)(&j.core)
}

// insides is a core as the other packages of this module see it; package jobcore
// documents the methods. The conversion is free. Methods of core itself would also be
// methods of every [Job].
type insides core

func (i *insides) core() *core { return (*core)(i) }

// coreOf returns the core behind the insides, nil for nil.
func coreOf(in jobcore.Insides) *core {
	if i, ok := in.(*insides); ok {
		return i.core()
	}
	return nil
}

// Init implements jobcore.Completing.
func (i *insides) Init() { i.state.set(WaitingForActivation) }

// InitDependent implements jobcore.Completing.
func (i *insides) InitDependent() {
	i.Init()
	i.mode = dependent
}

// HandOver implements jobcore.Completing.
func (i *insides) HandOver() { i.mode |= handing }

// Stay implements jobcore.Completing.
func (i *insides) Stay(ctx context.Context) {
	if ctx == nil {
		return
	}
	if b := enclosingBody(ctx); b != nil && b.Hold() {
		i.mode |= staying
	}
}

// Leave implements jobcore.Completing.
func (i *insides) Leave(ctx context.Context) {
	if i.mode&staying == 0 {
		return
	}
	if b := enclosingBody(ctx); b != nil {
		b.Release()
	}
}

// Reserve implements jobcore.Completing.
func (i *insides) Reserve(ctx context.Context, err error) bool {
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
func (i *insides) Publish(err error) continuation.Chain {
	c := i.core()
	c.setErr(err)
	return c.publish(Status(c.final))
}

// HandedOver implements jobcore.Awaiting.
func (i *insides) HandedOver() bool {
	return i.own == nil && i.mode&handing != 0 && i.core().status() == Completed
}

// Take implements jobcore.Awaiting.
func (i *insides) Take(worker schedulers.Worker) bool {
	c := i.core()
	if c.own == nil {
		return false
	}
	switch c.status() {
	case Scheduled:
		r, ok := c.scheduler().(schedulers.Reclaimer)
		return ok && r.Reclaim(c.own.owner, worker) && c.state.claim()
	case Created:
		// A job with scheduling flags is submitted normally: Submit sees them.
		a, ok := c.scheduler().(schedulers.Admitter)
		return ok && c.flags == 0 && a.Admit(worker) && c.state.begin()
	}
	return false
}

// RunTaken implements jobcore.Awaiting.
func (i *insides) RunTaken(n *continuation.Node, worker schedulers.Worker, spent uint8) {
	b := i.own
	b.spent = spent
	i.waiting.Add(n) // the list is open: only the claimer completes the job
	b.owner.runClaimed(worker)
}

// LeaveTaken implements jobcore.Awaiting.
func (i *insides) LeaveTaken(n *continuation.Node) (notified bool) {
	if i.own.attended {
		i.waiting.Settle()
		return false
	}
	return n.Leave()
}

// StartLast implements jobcore.Awaiting.
func (i *insides) StartLast(worker schedulers.Worker) {
	c := i.core()
	if c.own == nil || c.status() != Created || !c.state.start() {
		return
	}
	// The job has the error.
	_ = c.submitFrom(c.scheduler(), schedulers.Hint{From: worker, Flags: c.flags})
}

// Antecedents implements jobcore.Awaiting.
func (i *insides) Antecedents() (all []jobcore.Insides) {
	before := i.core().antecedents()
	if before == nil {
		return nil
	}
	for k := range before.count() {
		if c := before.get(k); c != nil && !c.isCompleted() {
			all = append(all, (*insides)(c))
		}
	}
	return all
}

// Waits implements jobcore.Awaiting.
func (i *insides) Waits() bool { return i.own != nil || i.mode&dependent != 0 }

// TakeBack implements jobcore.Awaiting. It costs next to nothing if the waiting job has
// no waiters.
func (i *insides) TakeBack(n *continuation.Node, waiting jobcore.Insides) error {
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
