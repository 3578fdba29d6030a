package continuation

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// Continuation is passed to a user's awaiter, which calls Resume when its operation has
// completed.
type Continuation interface {
	// Resume lets the continuation continue. Only the first call has an effect. It does
	// not block, runs no user code, and is safe from any goroutine.
	Resume()
}

// Target is notified by a [Node] that the operation has completed.
type Target interface {
	// Completed is called at most once for each time that the node was added, by the
	// completer of the operation; from is the worker on which the completer believes it
	// runs, or nil. Completed must not block and must not run user code. It does not
	// deliver the waiters of operations that it completes in turn, but returns them as a
	// chain, so that the stack stays flat.
	//
	// The node may be added again, to this or another list, as soon as Completed has
	// been called.
	Completed(from schedulers.Worker) Chain
}

// Node is one registration. Embed it in the waiter, so that waiting allocates nothing.
//
// A node is in at most one list. A node taken back by [List.Remove] may stay linked for
// a while and must never be added again; a delivered node may be.
type Node struct {
	next   *Node
	target Target
	state  interleave.Uint32
}

// The states of a node.
//
//	waiting ───▶ delivered   the completer won: Completed is called
//	 ▲ └───────▶ removed     the owner took it back: Completed is never called
//	 │
//	attended ──▶ delivered   the owner checks itself: Completed is not called; see attend.go
//	alone                    in no list, so it cannot be taken back: Completed is called
//
// All edges are one compare-and-swap, so of two edges that leave a state exactly one is
// taken. One more edge leads from attended to waiting ([Node.Leave]). The Prepare
// methods lead to waiting, attended and alone; only the owner of a node that is in no
// list calls them.
const (
	waiting uint32 = iota
	delivered
	removed
	attended
	alone
)

// Prepare makes n ready to be added: the zero Node needs it once, a delivered node
// before each further use.
func (n *Node) Prepare(t Target) {
	n.target = t
	if n.state.Load() != waiting { // a store costs as much as a lock
		n.state.Store(waiting)
	}
}

// PrepareAlone is [Node.Prepare] for a node that will be in no list, but delivered by
// [Only].
func (n *Node) PrepareAlone(t Target) {
	n.target = t
	if n.state.Load() != alone {
		n.state.Store(alone)
	}
}

// Target returns the target that n was prepared with. Only the owner of a node that is
// in no list may call it.
func (n *Node) Target() Target { return n.target }

// deliver claims n for delivery and notifies its target.
func (n *Node) deliver(from schedulers.Worker) Chain {
	t := n.target
	if n.state.Load() == alone || n.state.CompareAndSwap(waiting, delivered) {
		return t.Completed(from)
	}
	return Chain{}
}

// Chain is a list of nodes that only its holder can reach, in the order in which they
// were added.
type Chain struct{ first, last *Node }

// Only returns the chain of n, which was prepared by [Node.PrepareAlone]: for
// operations with a single waiter.
func Only(n *Node) Chain { return Chain{n, n} }

// Alone returns the node of a chain made by [Only], and nil for any other chain.
func (c Chain) Alone() *Node {
	if c.first == nil || c.first != c.last || c.first.state.Load() != alone {
		return nil
	}
	return c.first
}

// Deliver notifies all targets of c, then those of the operations that they complete,
// and so on, in a loop. from is the worker on which the caller believes it runs, or nil.
func (c Chain) Deliver(from schedulers.Worker) {
	for n := c.first; n != nil; {
		// After delivery the node belongs to its owner again, which may have added it
		// elsewhere: read the link first.
		next := n.next
		n.next = nil // a delivered node must not keep its neighbour alive
		more := n.deliver(from)
		if more.first != nil {
			more.last.next = next
			next = more.first
		}
		n = next
	}
}

// Join returns the chain of c's nodes followed by those of d.
func (c Chain) Join(d Chain) Chain {
	if c.first == nil {
		return d
	}
	if d.first != nil {
		c.last.next = d.first
		c.last = d.last
	}
	return c
}
