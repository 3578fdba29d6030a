package continuation

import "github.com/movenext/movenext/internal/interleave"

// # Visiting the waiters
//
// A report visits the targets of a live list: it names the waiters of an operation that
// panicked, or finds out whether a wait closes a cycle. It cannot just follow the links:
// the nodes belong to waiters that may withdraw them, and to a completer that may
// deliver them.
//
// So a visitor acts like a sweeper: it detaches the stack, reads it, and puts it back,
// with the same proof. A detached node cannot be delivered, so everything that its owner
// changes only after delivery is stable: the frames of a suspended machine can be read.
// Unlike a sweeper, the visitor leaves the stack unchanged, so the cost of visiting the
// first few nodes does not depend on the length of the list.
//
// A node that one visitor has detached is invisible to another. A search for a cycle
// must not miss a node that way, so a visitor waits until the list has no holder. That
// wait is short: holders visit a few nodes, or sweep, and neither blocks nor runs user
// code (a sweeper that finds a holder leaves a note; completing and adding wait for no
// other goroutine). Still, the wait is bounded, in case a callback look visits another
// list: two such callbacks could wait for each other.

// maxVisits is how often a visitor yields to other holders, which takes some milliseconds.
const maxVisits = 1 << 16 >> interleave.Shrink

// Visit calls look for the targets of the nodes that wait in l, the last added first,
// and stops after limit of them. What look sees may be outdated when Visit returns.
//
// look must not block, must not visit lists, and must not keep anything that it reads
// from a target after it returns.
func (l *List) Visit(limit int, look func(Target)) {
	l.inspect(func(top *Node) *Node {
		for n := top; n != nil && limit > 0; n = n.next {
			if s := n.state.Load(); s == waiting || s == attended {
				look(n.target)
				limit--
			}
		}
		return top
	})
}

// Withdraw takes n out of l and returns true; n is then like a delivered node:
// its owner may prepare and add it again. False means that n is not in l: it was
// delivered, or is being delivered right now. Unlike [List.Remove], Withdraw may
// be called even if n may have moved to another list. It visits each node in front of n.
func (l *List) Withdraw(n *Node) (found bool) {
	l.inspect(func(top *Node) *Node {
		for link := &top; *link != nil; link = &(*link).next {
			if *link == n && n.state.CompareAndSwap(waiting, delivered) {
				*link, n.next = n.next, nil
				found = true
				break
			}
		}
		return top
	})
	return found
}

// joinHold begins a hold in addition to that of another goroutine, and leaves a note: if
// the other one sweeps, it may now find nothing, because the newcomer holds the nodes.
// The last of the two sweeps again.
func (l *List) joinHold() {
	for {
		h := l.holders.Load()
		if l.holders.CompareAndSwap(h, (h+hold+began)|missed) {
			return
		}
	}
}

// inspect detaches the stack, calls f with it, and puts back what f returns.
func (l *List) inspect(f func(top *Node) *Node) {
	if l.Closed() || l.Empty() {
		return // no node waits
	}
	for i := 0; !l.tryHold(); i++ {
		if i == maxVisits {
			l.joinHold()
			break
		}
		interleave.Yield()
	}
	top := l.detach()
	var late Chain
	defer func() { // even if a look panics
		if top != nil && !interleave.CompareAndSwapPointer(&l.head, nil, top) {
			late = l.putBack(top)
		}
		if l.endHold() {
			l.sweep()
		}
		late.Deliver(nil)
	}()
	top = f(top)
}
