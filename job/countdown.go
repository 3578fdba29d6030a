package job

import (
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// countdown tells a finisher when the last of several jobs has ended.
type countdown struct {
	left  atomic.Int64
	whole finisher
	extra rare // of the finisher's job, by which a waiter finds the countdown

	mu    sync.Mutex // for waiters, which look at nodes while others count
	nodes countNodes // nil when all have ended
}

type finisher interface {
	finish() continuation.Chain
	job() *core
}

type countNode struct {
	continuation.Node
	of *countdown
	on *core // nil for a nil job
}

// start registers with n jobs. It counts itself too, so that no early end finishes the
// countdown during registration.
func (d *countdown) start(n int, at func(int) *core, whole finisher) {
	d.whole = whole
	if allEnded(n, at) {
		whole.finish().Deliver(nil)
		return
	}
	d.left.Store(int64(n) + 1)
	nodes := make(countNodes, n)
	d.nodes = nodes
	d.extra.id, d.extra.whole = lastID.Add(1), d
	whole.job().rare.Store(&d.extra)
	for i := range nodes {
		node := &nodes[i]
		node.of, node.on = d, at(i)
		node.Prepare(node)
		if node.on == nil || !node.on.register(&node.Node) {
			d.left.Add(-1)
		}
	}
	d.one().Deliver(nil)
}

// allEnded reports whether nothing is left to wait for, and nothing to allocate for
// waiting.
func allEnded(n int, at func(int) *core) bool {
	for i := range n {
		if c := at(i); c != nil && !c.isCompleted() {
			return false
		}
	}
	return true
}

// one counts one end, and finishes at the last.
func (d *countdown) one() continuation.Chain {
	if d.left.Add(-1) > 0 {
		return continuation.Chain{}
	}
	d.mu.Lock()
	d.nodes = nil // all were delivered, or never added
	d.mu.Unlock()
	return d.whole.finish()
}

// unfinished returns the jobs that are counted, or nil if all have ended.
func (d *countdown) unfinished() antecedents {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.nodes == nil {
		return nil
	}
	return d.nodes
}

// countNodes implements antecedents. What is looked at is constant.
type countNodes []countNode

func (n countNodes) count() int { return len(n) }

func (n countNodes) at(i int) *core { return n[i].on }

func (n *countNode) waitingJob() (*core, string) { return n.of.whole.job(), "WhenAll" }

// Completed implements continuation.Target.
func (n *countNode) Completed(schedulers.Worker) continuation.Chain { return n.of.one() }
