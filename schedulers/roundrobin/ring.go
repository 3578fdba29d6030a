package roundrobin

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// ring holds the queues that have items, in the order of their turns. See the package
// comment.
type ring struct {
	// mu guards the ring, and the links, the counts and the workers' parts of its queues.
	mu    interleave.Mutex
	next  *Queue // the queue that has the turn; nil: the ring is empty
	quota int    // items that next may still run in this turn; 0: not begun

	surplus shim.Surplus
}

// insert puts q, which has its first item, into the ring; mu is held.
func (r *ring) insert(q *Queue) {
	if r.next == nil {
		q.before, q.after = q, q
		r.next = q
		return
	}
	q.before, q.after = r.next.before, r.next
	q.before.after, q.after.before = q, q
}

// take removes and returns the next item and its queue, or returns nil if the ring is empty. It
// advances next if the turn of that queue is over.
func (r *ring) take() (schedulers.Work, *Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.next
	if q == nil {
		r.surplus.Use()
		return nil, nil
	}
	if r.quota == 0 {
		r.quota = q.weight
	}
	w := q.items.Pop()
	q.taken++
	r.quota--
	if !r.leaveIfEmpty(q) && r.quota == 0 {
		r.next = q.after
	}
	return w, q
}

// removeFrom takes the item with that number out of q and returns it, or returns nil if it was not
// there anymore; mu is held.
func (r *ring) removeFrom(q *Queue, number uint64) schedulers.Work {
	w := q.items.Remove(number)
	if w != nil {
		r.leaveIfEmpty(q)
	}
	return w
}

// leaveIfEmpty takes q, which is in the ring, out of it if it has no items, and reports whether
// it did; mu is held.
func (r *ring) leaveIfEmpty(q *Queue) bool {
	if _, more := q.items.First(); more {
		return false
	}
	r.remove(q)
	return true
}

// remove takes q out; mu is held.
func (r *ring) remove(q *Queue) {
	if r.next == q {
		r.next, r.quota = q.after, 0
	}
	if r.next == q { // it was the only queue
		r.next = nil
	}
	q.before.after, q.after.before = q.after, q.before
	q.before, q.after = nil, nil
}
