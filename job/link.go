package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// link is the common part of the jobs of all continuations, beside the job itself and its
// function: context and registration, in one allocation with both.
//
//	WaitingForActivation ──antecedent ends──▶ Scheduled ─▶ Running ─▶ …
//	          ├──────────its own ctx ends───▶ Canceled
//	          └──antecedent ends otherwise──▶ …            (filtered out, passed on)
//
// Two events can occur at any time: the end of the antecedent, and the end of the link's
// own context. The state word decides between them. It remains to show that neither leaves
// anything behind in the other's list, even if it occurs before attach has returned:
//
//	attach                              antecedent ends        context ends
//	 1. add the node                     1. leave Waiting…      1. leave Waiting…
//	 2. start the watch                  2. stop the watch      2. withdraw the node
//	 3. still Waiting…? else stop
//	    the watch
//
// The context cannot end the link before step 2 of attach, and by then the node is there
// to be withdrawn. If the antecedent ends before step 2, it stops nothing, but step 3
// sees the state that it wrote before. The order of the first two steps matters: with
// the watch first, a context that ends between them would try to withdraw a node that is
// not there yet.
type link struct {
	body body
	node continuation.Node
	// Nil if the context cannot end, as in most chains: the watch would add 40 bytes, a
	// sixth of a link. Made before the node is added.
	watch *ctxwatch.Watch
	// The antecedent; nil when it is no longer needed. Its completer reads this while
	// the canceller of the link clears it.
	antecedent interleave.Pointer[core]
}

// successor is an owner that is a continuation.
type successor interface{ continues() *link }

// passer is a continuation that ends as its antecedent does if its filter does not admit that.
type passer interface {
	// pass takes over the value of the antecedent, if the job has such a value.
	pass()
}

func (l *link) core() *core { return l.body.owner.base() }

// attach registers a new continuation with its antecedent. If err, the error of prepare, is not
// nil, the job faults instead.
func (l *link) attach(c, antecedent *core, err error) {
	if err != nil {
		c.faultWith(err)
		return
	}
	interleave.StorePointer(&l.antecedent, antecedent)
	c.state.set(WaitingForActivation)
	if c.mode&lazy == 0 && l.body.parent.Err() != nil {
		c.cancel(nil)
		return
	}
	l.node.Prepare(l)
	if c.mode&lazy == 0 && ctxwatch.OriginOf(l.body.parent).CanEnd() {
		l.watch = new(ctxwatch.Watch)
	}
	if !l.enlist(c, antecedent) {
		l.Completed(schedulers.WorkerFrom(l.body.parent)).Deliver(nil)
		return
	}
	if l.watch != nil {
		orDesert(l.forsake, func() { l.watch.Start(l.body.parent, l) })
		if !c.state.hasStatus(WaitingForActivation) {
			l.watch.Stop()
		}
	}
}

// forsake cancels a job that nobody has, without a call of its context.
func (l *link) forsake() {
	if c := l.core(); c.state.reserveUnstarted() {
		c.abort(Canceled, context.Canceled).Deliver(nil)
	}
}

// orNilJob returns j or, if j is nil, a job that has faulted with ErrNilJob.
func orNilJob[T any](j *Job[T]) *Job[T] {
	if j == nil {
		return FromError[T](ErrNilJob)
	}
	return j
}

// enlist adds the node to the list that it belongs to; false: the antecedent has ended.
func (l *link) enlist(c, antecedent *core) bool {
	if c.runsWith(antecedent) {
		return antecedent.addSynchronous(&l.node)
	}
	return antecedent.waiting.Add(&l.node)
}

// runsWith reports whether the runner of the antecedent's function must also run the continuation.
func (c *core) runsWith(antecedent *core) bool {
	return c.mode&synchronous != 0 && antecedent.own != nil
}

// Completed implements continuation.Target: the antecedent has ended.
func (l *link) Completed(from schedulers.Worker) continuation.Chain {
	c := l.core()
	if c.only != 0 {
		if a := interleave.LoadPointer(&l.antecedent); a != nil && !c.only.admits(a.status()) {
			return c.passOn(a)
		}
	}
	return l.activate(c, from)
}

// passOn completes the job without running its function, unless it was canceled before.
func (c *core) passOn(antecedent *core) continuation.Chain {
	if !c.state.reserve(WaitingForActivation) {
		return continuation.Chain{}
	}
	p, passes := c.own.owner.(passer)
	if !passes {
		return c.abort(Canceled, canceledError(ErrFiltered))
	}
	p.pass()
	waiters := c.abort(antecedent.status(), antecedent.err())
	antecedent.observeFailure() // from here on it is the failure of this job
	return waiters
}

// activate makes the job runnable, unless it was canceled before.
func (l *link) activate(c *core, from schedulers.Worker) continuation.Chain {
	won := c.state.activate()
	l.unwatch()
	if !won {
		return continuation.Chain{}
	}
	if c.mode&synchronous != 0 {
		if q, ok := from.(*queue); ok {
			q.push(c)
			return continuation.Chain{}
		}
	}
	c.submitResumed(from)
	return continuation.Chain{}
}

// submitResumed submits a continuation, which is Scheduled. A refusal faults it.
//
// The caller is a completer. It must not wait for space in a queue, nor run the
// continuation itself if the queue is full; the flag Resumed says so. (A caller that
// registers late could wait, but is treated alike: a refusal must not depend on a race.)
func (c *core) submitResumed(from schedulers.Worker) {
	_ = c.submitFrom(c.own.home.Scheduler, schedulers.Hint{From: from, Flags: c.flags | schedulers.Resumed})
}

// ContextEnded implements ctxwatch.Listener.
func (l *link) ContextEnded(*ctxwatch.Watch) { l.core().cancel(nil) }

func (l *link) waitingJob() (*core, string) { return l.core(), "continuation" }

// release withdraws the registrations, and drops the antecedent: in a long chain each job would
// otherwise keep all jobs before it alive.
func (l *link) release() {
	l.unwatch()
	a := l.takeAntecedent()
	switch {
	case a == nil:
	case l.core().runsWith(a):
		a.ensureExtra().synchronous.Remove(&l.node)
	default:
		a.waiting.Remove(&l.node)
	}
}

func (l *link) unwatch() {
	if l.watch != nil {
		l.watch.Stop()
	}
}

// count implements antecedents.
func (l *link) count() int { return 1 }

// get implements antecedents.
func (l *link) get(int) *core { return interleave.LoadPointer(&l.antecedent) }

// takeAntecedent returns the job that has ended, and drops the reference.
func (l *link) takeAntecedent() *core {
	// A swap costs ten times as much as a load, and each link calls this twice.
	if interleave.LoadPointer(&l.antecedent) == nil {
		return nil
	}
	return interleave.SwapPointer(&l.antecedent, nil)
}
