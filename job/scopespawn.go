package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Spawn starts fn as a child of s with a handle. It is [Run] in the scope: the child's
// context ends with the scope too, and the scope does not end before the child has.
// Options are those of Run; the child runs on the scope's scheduler unless [On] names
// another.
//
// If the child fails, a fail-fast scope has failed, even if the handle is observed; a
// supervising one leaves the failure to the handle. If the scope has ended, Spawn
// returns a job that has faulted with [ErrScopeEnded].
func Spawn[T any](s *Scope, fn func(context.Context) (T, error), opts ...Option) *Job[T] {
	t := &spawned[T]{scope: s}
	t.fn = fn
	if s == nil || !s.enter(&t.slot) {
		return t.task.faultWith(ErrScopeEnded)
	}
	err := t.task.prepare(t, s.views.forWorker(s, s.from), opts, forJob, fn == nil)
	return spawn(s, &t.task, t, &t.node, err, &t.slot)
}

// spawn starts a child that the scope has counted, and registers n, which notifies the
// scope of the child's end. err is the reason why the child could not be made, or nil.
func spawn[T any](s *Scope, t *task[T], end heldTarget, n *continuation.Node, err error, l *childSlot) *Job[T] {
	if err != nil {
		s.exit(Faulted, err, l).Deliver(nil)
		return t.faultWith(err)
	}
	holds := l.holds // the child is not shared yet
	if !holds {
		t.core.state.set(WaitingForActivation)
	}
	n.Prepare(end)
	t.core.waiting.Add(n) // first of all: no waiter may see the child end before the scope does
	if holds {
		_ = t.core.submit(t.home, t.core.flags|s.flags)
	} else {
		s.hold(end)
	}
	return &t.Job
}

// heldTarget is a child with a handle, as the scope and its queue see it.
type heldTarget interface {
	continuation.Target
	heldChild
}

// spawned is a child with a handle: a job whose first continuation notifies the scope.
type spawned[T any] struct {
	runJob[T]
	slot  childSlot
	scope *Scope
	node  continuation.Node
}

// Run implements schedulers.Work.
func (t *spawned[T]) Run(worker schedulers.Worker) { t.task.run(t, worker, nil) }

func (t *spawned[T]) runClaimed(worker schedulers.Worker) { t.task.execute(t, worker) }

// Completed implements continuation.Target: the child has ended.
func (t *spawned[T]) Completed(schedulers.Worker) continuation.Chain {
	return t.scope.exitSpawned(&t.task.core, &t.slot)
}

func (t *spawned[T]) waitingJob() (*core, string) { return t.scope.promise.job.base(), "scope" }

// exitSpawned counts a child with a handle as ended.
func (s *Scope) exitSpawned(child *core, l *childSlot) continuation.Chain {
	final, err := Status(child.final), child.err()
	switch {
	case final == Faulted && s.mode&supervising != 0:
		final = Completed // as far as the scope is concerned
	case final == Faulted:
		child.observe() // from here on it is the scope's failure
	}
	return s.exit(final, err, l)
}
