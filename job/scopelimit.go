package job

import "slices"

// # Children in flight
//
// A scheduler bounds how much runs at a time. A machine that waits does not run, so a
// scheduler of three workers can have any number of machines in flight, each with its
// query open. A limit usually means the number in flight, and this file implements such
// a limit: a child has a slot from before it is submitted until it has ended, and the
// number of slots is fixed.
//
// The scope keeps a child without a slot and does not submit it. So a waiter for the
// scope does not find it either, and cannot run it in place.
//
//	child starts: slot free?  yes ──▶ submitted ──▶ … ──▶ ended: its slot goes to the next
//	                   └───── no ───▶ the queue ──▶ (a handle is canceled: gone, without a slot)

// Limit bounds the children of s that are in flight to n: those that have been started
// and have not ended, suspended ones included. Zero or less means no bound, as in a new
// scope. Further children wait in a queue, in the order in which they were started,
// without a goroutine and without an entry in their scheduler's queue; [Scope.Go] and
// [Spawn] do not block. The body of [InScope] is not a child and needs no slot.
//
// It is errgroup's SetLimit for work that may suspend. A limit of the scheduler (a
// pool's workers, package limited) counts what runs, and a machine that waits does not.
// Limit may be called at any time; a lower one ends nothing that is in flight. A child
// that waits for one that was started after it may wait forever.
func (s *Scope) Limit(n int) {
	s.mu.Lock()
	s.gate.limit = n
	s.mu.Unlock()
	s.admit()
}

// gate counts the children in flight. It is guarded by Scope.mu.
type gate struct {
	limit    int // zero or less: none
	inFlight int
	queue    []heldChild // of children that wait for a slot, the oldest first
	ended    int         // of those in the queue; see forget
	serving  bool        // a goroutine is in admit, and will check again
}

// heldChild is a child that can wait for a slot.
type heldChild interface {
	// submitAdmitted is called when the child has got a slot, and submits it. mu is not held.
	submitAdmitted()

	// take gives the child a slot, with mu held; false: it has ended in the queue.
	take() bool

	// endedInQueue reports whether the child has ended without a slot; mu is held.
	endedInQueue() bool
}

// enter takes a slot, or reports false: a newcomer never overtakes the queue.
func (g *gate) enter() bool {
	if g.full() || g.limit > 0 && len(g.queue) > 0 {
		return false
	}
	g.inFlight++
	return true
}

func (g *gate) full() bool { return g.limit > 0 && g.inFlight >= g.limit }

// next gives a slot to the first child of the queue that has not ended, and returns the
// child; nil: no slot, or no child.
func (g *gate) next() heldChild {
	for len(g.queue) > 0 && !g.full() {
		first := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		if first.take() {
			g.inFlight++
			return first
		}
		g.ended--
	}
	return nil
}

// forget records that a child has ended in the queue, and removes all ended children
// once they are more than half of it. The slots may be taken for hours, and each child
// keeps in memory what its function refers to, so they must go. Searching the queue for
// one child at each end would take time proportional to its length.
func (g *gate) forget() {
	if g.ended++; 2*g.ended > len(g.queue) {
		g.queue = slices.DeleteFunc(g.queue, heldChild.endedInQueue)
		g.ended = 0
	}
}

// hold puts a child into the queue.
func (s *Scope) hold(c heldChild) {
	s.mu.Lock()
	s.gate.queue = append(s.gate.queue, c)
	s.mu.Unlock()
	s.admit()
}

// admit submits children of the queue as long as there are slots. Only one goroutine at
// a time does this, in a loop. A child may end while it is submitted (its scheduler
// refuses it, or runs it at once), and would otherwise submit the next one from within
// its own end, nested as deep as the queue is long.
func (s *Scope) admit() {
	s.mu.Lock()
	if s.gate.serving {
		s.mu.Unlock()
		return
	}
	s.gate.serving = true
	s.serveAndUnlock()
}

// serveAndUnlock is the loop of admit. mu is held.
func (s *Scope) serveAndUnlock() {
	returned := true
	defer func() {
		if !returned { // a scheduler that runs work in place ran one that called Goexit
			s.mu.Lock()
			go s.serveAndUnlock()
		}
	}()
	for c := s.gate.next(); c != nil; c = s.gate.next() {
		s.mu.Unlock()
		returned = false
		c.submitAdmitted()
		returned = true
		s.mu.Lock()
	}
	s.gate.serving = false
	s.mu.Unlock()
}

// take implements heldChild.
func (c *child) take() bool { return true }

// endedInQueue implements heldChild. A child without a handle ends when it runs.
func (c *child) endedInQueue() bool { return false }

// submitAdmitted implements heldChild.
func (c *child) submitAdmitted() { c.scope.offer(c) }

// childSlot records whether a child with a handle has a slot. It is guarded by Scope.mu.
type childSlot struct {
	holds bool
	gone  bool // the child has ended without a slot
}

func (l *childSlot) take() bool {
	l.holds = !l.gone
	return l.holds
}

// end reports whether the ended child had a slot, which is now free.
func (l *childSlot) end() bool {
	l.gone = true
	return l.holds
}

// take implements heldChild.
func (t *spawnedChild) take() bool { return t.slot.take() }

// endedInQueue implements heldChild.
func (t *spawnedChild) endedInQueue() bool { return t.slot.gone }

// submitAdmitted implements heldChild. It submits the child unless it was canceled since it got
// its slot.
func (t *spawnedChild) submitAdmitted() {
	if c := t.core(); c.state.activate() {
		_ = c.submit(c.own.home, c.flags|t.scope.flags)
	}
}
