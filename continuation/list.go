package continuation

import "github.com/movenext/movenext/internal/interleave"

// # The one race
//
// An operation completes once, on any goroutine. Continuations are added on any
// goroutine, at any time. The requirement is short and easily broken:
//
//	each node that Add accepted is delivered exactly once, unless Remove took it
//	back; no node that Add refused is delivered, and its adder sees the result
//	at once.
//
// # The easy list
//
// head is the newest node of a stack, or nil, or closed. It changes only along
//
//	nil ─▶ node ─▶ node ─▶ … ─▶ closed
//
//	Add                                  Complete
//	 1. h := head                         1. publish the result
//	 2. h is closed: refuse               2. h := swap(head, closed)
//	 3. n.next = h                        3. deliver all nodes reachable from h
//	 4. CAS(head, h, n), or from 1
//
// Proof. All changes of head are atomic, so they have one order, and Complete's
// swap has a position in it. An Add whose CAS comes before the swap is reachable
// from h by the links written in step 3, and is delivered. An Add whose CAS would
// come after the swap finds closed, since closed is never replaced, and refuses
// in step 2; the result was published before the swap, so the refused adder sees
// it. No third position exists for a CAS. The swap happens once because Complete
// is called only by the goroutine that won the right to complete (the job's state
// word decides that).
//
// It is tempting to use a flag: "if !completed { append }" next to "completed =
// true; run all". The operation completes between the check and the append, and
// the continuation is lost. Checking more often cannot repair code that reads a
// status first and changes a list second; head must be both.
//
// The same node may become head again: it is delivered, prepared and added again while
// another Add sleeps between its steps 1 and 4. That does no harm: step 4 requires only
// that head is h now, and that its owner put h there.
//
// # It isn't that easy: taking back
//
// A wait that timed out must leave nothing behind, however long the operation continues
// to run. Remove marks the node (which decides the race against delivery) and sometimes
// sweeps: it takes the whole stack, drops the marked nodes and puts the rest back.
//
//	sweep
//	 1. h := head; nil or closed: nothing to do
//	 2. CAS(head, h, nil), or from 1          (the nodes are now the sweeper's)
//	 3. drop the removed ones, in order
//	 4. CAS(head, nil, rest): done
//	 5. head is closed: deliver the rest      (the operation completed meanwhile)
//	 6. head is a newer stack: CAS(head, it, nil), put it above the rest, from 4
//
// Proof. Between 2 and 4 only the sweeper can reach the nodes. A Complete in that
// window closes the list without them; the sweeper then finds closed in step 5, which is
// final, and delivers them itself: once, because no other goroutine can reach them.
// Nodes added in that window are found in step 6 and stay above the rest, which
// preserves the order of adding. Two holders at the same time hold disjoint stacks, and
// each puts its own back; the order between the two may then be lost. That happens only
// after a visitor has run out of patience (visit.go).
//
// Sweeping at every Remove would cost n² for n waiters that give up. So after a sweep
// that left n nodes, the next n/2 marks do not sweep: each mark pays for a constant
// number of visited nodes. The factor of a half matters: with n marks between sweeps, a
// list whose waiters have all given up would keep all their nodes.
//
// # It isn't that easy: taking back a held node
//
// Between steps 2 and 4 a Remove finds nothing to sweep, and step 4 puts its node back
// with the rest if the sweeper had checked it before the mark. So a goroutine that
// detaches the stack records a hold, a Remove that finds a holder leaves a note
// (missed), and the last holder to release its hold sweeps once more if it finds a note.
//
//	holder                              Remove
//	 1. holders++                        1. mark
//	 2. detach, read, set the credit,    2. holders > 0: leave a note, in one
//	    put back                            compare-and-swap with the check
//	 3. holders--; was it the last,      3. no holder: take one off the credit,
//	    and did it find a note?             and sweep if it was used up
//	 4. if so, sweep
//
// Proof. If Remove's step 2 comes between the holder's steps 1 and 3, the holder finds
// the note. If it comes after step 3, the node is in the list again, and the credit that
// counts it among the waiting nodes was set before Remove's step 3, which takes one off
// that credit. If it comes before the holder's step 1, so does the mark, and the holder
// sees the mark.
//
// It is tempting to reduce the credit first and check for holders afterwards. But a
// holder that checked the node before the mark may set the credit after it was reduced,
// so that the reduction is lost, and may be gone before the check. The node then stays
// until other waiters give up.

// List holds the continuations of one operation. The zero List is empty and
// open. All methods are safe for concurrent use; Complete is called once.
type List struct {
	head    interleave.Pointer[Node]
	credit  interleave.Int32  // marks left until the next sweep
	holders interleave.Uint32 // holders of detached nodes; see below
}

// The word holders.
//
//	bit 0       missed: a node was marked that a holder may have had
//	bits 1–7    the number of holders
//	bits 8–31   the number of holds begun: a reader of head detects a hold in between
const (
	missed  uint32 = 1
	hold    uint32 = 1 << 1
	holding uint32 = 0b1111_1110
	began   uint32 = 1 << 8
)

// closed is the head of every list whose operation has completed.
var closed = new(Node)

// Add adds n and returns true, or returns false if the operation has completed;
// its result is then visible to the caller, and n is as before.
func (l *List) Add(n *Node) bool {
	for {
		h := interleave.LoadPointer(&l.head)
		if h == closed {
			return false
		}
		n.next = h
		if interleave.CompareAndSwapPointer(&l.head, h, n) {
			return true
		}
	}
}

// Complete closes the list and returns the nodes to deliver, oldest first. The
// operation's result must have been written before: Complete publishes it.
func (l *List) Complete() Chain {
	return inOrder(interleave.SwapPointer(&l.head, closed), (*Node).takeAttended)
}

// Closed reports whether Complete has been called.
func (l *List) Closed() bool { return interleave.LoadPointer(&l.head) == closed }

// Empty reports whether the list is open and has no nodes. It also returns false while a
// goroutine sweeps or visits the list, since that goroutine holds the nodes.
func (l *List) Empty() bool {
	h := l.holders.Load()
	return interleave.LoadPointer(&l.head) == nil && h&holding == 0 && l.holders.Load() == h
}

// Remove takes n back and reports whether it did: false means that n was delivered, is
// being delivered right now, or was removed before. A removed node must not be added
// again.
func (l *List) Remove(n *Node) bool {
	if !n.state.CompareAndSwap(waiting, removed) {
		return false
	}
	if !l.leaveNote() && l.credit.Add(-1) < 0 {
		l.sweep()
	}
	return true
}

// sweep drops the removed nodes, and delivers the others if the operation has completed
// meanwhile.
func (l *List) sweep() {
	for again := true; again; {
		if !l.tryHold() {
			if l.leaveNote() {
				return // the holder of the nodes sweeps
			}
			continue
		}
		late := l.putBack(l.detach())
		again = l.endHold()
		late.Deliver(nil)
	}
}

// tryHold begins a hold, unless another goroutine holds.
func (l *List) tryHold() bool {
	h := l.holders.Load()
	return h&holding == 0 && l.holders.CompareAndSwap(h, h+hold+began)
}

// endHold ends a hold and reports whether the caller has to sweep.
func (l *List) endHold() bool {
	for {
		h := l.holders.Load()
		next := h - hold
		note := next&(holding|missed) == missed
		if note {
			next &^= missed
		}
		if l.holders.CompareAndSwap(h, next) {
			return note
		}
	}
}

// leaveNote makes the last holder sweep when it ends its hold. It returns false if there
// is not a holder.
func (l *List) leaveNote() bool {
	for {
		h := l.holders.Load()
		if h&holding == 0 {
			return false
		}
		if l.holders.CompareAndSwap(h, h|missed) {
			return true
		}
	}
}

// putBack performs steps 3 to 6 of a sweep, for the detached stack rest.
func (l *List) putBack(rest *Node) Chain {
	for {
		kept, live := dropRemoved(rest)
		l.credit.Store(live / 2)
		if kept == nil {
			return Chain{}
		}
		if interleave.CompareAndSwapPointer(&l.head, nil, kept) {
			return Chain{}
		}
		if l.Closed() {
			return inOrder(kept, (*Node).takeAttended)
		}
		rest = stack(l.detach(), kept)
	}
}

// detach takes all nodes, newest first, and leaves the list empty. It returns nil if
// the list is empty or closed.
func (l *List) detach() *Node {
	for {
		h := interleave.LoadPointer(&l.head)
		if h == nil || h == closed {
			return nil
		}
		if interleave.CompareAndSwapPointer(&l.head, h, nil) {
			return h
		}
	}
}

// dropRemoved unlinks the removed nodes of a detached stack and counts the others.
func dropRemoved(top *Node) (kept *Node, live int32) {
	link := &kept
	for n := top; n != nil; n = n.next {
		if n.state.Load() == removed {
			n.target = nil // no other goroutine reads it; it would keep the waiter alive
			continue
		}
		*link = n
		link = &n.next
		live++
	}
	*link = nil
	return kept, live
}

// stack puts the detached stack above on top of below.
func stack(above, below *Node) *Node {
	if above == nil {
		return below
	}
	last := above
	for last.next != nil {
		last = last.next
	}
	last.next = below
	return above
}

// inOrder turns a detached stack, newest first, into a chain, oldest first, without the
// attended nodes for which seen returns true: once seen has been called, those belong
// to their owners.
func inOrder(top *Node, seen func(*Node) bool) Chain {
	var c Chain
	for n := top; n != nil; {
		next := n.next
		n.next = nil
		if n.state.Load() != attended || !seen(n) {
			n.next = c.first
			c.first = n
			if c.last == nil {
				c.last = n
			}
		}
		n = next
	}
	return c
}
