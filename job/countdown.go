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
	mu    sync.Mutex // guards the finisher's list of jobs, which a waiter reads
}

type finisher interface {
	finish() continuation.Chain
	job() *core

	// awaited returns the jobs that are counted, or nil once it has finished. mu is held.
	awaited() antecedents
}

type countNode struct {
	continuation.Node
	of *countdown
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
	whole.job().extras().whole = d // an allocation of 96 bytes, by which a waiter helps
	nodes := make([]countNode, n)
	for i := range nodes {
		node := &nodes[i]
		node.of = d
		node.Prepare(node)
		if c := at(i); c == nil || !c.register(&node.Node) {
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
	return d.whole.finish()
}

// unfinished returns the jobs that are counted, or nil if all have ended.
func (d *countdown) unfinished() antecedents {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.whole.awaited()
}

func (n *countNode) waitingJob() (*core, string) { return n.of.whole.job(), "WhenAll" }

// Completed implements continuation.Target.
func (n *countNode) Completed(schedulers.Worker) continuation.Chain { return n.of.one() }
