package parallel

import (
	"sync"
	"sync/atomic"
)

// offers are the forks of one worker that others may take: the oldest first, since those
// divide into the most further work.
//
// Each offer has a ticket, the number of offers before it. The ticket has two
// uses. An owner that wants a fork back looks it up by its ticket. And a worker
// that waits for a fork takes only what descends from that fork: offers that its
// taker has made since.
//
// The offers have a mutex. There are thousands of offers for millions of forks,
// and an uncontended mutex is cheaper than the atomics of a lock-free deque.
type offers struct {
	count atomic.Int32 // their number, for readers without the lock; written under mu

	mu         sync.Mutex
	ring       []anyFork // by ticket; nil where taken out; length zero or a power of two
	head, tail uint64    // live tickets: [head, tail); the owner reads tail unlocked
}

// add offers f and returns its ticket. The owner holds mu.
func (o *offers) add(f anyFork) (ticket uint64) {
	if o.tail-o.head == uint64(len(o.ring)) {
		o.grow()
	}
	ticket = o.tail
	*o.entry(ticket) = f
	o.tail++
	o.count.Add(1)
	return ticket
}

func (o *offers) entry(ticket uint64) *anyFork { return &o.ring[ticket&uint64(len(o.ring)-1)] }

func (o *offers) grow() {
	bigger := offers{ring: make([]anyFork, max(8, 2*len(o.ring)))}
	for t := o.head; t < o.tail; t++ {
		*bigger.entry(t) = *o.entry(t)
	}
	o.ring = bigger.ring
}

// withdraw takes f back and reports whether it did: false means that it has been taken.
// The owner calls it. Tickets are reused only from floor on: other workers take the
// offers from floor on as the descendants of the fork that runs here.
func (o *offers) withdraw(ticket uint64, f anyFork, floor uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ticket < o.head || ticket >= o.tail || *o.entry(ticket) != f {
		return false
	}
	o.remove(ticket)
	for o.tail > max(floor, o.head) && *o.entry(o.tail - 1) == nil {
		o.tail--
	}
	return true
}

// takeOldest takes an offer for thief, or returns nil.
func (o *offers) takeOldest(thief *Worker) anyFork {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.takeFrom(o.head, thief)
}

// takeSince takes the oldest offer that descends from h, which the owner of o runs. It
// returns nil if there is none, or if h has ended.
//
// It has to check h under the lock. The owner ends h before it runs anything else, and
// offers under the lock; so if its next offer is visible here, the end of h is visible too.
func (o *offers) takeSince(h *header, thief *Worker) anyFork {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h.hasEnded() {
		return nil
	}
	return o.takeFrom(max(h.since, o.head), thief)
}

// hasSince reports whether takeSince would find something.
func (o *offers) hasSince(h *header) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h.hasEnded() {
		return false
	}
	_, ok := o.find(max(h.since, o.head))
	return ok
}

func (o *offers) takeFrom(ticket uint64, thief *Worker) anyFork {
	ticket, ok := o.find(ticket)
	if !ok {
		return nil
	}
	f := *o.entry(ticket)
	o.remove(ticket)
	thief.adopt(f)
	return f
}

// find returns the ticket of the oldest offer from the given ticket on.
func (o *offers) find(ticket uint64) (uint64, bool) {
	for ; ticket < o.tail; ticket++ {
		if *o.entry(ticket) != nil {
			return ticket, true
		}
	}
	return 0, false
}

func (o *offers) remove(ticket uint64) {
	*o.entry(ticket) = nil
	o.count.Add(-1)
	for o.head < o.tail && *o.entry(o.head) == nil {
		o.head++
	}
}
