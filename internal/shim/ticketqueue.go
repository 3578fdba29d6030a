package shim

import "iter"

// TicketQueue is a queue of tickets, first in, first out. Its zero value is empty. The policy's
// lock guards it, and the positions of its tickets.
//
// The tickets are linked in one direction, so that the garbage collector has fewer pointers
// to follow. So a ticket that is removed from the middle stays in the list, as a gap, until
// the tickets before it have left. If the first ticket stays for long, gaps could pile up
// behind it; therefore all gaps are swept when they outnumber the tickets.
type TicketQueue struct {
	first, last *Ticket // first is not a gap
	tickets     int
	gaps        int
}

// minSweep is the number of gaps up to which a sweep does not pay.
const minSweep = 64

// The states of a ticket.
const (
	fresh   = iota // it has not been in a queue
	inQueue        //
	gone           // it was removed
)

// Len returns the number of tickets.
func (l *TicketQueue) Len() int { return l.tickets }

// First returns the first ticket, or nil.
func (l *TicketQueue) First() *Ticket { return l.first }

// Push adds t at the end and returns true, unless t was pushed before.
func (l *TicketQueue) Push(t *Ticket) bool {
	if t.Pushed() {
		return false
	}
	t.state.Store(inQueue)
	l.tickets++
	l.link(t)
	return true
}

func (l *TicketQueue) link(t *Ticket) {
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

// Pop removes and returns the first ticket, or returns nil if there is none.
func (l *TicketQueue) Pop() *Ticket {
	t := l.first
	if t != nil {
		l.Remove(t)
	}
	return t
}

// Remove removes t and returns true, if t is in l. It must not be in another queue.
func (l *TicketQueue) Remove(t *Ticket) bool {
	if t.state.Load() != inQueue {
		return false
	}
	t.state.Store(gone)
	l.tickets--
	l.gaps++
	for l.first != nil && l.first.state.Load() == gone {
		l.dropFirst()
	}
	if l.gaps > l.tickets+minSweep {
		l.sweep()
	}
	return true
}

// dropFirst unlinks the first ticket, which is a gap. It clears the link of that ticket, which
// must not keep the others alive.
func (l *TicketQueue) dropFirst() {
	t := l.first
	l.first, t.next = t.next, nil
	if l.first == nil {
		l.last = nil
	}
	l.gaps--
}

// sweep unlinks all gaps.
func (l *TicketQueue) sweep() {
	old := *l
	*l = TicketQueue{tickets: old.tickets}
	for t := old.first; t != nil; {
		next := t.next
		t.next = nil
		if t.state.Load() == inQueue {
			l.link(t)
		}
		t = next
	}
}

// All returns the tickets in their order. The queue must not change meanwhile.
func (l *TicketQueue) All() iter.Seq[*Ticket] {
	return func(yield func(*Ticket) bool) {
		for t := l.first; t != nil; t = t.next {
			if t.state.Load() == inQueue && !yield(t) {
				return
			}
		}
	}
}
