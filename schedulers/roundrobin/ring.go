package roundrobin

import "sync"

// ring are the queues that have items, in the order of their turns. See the comment of
// the package.
type ring struct {
	mu   sync.Mutex // guards the ring, and the links of the queues in it; it comes before theirs
	next *Queue     // whose turn it is; nil: the ring is empty
	left int        // how many more items next may have in this turn; 0: its turn has not begun
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

// take removes and returns the item whose turn it is, or returns nil if there is none.
func (r *ring) take() *item {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q := r.next; q != nil; q = r.next {
		if it := r.takeFrom(q); it != nil {
			return it
		}
	}
	return nil
}

// takeFrom takes an item of q, which is next, and moves next on if q's turn is over.
func (r *ring) takeFrom(q *Queue) *item {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.left == 0 {
		r.left = q.weight
	}
	it, _ := q.items.PopFront().(*item)
	r.left--
	switch {
	case q.items.Len() == 0:
		r.remove(q)
	case r.left == 0:
		r.next = q.after
	}
	return it
}

// leave takes q out of the ring, wherever it is, if it has no items.
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
		r.next, r.left = q.after, 0
	}
	if r.next == q { // it was the only one
		r.next = nil
	}
	q.before.after, q.after.before = q.after, q.before
	q.before, q.after, q.inRing = nil, nil, false
}
