package main

import (
	"slices"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// Ring gives queues equal shares of the scheduler beneath it.
type Ring struct {
	under schedulers.Scheduler

	mu      sync.Mutex
	waiting []*Queue // those that have work
	next    int      // the one that has the turn
}

// Queue is one batch. It implements schedulers.Scheduler.
type Queue struct {
	ring  *Ring
	items []schedulers.Work
}

// CreateQueue returns a new queue.
func (r *Ring) CreateQueue() *Queue { return &Queue{ring: r} }

// Submit queues w, and submits a ticket to the scheduler beneath, to run one item.
func (q *Queue) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		return schedulers.ErrRejected
	}
	q.ring.put(q, w)
	return q.ring.under.Submit(ticket{q.ring}, schedulers.Hint{Flags: hint.Flags})
}

func (r *Ring) put(q *Queue, w schedulers.Work) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(q.items) == 0 { // right before next: the last to have its turn
		r.waiting = slices.Insert(r.waiting, r.next, q)
		r.next = (r.next + 1) % len(r.waiting)
	}
	q.items = append(q.items, w)
}

// take takes an item of the queue that has the turn.
func (r *Ring) take() schedulers.Work {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.waiting[r.next]
	w := q.items[0]
	q.items = q.items[1:]
	if len(q.items) > 0 {
		r.next++
	} else {
		r.waiting = slices.Delete(r.waiting, r.next, r.next+1) // next is the one after it now
	}
	if r.next >= len(r.waiting) {
		r.next = 0
	}
	return w
}

// ticket is the right to run one item.
type ticket struct{ ring *Ring }

// Run implements schedulers.Work.
func (t ticket) Run(on schedulers.Worker) { t.ring.take().Run(on) }

// Abandon implements schedulers.Work.
func (t ticket) Abandon(reason error) { t.ring.take().Abandon(reason) }
