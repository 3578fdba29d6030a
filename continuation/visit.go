package continuation

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

// Visit calls look for the targets of the nodes that wait in l, the last added first,
// and stops after limit of them. It is meant for reports; what it sees may be
// outdated when it returns. A list that another goroutine visits or
// sweeps at the same moment looks empty, or shorter.
//
// look must not block, and must not keep what it reads of a target beyond its return.
func (l *List) Visit(limit int, look func(Target)) {
	if h := l.head.Load(); h == nil || h == closed {
		return // nobody waits; whoever is detached at this moment would not be seen either
	}
	l.holders.Add(hold)
	top := l.detach()
	var late Chain
	defer func() { // also if look panics
		if top != nil && !l.head.CompareAndSwap(nil, top) {
			late = l.putBack(top)
		}
		if l.letGo() {
			l.sweep()
		}
		late.Deliver(nil)
	}()
	for n := top; n != nil && limit > 0; n = n.next {
		if s := n.state.Load(); s == waiting || s == attended {
			look(n.target)
			limit--
		}
	}
}
