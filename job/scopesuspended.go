package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// # Children that suspend
//
// When a child without a handle suspends (those of [Spawn] are jobs already), an invisible
// job takes its place, and the child's object can be reused at once:
//
//	queued ──claim──▶ fn ──ended──────▶ the scope counts one child less
//	                   └──suspended──▶ suspendedChild ──▶ … ──▶ the scope counts one child less
//	                                    └──▶ the free list
//
// The context that fn received is the one that children without handles share, and not
// the context of that job: as in the plain form, work that fn leaves behind may use it
// until the scope ends.

// suspendedChild is a child without a handle that has suspended: a job whose first
// continuation notifies the scope.
type suspendedChild struct {
	task[Void]
	scope *Scope
	node  continuation.Node
}

// suspend makes the job of a child that has suspended.
func (c *child) suspend(recycle bool) *suspendedChild {
	s := c.scope
	m := &suspendedChild{scope: s}
	m.core.mode = reported | s.mode&labeled
	m.core.state.claim()
	m.core.state.suspend()
	m.node.Prepare(m)
	m.core.waiting.Add(&m.node)
	if Diagnostics(tracking.Jobs.Load())&lifeTold != 0 && m.core.tellMade(&m.Job, nil) {
		m.core.ensureExtra().tellStart()
	}
	c.fn = nil
	// A worker must not block on this lock: it would count as a worker whose work blocks.
	if recycle && s.mu.TryLock() {
		s.children.giveBack(c)
		s.mu.Unlock()
	}
	return m
}

// continueOn lets the child continue on worker; last as in child.run.
func (m *suspendedChild) continueOn(rest suspension.Suspended, worker schedulers.Worker, last bool) {
	m.enclose(m, m.scope.home, m.scope.views.forWorker(m.scope, worker))
	m.worker = worker
	if !last {
		m.spent = jobcore.Unproven | 1 // a goroutine that waits for the scope runs it
	}
	rest.GoOn(&m.task, worker, m.spent)
}

// Run implements schedulers.Work. It is never called: a child that has begun is not
// submitted again.
func (m *suspendedChild) Run(schedulers.Worker) {}

func (m *suspendedChild) runClaimed(schedulers.Worker) {}

func (m *suspendedChild) drop() {}

// Completed implements continuation.Target: the child has ended.
func (m *suspendedChild) Completed(schedulers.Worker) continuation.Chain {
	return m.scope.exit(Status(m.core.final), m.core.err(), &childSlot{holds: true})
}

func (m *suspendedChild) waitingJob() (*core, string) { return m.scope.promise.job.base(), "scope" }
