package continuation

import "github.com/movenext/movenext/internal/interleave"

// # Waiters that work meanwhile
//
// A waiter may itself work towards the completion: a machine runs the job that it
// awaits. Its node is in the list meanwhile, so that reports and searches see the wait.
// But the completer need not notify the waiter, which checks when its work ends. Such a
// node is attended. The attended state ends in one of two ways.
//
// # Completion by another goroutine
//
// Another goroutine may complete the operation at any time, once the job that the owner
// runs has suspended.
//
//	owner                                  completer
//	 1. Add(n), attended                    1. Complete: closes the list
//	 2. works                               2. CAS(attended, delivered): not notified
//	 3. Leave: CAS(attended, waiting)          if that fails, notified like any other
//
// One of the two compare-and-swaps fails, so the owner is notified if and only if Leave
// returns true. If Leave returns false, n belongs to the owner, because the completer
// reads everything that it needs from n before its step 2.
//
// # Completion by the owner
//
// Usually the owner itself completes the operation, further up its own stack. Then no
// race has to be decided. So CompleteAttended drops the attended nodes that it finds
// without changing them. They stay attended and serve the next wait without a store: an
// attended wait costs only one Add.
//
//	owner                                  visitor, sweeper
//	 1. Add(n), attended                    1. holders++
//	 2. works                               2. detach
//	 3. CompleteAttended: closes the list   3. read the targets; put back, unless it is closed
//	 4. Settle: waits for holders == 0      4. holders--
//
// Proof that no goroutine accesses n or its target after Settle has returned. A visitor
// that has n took it in its step 2, before the list was closed, so it held the list
// before the owner's step 4, which waits for the visitor's step 4. A visitor delivers its
// late nodes after that, but no attended node is among them: in its step 3, takeAttended takes
// those out of the chain. A visitor that starts to hold later finds the list closed.
//
// It is tempting to skip step 4, since n can no longer be in the list. But a
// visitor may still be reading the frames behind the target.

// PrepareAttended is [Node.Prepare] for a node whose target need not be notified,
// because its owner works towards the completion itself and checks when that work ends.
// The owner then calls [List.Settle] if it completed the operation with
// [List.CompleteAttended], and Leave otherwise.
func (n *Node) PrepareAttended(t Target) {
	n.target = t
	if n.state.Load() != attended {
		n.state.Store(attended)
	}
}

// Leave returns true if the target will be notified after all, and false if the operation
// has completed and n belongs to its owner again.
func (n *Node) Leave() bool { return n.state.CompareAndSwap(attended, waiting) }

// takeAttended takes an attended node out of a chain, unless its owner has left.
func (n *Node) takeAttended() bool { return n.state.CompareAndSwap(attended, delivered) }

// CompleteAttended is [List.Complete] for the goroutine that owns the attended nodes of
// l, if any.
func (l *List) CompleteAttended() Chain {
	h := interleave.SwapPointer(&l.head, closed)
	if h == nil {
		return Chain{}
	}
	return inOrder(h, func(*Node) bool { return true })
}

// Settle returns when no goroutine accesses the nodes that were in l, which the caller
// has completed. It returns at once unless visitors were active when l was completed;
// then it yields until they finish, which takes a few steps that never block.
func (l *List) Settle() {
	for l.holders.Load()&holding != 0 {
		interleave.Spin()
	}
}
