package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// link is the common part of the jobs of all continuations: outcome, context, work item
// and registration in one allocation. T is the type of the antecedent's result, U that
// of the continuation's.
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
type link[T, U any] struct {
	task task[U]
	node continuation.Node
	// Nil if the context cannot end, as in most chains: the watch would add 40 bytes, a
	// sixth of a link. Made before the node is added.
	watch *ctxwatch.Watch
	// The antecedent; nil when it is no longer needed. Its completer reads this while
	// the canceller of the link clears it.
	antecedent interleave.Pointer[Job[T]]
}

// linked is a concrete link.
type linked interface {
	owner
	continuation.Target
	// runNext is Run for a link that is run by the runner of its antecedent: links that
	// become runnable in turn go to q.
	runNext(on schedulers.Worker, q *queue)
	submitResumed(from schedulers.Worker)
}

// attach registers self, which embeds l, with its antecedent.
func (l *link[T, U]) attach(j *Job[T], self linked) *Job[U] {
	l.antecedent.Store(j)
	l.task.core.state.set(WaitingForActivation)
	if l.task.core.mode&lazy == 0 && l.task.parent.Err() != nil {
		l.task.core.cancel(nil)
		return &l.task.Job
	}
	l.node.Prepare(self)
	if l.task.core.mode&lazy == 0 && l.task.parent.Done() != nil {
		l.watch = new(ctxwatch.Watch)
	}
	if !l.enlist(j) {
		self.Completed(schedulers.WorkerFrom(l.task.parent)).Deliver(nil)
		return &l.task.Job
	}
	if l.watch != nil {
		orDesert(l.forsake, func() { l.watch.Start(l.task.parent, l) })
		if !l.task.core.state.hasStatus(WaitingForActivation) {
			l.watch.Stop()
		}
	}
	return &l.task.Job
}

// forsake cancels a job that nobody has, without a call of its context.
func (l *link[T, U]) forsake() {
	if c := &l.task.core; c.state.reserveUnstarted() {
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
func (l *link[T, U]) enlist(j *Job[T]) bool {
	if l.synchronousWith(j) {
		return j.core.addSynchronous(&l.node)
	}
	return j.core.waiting.Add(&l.node)
}

// synchronousWith reports whether the runner of j's function must also run the link.
func (l *link[T, U]) synchronousWith(j *Job[T]) bool {
	return l.task.core.mode&synchronous != 0 && j.core.own != nil
}

// activate makes the job runnable, unless it was canceled before.
func (l *link[T, U]) activate(self linked, from schedulers.Worker) continuation.Chain {
	won := l.task.core.state.activate()
	l.unwatch()
	if !won {
		return continuation.Chain{}
	}
	if l.task.core.mode&synchronous != 0 {
		if q, ok := from.(*queue); ok {
			q.push(self)
			return continuation.Chain{}
		}
	}
	l.submitResumed(from)
	return continuation.Chain{}
}

// submitResumed submits the job, which is Scheduled. A refusal faults it.
//
// The caller is a completer. It must not wait for space in a queue, nor run the
// continuation itself if the queue is full; the flag Resumed says so. (A caller that
// registers late could wait, but is treated alike: a refusal must not depend on a race.)
func (l *link[T, U]) submitResumed(from schedulers.Worker) {
	_ = l.task.core.submitFrom(l.task.home.Scheduler, schedulers.Hint{From: from, Flags: l.task.core.flags | schedulers.Resumed})
}

// passOn completes the job without running its function, unless it was canceled before.
func (l *link[T, U]) passOn(final Status, value U, err error) (waiters continuation.Chain, won bool) {
	if !l.task.core.state.reserve(WaitingForActivation) {
		return continuation.Chain{}, false
	}
	l.task.value = value
	return l.task.core.abort(final, err), true
}

// Abandon implements schedulers.Work.
func (l *link[T, U]) Abandon(reason error) { l.task.Abandon(reason) }

func (l *link[T, U]) base() *core { return l.task.base() }

// Schedulers and their reports describe a work item by these.

func (l *link[T, U]) ID() uint64        { return l.task.ID() }
func (l *link[T, U]) Name() string      { return l.task.Name() }
func (l *link[T, U]) Creation() Frame   { return l.task.Creation() }
func (l *link[T, U]) IsCompleted() bool { return l.task.IsCompleted() }
func (l *link[T, U]) String() string    { return l.task.String() }

// ContextEnded implements ctxwatch.Listener.
func (l *link[T, U]) ContextEnded(*ctxwatch.Watch) { l.task.core.cancel(nil) }

func (l *link[T, U]) waitingJob() (*core, string) { return &l.task.core, "continuation" }

// release drops the antecedent and withdraws the registrations.
func (l *link[T, U]) release() {
	l.unwatch()
	j := l.takeAntecedent()
	switch {
	case j == nil:
	case l.synchronousWith(j):
		j.core.ensureExtra().synchronous.Remove(&l.node)
	default:
		j.core.waiting.Remove(&l.node)
	}
}

func (l *link[T, U]) unwatch() {
	if l.watch != nil {
		l.watch.Stop()
	}
}

// count implements antecedents.
func (l *link[T, U]) count() int { return 1 }

// get implements antecedents.
func (l *link[T, U]) get(int) *core {
	if j := l.antecedent.Load(); j != nil {
		return j.base()
	}
	return nil
}

// takeAntecedent returns the job that has ended, and drops the reference: in a long chain
// each job would otherwise keep all jobs before it alive.
func (l *link[T, U]) takeAntecedent() *Job[T] {
	// A swap costs ten times as much as a load, and each link calls this twice.
	if l.antecedent.Load() == nil {
		return nil
	}
	return l.antecedent.Swap(nil)
}
