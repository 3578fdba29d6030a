package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/suspension"
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
	job   Job[Void]
	body  body
	scope *Scope
	node  continuation.Node
}

// suspend makes the job of a child that has suspended.
func (c *child) suspend(recycle bool) *suspendedChild {
	s := c.scope
	m := &suspendedChild{scope: s}
	j := &m.job.core
	j.mode = reported | s.mode&labeled
	j.state.claim()
	j.state.suspend()
	m.node.Prepare(m)
	j.waiting.Add(&m.node)
	if probe.On(probe.Lives) && j.tellMade(&m.job, nil) {
		j.ensureExtra().tellStart()
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
	m.job.core.enclose(&m.body, m, m.scope.home, m.scope.views.forWorker(m.scope, worker))
	m.body.worker = worker
	if !last {
		m.body.spent = jobcore.Unproven | 1 // a goroutine that waits for the scope runs it
	}
	rest.GoOn(m.completer(), worker, m.body.spent)
}

func (m *suspendedChild) base() *core { return &m.job.core }

func (m *suspendedChild) completer() jobCompleter { return (*completer[Void])(&m.job) }

// invoke implements owner. It is never called: the child has begun.
func (m *suspendedChild) invoke(context.Context) error { return nil }

func (m *suspendedChild) drop() {}

// Completed implements continuation.Target: the child has ended.
func (m *suspendedChild) Completed(schedulers.Worker) continuation.Chain {
	return m.scope.exit(Status(m.job.core.final), m.job.core.err(), &childSlot{holds: true})
}

func (m *suspendedChild) waitingJob() (*core, string) { return &m.scope.promise.job.core, "scope" }
