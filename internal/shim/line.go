package shim

import "iter"

// Line is a queue of tickets, first in, first out. The zero Line is empty. The policy's lock
// guards it, and its tickets' places in it.
//
// The tickets are linked in one direction: a pointer fewer in each, for the garbage
// collector to follow. So a ticket that is taken out of the middle stays where it is, as a
// gap, until the tickets before it have left. If a ticket in front stays for long, gaps
// could pile up behind it; therefore they are swept when they are more than the tickets.
type Line struct {
	first, last *Ticket // the first is no gap
	tickets     int
	gaps        int
}

// few gaps are not worth a sweep.
const few = 64

// The states of a ticket.
const (
	fresh  = iota // it was in no line yet
	inLine        //
	gone          // it was taken out
)

// Len returns the number of tickets.
func (l *Line) Len() int { return l.tickets }

// First returns the first ticket, or nil.
func (l *Line) First() *Ticket { return l.first }

// Push adds t at the end and returns true, unless t was pushed before.
func (l *Line) Push(t *Ticket) bool {
	if t.Pushed() {
		return false
	}
	t.state.Store(inLine)
	l.tickets++
	l.link(t)
	return true
}

func (l *Line) link(t *Ticket) {
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

// Pop takes the first ticket out and returns it, or returns nil if there is none.
func (l *Line) Pop() *Ticket {
	t := l.first
	if t != nil {
		l.Remove(t)
	}
	return t
}

// Remove takes t out and returns true, if t is in l. It must not be in another line.
func (l *Line) Remove(t *Ticket) bool {
	if t.state.Load() != inLine {
		return false
	}
	t.state.Store(gone)
	l.tickets--
	l.gaps++
	for l.first != nil && l.first.state.Load() == gone {
		l.leave()
	}
	if l.gaps > l.tickets+few {
		l.sweep()
	}
	return true
}

// leave unlinks the first ticket, which is a gap. It must not keep the others alive.
func (l *Line) leave() {
	t := l.first
	l.first, t.next = t.next, nil
	if l.first == nil {
		l.last = nil
	}
	l.gaps--
}

// sweep unlinks all gaps.
func (l *Line) sweep() {
	old := *l
	*l = Line{tickets: old.tickets}
	for t := old.first; t != nil; {
		next := t.next
		t.next = nil
		if t.state.Load() == inLine {
			l.link(t)
		}
		t = next
	}
}

// All returns the tickets in their order. The line must not change meanwhile.
func (l *Line) All() iter.Seq[*Ticket] {
	return func(yield func(*Ticket) bool) {
		for t := l.first; t != nil; t = t.next {
			if t.state.Load() == inLine && !yield(t) {
				return
			}
		}
	}
}
