package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Spawn starts fn as a child of s with a handle. It is [Run] in the scope: the child's context
// ends with the scope too, and the scope does not end before the child has. Options are those of Run; the
// child runs on the scope's scheduler unless [On] names another.
//
// If the child fails, a fail-fast scope has failed, also if somebody looks at the handle; a
// supervising one leaves the failure to the handle. In a scope that has ended it is a job that has
// faulted with [ErrScopeEnded]. It does not block.
func Spawn[T any](s *Scope, fn func(context.Context) (T, error), opts ...Option) *Job[T] {
	t := &spawned[T]{scope: s}
	t.fn = fn
	if s == nil || !s.enter() {
		return t.failed(ErrScopeEnded)
	}
	if err := t.prepare(t, s.views.of(s, s.from), opts, forJob, fn == nil); err != nil {
		s.exit(Faulted, err).Deliver(nil)
		return t.failed(err)
	}
	t.node.Prepare(t)
	t.waiting.Add(&t.node) // before anybody else, who would otherwise see the child end before the scope does
	_ = t.submit(t.home, t.flags|s.flags)
	return &t.Job
}

// spawned is a child with a handle: a job whose first continuation tells the scope.
type spawned[T any] struct {
	runJob[T]
	scope *Scope
	node  continuation.Node
}

// Run implements schedulers.Work.
func (t *spawned[T]) Run(on schedulers.Worker) { t.run(t, on, nil) }

func (t *spawned[T]) runClaimed(on schedulers.Worker) { t.execute(t, on) }

// Completed implements continuation.Target: the child has ended.
func (t *spawned[T]) Completed(schedulers.Worker) continuation.Chain {
	final, err := t.Status(), t.err()
	switch {
	case final == Faulted && t.scope.mode&supervising != 0:
		final = Completed // as far as the scope is concerned
	case final == Faulted:
		t.observe() // from here on it is the scope's failure
	}
	return t.scope.exit(final, err)
}

func (t *spawned[T]) waitingJob() (*core, string) { return t.scope.promise.job.base(), "scope" }
