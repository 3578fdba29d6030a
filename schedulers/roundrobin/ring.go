package roundrobin

import (
	"sync"

	"github.com/movenext/movenext/internal/shim"
)

// ring holds the queues that have items, in the order of their turns. See the package
// comment.
type ring struct {
	mu    sync.Mutex // guards the ring and its queues' links; locked before a queue's mu
	next  *Queue     // the queue that has the turn; nil: the ring is empty
	quota int        // items that next may still run in this turn; 0: not begun
}

// enter puts q into the ring if it has items.
func (r *ring) enter(q *Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.items.Len() > 0 {
		r.insert(q)
	}
}

// insert puts q into the ring unless it is there; both locks are held.
func (r *ring) insert(q *Queue) {
	if q.inRing {
		return
	}
	q.inRing = true
	if r.next == nil {
		q.before, q.after = q, q
		r.next = q
		return
	}
	q.before, q.after = r.next.before, r.next
	q.before.after, q.after.before = q, q
}

// take removes and returns the next item, or returns nil if the ring is empty. own is the
// ticket that is used, or nil; take first queues its item and puts its queue into the ring,
// unless the submitter has done both.
//
// If own's queue has the turn, as the only one always has, all that is one critical section.
func (r *ring) take(own *shim.Ticket) *shim.Ticket {
	r.mu.Lock()
	var t *shim.Ticket
	if own != nil {
		q := queueOf(own)
		q.mu.Lock()
		if q.items.Push(own); q.items.Len() > 0 {
			r.insert(q)
		}
		if q == r.next {
			t = r.takeFrom(q)
		}
		q.mu.Unlock()
	}
	for t == nil && r.next != nil {
		q := r.next
		q.mu.Lock()
		t = r.takeFrom(q)
		q.mu.Unlock()
	}
	r.mu.Unlock()
	return t
}

// takeFrom takes an item of q, which is next, and advances next if q's turn is over; both locks
// are held.
func (r *ring) takeFrom(q *Queue) *shim.Ticket {
	if r.quota == 0 {
		r.quota = q.weight
	}
	t := q.items.Pop()
	if t != nil {
		q.taken++
	}
	r.quota--
	switch {
	case q.items.Len() == 0:
		r.remove(q)
	case r.quota == 0:
		r.next = q.after
	}
	return t
}

// leave takes q out of the ring, at any position, if it has no items.
func (r *ring) leave(q *Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.inRing && q.items.Len() == 0 {
		r.remove(q)
	}
}

// remove takes q out; both locks are held.
func (r *ring) remove(q *Queue) {
	if r.next == q {
		r.next, r.quota = q.after, 0
	}
	if r.next == q { // it was the only queue
		r.next = nil
	}
	q.before.after, q.after.before = q.after, q.before
	q.before, q.after, q.inRing = nil, nil, false
}
