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
	if q.inRing || q.items.Len() == 0 {
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
func (r *ring) take(own *shim.Ticket) *shim.Ticket {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own != nil && (!own.Pushed() || !queueOf(own).inRing) {
		r.mu.Unlock()
		queueOf(own).put(own)
		r.mu.Lock()
	}
	for q := r.next; q != nil; q = r.next {
		if t := r.takeFrom(q); t != nil {
			return t
		}
	}
	return nil
}

// takeFrom takes an item of q, which is next, and advances next if q's turn is over.
func (r *ring) takeFrom(q *Queue) *shim.Ticket {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.quota == 0 {
		r.quota = q.weight
	}
	t := q.items.Pop()
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
