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

// stateBits is the number of bits that a state takes.
const stateBits = 2

// Len returns the number of tickets.
func (q *TicketQueue) Len() int { return q.tickets }

// First returns the first ticket, or nil.
func (q *TicketQueue) First() *Ticket { return q.first }

// Push adds t at the end and returns true, unless t was pushed before.
func (q *TicketQueue) Push(t *Ticket) bool {
	if t.state() != fresh {
		return false
	}
	t.setState(inQueue)
	q.tickets++
	q.link(t)
	return true
}

func (q *TicketQueue) link(t *Ticket) {
	if q.last == nil {
		q.first = t
	} else {
		q.last.next = t
	}
	q.last = t
}

// Pop removes and returns the first ticket, or returns nil if there is none.
func (q *TicketQueue) Pop() *Ticket {
	t := q.first
	if t != nil {
		q.Remove(t)
	}
	return t
}

// Remove removes t and returns true, if t is in q. It must not be in another queue.
func (q *TicketQueue) Remove(t *Ticket) bool {
	if t.state() != inQueue {
		return false
	}
	t.setState(gone)
	q.tickets--
	q.gaps++
	for q.first != nil && q.first.state() == gone {
		q.dropFirst()
	}
	if q.gaps > q.tickets+minSweep {
		q.sweep()
	}
	return true
}

// dropFirst unlinks the first ticket, which is a gap. It clears the link of that ticket, which
// must not keep the others alive.
func (q *TicketQueue) dropFirst() {
	t := q.first
	q.first, t.next = t.next, nil
	if q.first == nil {
		q.last = nil
	}
	q.gaps--
}

// sweep unlinks all gaps.
func (q *TicketQueue) sweep() {
	old := *q
	*q = TicketQueue{tickets: old.tickets}
	for t := old.first; t != nil; {
		next := t.next
		t.next = nil
		if t.state() == inQueue {
			q.link(t)
		}
		t = next
	}
}

// All returns the tickets in their order. The queue must not change meanwhile.
func (q *TicketQueue) All() iter.Seq[*Ticket] {
	return func(yield func(*Ticket) bool) {
		for t := q.first; t != nil; t = t.next {
			if t.state() == inQueue && !yield(t) {
				return
			}
		}
	}
}
