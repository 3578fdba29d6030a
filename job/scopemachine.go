package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Children of a scope whose function runs in steps: what [Scope.Go] is for generated code. For [Spawn] see spawn.go, for [InScope]
// inscope.go.
//
// A child without a handle that has steps waits in the queue as all of them do, so that whoever waits for the scope can run it.
// When its turn comes, a machine takes its place, and the child's object may serve the next one at once:
//
//	queued ──claim──▶ become ──▶ machineChild: begin ──▶ … ──▶ the scope counts one less
//	                    └──▶ the free list
//
// The context that it is given is the one that children without handles share, and not one of its machine's own: what it
// leaves behind may use that until the scope ends, as in the plain form.

// GoMachine is [Scope.Go] for a function whose first step is begin; see [Machine]. It is for generated code. It does not block.
func (s *Scope) GoMachine(begin func(*Machine[Void], context.Context) Rest) bool {
	c := s.newChild(begin == nil)
	if c == nil {
		return false
	}
	c.begin = begin
	return s.submit(c)
}

// machineChild is a child without a handle from its first step on: a job that nobody sees, whose first continuation tells the
// scope.
type machineChild struct {
	Machine[Void]
	scope *Scope
	steps func(*Machine[Void], context.Context) Rest
	node  continuation.Node
}

// become makes a claimed child a machine, which ends in its place.
func (c *child) become(recycle bool) *machineChild {
	s := c.scope
	m := &machineChild{scope: s, steps: c.begin}
	m.begin = beginChild
	m.mode = dependent | reported | s.mode&labeled
	m.state.claim()
	m.node.Prepare(m)
	m.waiting.Add(&m.node)
	c.begin = nil
	if recycle {
		s.mu.Lock()
		s.children.giveBack(c)
		s.mu.Unlock()
	}
	return m
}

// run takes the first step on the worker on; last as in step.
func (m *machineChild) run(on schedulers.Worker, last bool) {
	m.enclose(m, m.scope.home, m.scope.views.of(m.scope, on))
	if !last {
		m.spent = Unproven | 1 // a goroutine that waits for the scope
	}
	m.step(on, last)
}

func beginChild(of *Machine[Void], _ context.Context) Rest {
	m := of.owner.(*machineChild)
	return m.steps(of, m.scope.views.of(m.scope, of.worker))
}

func (m *machineChild) drop() { m.begin, m.steps = nil, nil }

// Completed implements continuation.Target: the child has ended.
func (m *machineChild) Completed(schedulers.Worker) continuation.Chain {
	return m.scope.exit(Status(m.final), m.err(), &childPlace{placed: true})
}

func (m *machineChild) waitingJob() (*core, string) { return m.scope.promise.job.base(), "scope" }
