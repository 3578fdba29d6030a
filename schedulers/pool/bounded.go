package pool

import (
	"github.com/movenext/movenext/schedulers"
)

// WhenFull selects what Submit does with work when a bounded queue is full.
type WhenFull uint8

const (
	// Reject refuses the work with [schedulers.ErrRejected]. The submitter decides how to
	// continue.
	Reject WhenFull = iota

	// Block makes Submit wait until the queue has space, first come first served,
	// or until the pool is shut down, which refuses the work with
	// [schedulers.ErrShutdown]. A worker of the pool that waits in Submit counts
	// as blocked, so another worker runs meanwhile and makes space. The pool
	// recognizes the worker by its hint or, without one, by its goroutine
	// ([schedulers.Here]). The wait of a worker of another scheduler is announced to
	// that worker, as other waits are.
	Block

	// CallerRuns runs the work on the goroutine that calls Submit, before Submit
	// returns: a producer that is too fast has to help. The work runs with the worker
	// that the hint names. If such work submits more work, the calls nest on the stack.
	// If the work calls runtime.Goexit, the caller's goroutine ends.
	CallerRuns
)

// QueueLimit bounds the number of queued work items; a limit below 1 means 1.
// Running work does not count, nor does long-running work, which is never queued.
// Machines and continuations that resume ([schedulers.Resumed]) are always accepted:
// they are submitted by the goroutine that completed the awaited operation, which must
// not suffer from a full queue. A pool with this option has a single first-in-first-out
// queue. A limit over local queues would need one shared count, and local queues exist
// to avoid such sharing.
func QueueLimit(limit int, full WhenFull) Option {
	return func(p *Pool) { p.bound = &bound{limit: max(1, limit), full: full} }
}

// bound is the limit of the queue and the submitters that wait for room. Pool.mu guards
// it, except for the first two fields, which are constant.
//
// Invariant, whenever mu is free: a submitter waits ⇒ the queue is full. Therefore a
// worker that takes work from a full queue replaces it with the work of the submitter
// that has waited longest, and a new submitter never has to check whether it would
// overtake the waiting ones.
type bound struct {
	limit   int
	full    WhenFull
	waiting []*submission
}

// submission is a Submit that waits for space.
type submission struct {
	work    schedulers.Work
	hint    schedulers.Hint
	decided chan struct{} // closed when the work was queued or refused
	err     error         // the reason of a refusal; written before decided is closed
}

// RunsInPlace implements [dispatch.InPlacer]: it returns true if submitters run their
// work when the queue is full ([CallerRuns]). It does not block.
func (p *Pool) RunsInPlace() bool { return p.bound != nil && p.bound.full == CallerRuns }

// admit queues the work of waiting submitters while the queue has space; mu is
// held. It is called after work was taken from the queue. The admitted work
// replaces the work that was taken, so no worker has to be started for it.
func (b *bound) admit(p *Pool) {
	for len(b.waiting) > 0 && p.global.Len() < b.limit {
		s := b.waiting[0]
		b.waiting[0] = nil
		b.waiting = b.waiting[1:]
		p.enqueue(s.work)
		close(s.decided)
	}
}

// refuseWaiting refuses the work of all waiting submitters; mu is held, and Shutdown
// was called.
func (b *bound) refuseWaiting(p *Pool) {
	for _, s := range b.waiting {
		s.err = p.refuse(s.work, s.hint, schedulers.ErrShutdown)
		close(s.decided)
	}
	b.waiting = nil
}
