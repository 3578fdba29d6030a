package continuation

import "runtime"

// # Who waits and works at once
//
// A waiter may work for the completion itself: a machine runs the job that it awaits. Its node is in the list
// meanwhile, so that reports and searches see it wait; but nobody has to tell it, since it looks when it is through. Such
// a node is attended. There are two ways for that to end.
//
// # The other's completion
//
// What the owner works at may be completed by somebody else in the end, at any time: the job that it runs has suspended.
//
//	owner                                  completer
//	 1. Add(n), attended                    1. Complete: closes the list
//	 2. works                               2. CAS(attended, delivered): not told
//	 3. Leave: CAS(attended, waiting)          or else it is told as any other
//
// One of the two compare-and-swaps fails, and so the owner is told if and only if Leave is true. If it is false, n is the
// owner's, as the completer reads all that it needs of n before its step 2.
//
// # The owner's own completion
//
// Mostly it is the owner that completes what it works at, further up on its own stack. Two compare-and-swaps between
// one goroutine and itself say nothing. So CompleteAttended drops the attended nodes that it finds as they are.
// They stay attended, and serve the next wait without a store: this way an attended wait costs Add, and no more.
//
//	owner                                  visitor, sweeper
//	 1. Add(n), attended                    1. holders++
//	 2. works                               2. detach
//	 3. CompleteAttended: closes the list   3. look at the targets; put back, or find the list closed
//	 4. Settle: waits for holders == 0      4. holders--
//
// Proof that nobody looks at n or its target when Settle has returned. A visitor that has n took it in its step 2, before the
// list was closed, thus it held before the owner's step 4, which waits for its step 4. What it finds to deliver
// late it delivers after that, but no attended node is among it: those leave the chain in its step 3, by seen. Who
// begins to hold later finds the list closed.
//
// The tempting shortcut is to go on without step 4, as n can not be in the list any more. But the frames behind the target
// may be what somebody is reading.

// PrepareAttended is [Node.Prepare] for a node whose target need not be told, since its owner works for the completion
// itself, and looks when it is through: afterwards it calls [List.Settle] if it has completed the operation by
// [List.CompleteAttended], and Leave if not.
func (n *Node) PrepareAttended(t Target) {
	n.target = t
	if n.state.Load() != attended {
		n.state.Store(attended)
	}
}

// Leave returns true if the target will be told after all, and false if the operation has completed and n is its owner's
// again.
func (n *Node) Leave() bool { return n.state.CompareAndSwap(attended, waiting) }

// seen takes an attended node out of a chain, unless its owner has left.
func (n *Node) seen() bool { return n.state.CompareAndSwap(attended, delivered) }

// CompleteAttended is [List.Complete] for the goroutine that owns the attended nodes of l, if there are any.
func (l *List) CompleteAttended() Chain {
	h := l.head.Swap(closed)
	if h == nil {
		return Chain{}
	}
	return inOrder(h, func(*Node) bool { return true })
}

// Settle returns when nobody looks at the nodes that were in l, which the caller has completed. That is at once, or
// when those who happen to have looked when it completed are through: some steps, which block for nothing.
func (l *List) Settle() {
	for l.holders.Load()&holding != 0 {
		runtime.Gosched()
	}
}
