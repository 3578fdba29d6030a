package continuation

import "runtime"

// # Looking at who waits
//
// A report (who waited for the operation that panicked? does this wait close a
// circle?) wants to look at the targets of a list while it lives. It can not just
// follow the links: the nodes belong to waiters who take them back, and to a
// completer who hands them over.
//
// So a visitor does what a sweeper does: it detaches the stack, looks, and puts it
// back, with the same proof. While a node is detached nobody can deliver it, so all
// that its owner changes only after delivery stands still: the frames of a suspended
// machine can be read. In contrast to a sweeper the visitor leaves the stack
// as it is, so looking at the first few costs the first few, however long the list.
//
// What one has detached another does not see. Who looks for a circle must not miss a node for that, so a
// visitor waits until nobody holds. That is short: holders look at a few nodes, or sweep, and neither blocks
// nor runs a user's code (a sweeper that finds a holder leaves it a note, and completing and adding wait for nobody). The
// wait has a bound all the same, for a look that looks into another list: two of those could wait for each
// other.

// patience is how often a visitor lets others go first: some milliseconds.
const patience = 1 << 16

// Visit calls look for the targets of the nodes that wait in l, the last added first,
// and stops after limit of them. What it sees may be outdated when it returns.
//
// look must not block, must not look into lists, and must not keep what it reads of a target beyond its return.
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

// Withdraw takes n out of l and returns true, after which n is as a delivered one: its owner may prepare and add it again.
// False says that it is not there: it was delivered, or is being delivered right now. Unlike [List.Remove] it may be called
// by who does not know whether n has gone on to another list since, and it looks at each node that is in front of n.
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

// inspect detaches the stack, calls f with it, and puts back what f returns.
func (l *List) inspect(f func(top *Node) *Node) {
	if l.Closed() || l.Empty() {
		return // nobody waits
	}
	for i := 0; !l.tryHold(); i++ {
		if i == patience {
			l.holders.Add(hold + began)
			break
		}
		runtime.Gosched()
	}
	top := l.detach()
	var late Chain
	defer func() { // also if a look panics
		if top != nil && !l.head.CompareAndSwap(nil, top) {
			late = l.putBack(top)
		}
		if l.letGo() {
			l.sweep()
		}
		late.Deliver(nil)
	}()
	top = f(top)
}
