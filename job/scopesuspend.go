package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
)

// Children of a scope that suspend: those without a handle, since those of [Spawn] are
// jobs already.
//
// When such a child suspends, an invisible job takes its place, and the child's object
// may serve the next one at once:
//
//	queued ──claim──▶ fn ──ended──────▶ the scope counts one less
//	                   └──suspended──▶ suspendedChild ──▶ … ──▶ the scope counts one less
//	                                    └──▶ the free list
//
// The context that fn was given is the one that children without handles share, and not
// one of a job of its own: what it leaves behind may use that until the scope ends, as
// in the plain form.

// suspendedChild is a child without a handle that has suspended: a job whose first
// continuation tells the scope.
type suspendedChild struct {
	task[Void]
	scope *Scope
	node  continuation.Node
}

// suspend gives a child that has suspended a job.
func (c *child) suspend(recycle bool) *suspendedChild {
	s := c.scope
	m := &suspendedChild{scope: s}
	m.mode = reported | s.mode&labeled
	m.state.claim()
	m.state.suspend()
	m.node.Prepare(m)
	m.waiting.Add(&m.node)
	c.fn = nil
	if recycle {
		s.mu.Lock()
		s.children.giveBack(c)
		s.mu.Unlock()
	}
	return m
}

// goOn lets the child continue on the worker on; last as in child.run.
func (m *suspendedChild) goOn(rest suspension.Suspended, on schedulers.Worker, last bool) {
	m.enclose(m, m.scope.home, m.scope.views.of(m.scope, on))
	m.worker = on
	if !last {
		m.spent = Unproven | 1 // a goroutine that waits for the scope
	}
	rest.GoOn(&m.task, on, m.spent)
}

// Run implements schedulers.Work. What has begun is not submitted.
func (m *suspendedChild) Run(schedulers.Worker) {}

func (m *suspendedChild) runClaimed(schedulers.Worker) {}

func (m *suspendedChild) drop() {}

// Completed implements continuation.Target: the child has ended.
func (m *suspendedChild) Completed(schedulers.Worker) continuation.Chain {
	return m.scope.exit(Status(m.final), m.err(), &childSlot{holds: true})
}

func (m *suspendedChild) waitingJob() (*core, string) { return m.scope.promise.job.base(), "scope" }
