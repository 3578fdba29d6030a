package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job/root"
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
func Spawn[T any](s *Scope, fn root.Func[T], opts ...Option) *Job[T] {
	t := &spawned[T]{fn: fn}
	if s == nil || !s.enter(&t.child) {
		t.job.core.faultWith(ErrScopeEnded)
		return &t.job
	}
	err := t.job.core.prepare(&t.child.body, t, s.views.forWorker(s, s.from), opts, forJob, fn == nil)
	s.spawn(&t.child, &t.job.core, err)
	return &t.job
}

// spawn starts a child that the scope has counted. err is the reason why the child could not be
// made, or nil.
func (s *Scope) spawn(t *spawnedChild, c *core, err error) {
	if err != nil {
		s.exit(Faulted, err, &t.slot).Deliver(nil)
		c.faultWith(err)
		return
	}
	holds := t.slot.holds // the child is not shared yet
	if !holds {
		c.state.set(WaitingForActivation)
	}
	t.node.Prepare(t)
	c.waiting.Add(&t.node) // first of all: no waiter may see the child end before the scope does
	if holds {
		_ = c.submit(c.own.home, c.flags|s.flags)
	} else {
		s.hold(t)
	}
}

// spawned is a child with a handle.
type spawned[T any] struct {
	job   Job[T]
	child spawnedChild
	fn    func(context.Context) (T, error)
}

func (t *spawned[T]) base() *core { return &t.job.core }

func (t *spawned[T]) completer() jobCompleter { return (*completer[T])(&t.job) }

func (t *spawned[T]) invoke(ctx context.Context) (err error) {
	t.job.value, err = t.fn(ctx)
	return err
}

func (t *spawned[T]) drop() { t.fn = nil }

// spawnedChild is a child with a handle as the scope sees it: the first continuation of the job
// notifies the scope.
type spawnedChild struct {
	body  body
	slot  childSlot
	scope *Scope
	node  continuation.Node
}

func (t *spawnedChild) core() *core { return t.body.owner.base() }

// Completed implements continuation.Target: the child has ended.
func (t *spawnedChild) Completed(schedulers.Worker) continuation.Chain {
	return t.scope.exitSpawned(t.core(), &t.slot)
}

func (t *spawnedChild) waitingJob() (*core, string) { return &t.scope.promise.job.core, "scope" }

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
