package pool

import (
	"context"
	"fmt"
	"slices"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shim"
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
	decided chan struct{} // closed when the work was queued or refused
	err     error         // the reason of a refusal; written before decided is closed
}

func (p *Pool) submitBounded(w schedulers.Work, hint schedulers.Hint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.shutdown.Begun():
		return p.refuse(schedulers.ErrShutdown)
	case hint.Flags.Has(schedulers.Resumed) || p.global.Len() < p.bound.limit:
		p.enqueue(w)
		p.dispatch()
		return nil
	}
	switch p.bound.full {
	case Block:
		return p.awaitSpace(w, hint.From)
	case CallerRuns:
		p.runHere(w, p.ownWorker(hint.From))
		return nil
	default:
		return p.refuse(fmt.Errorf("pool: the queue is full (%d): %w", p.bound.limit, schedulers.ErrRejected))
	}
}

func (p *Pool) enqueue(w schedulers.Work) {
	p.count.accepted++
	p.put(w)
}

// put is enqueue for work that the pool has already accepted.
func (p *Pool) put(w schedulers.Work) {
	p.inbox.moveTo(&p.global)
	p.global.PushBack(w)
	p.setCheckGlobal()
}

// awaitSpace waits until w is queued or refused. mu is held, but not during the wait.
//
// The wait is announced only to the worker below all shims, so that a strand does not give
// its turn away in the middle of a Submit.
func (p *Pool) awaitSpace(w schedulers.Work, caller schedulers.Worker) error {
	s := &submission{work: w, decided: make(chan struct{})}
	p.bound.waiting = append(p.bound.waiting, s)
	err := p.awaitDecision(s, caller)
	if i := slices.Index(p.bound.waiting, s); i >= 0 { // its worker must not wait
		p.bound.waiting = slices.Delete(p.bound.waiting, i, i+1)
		p.refused.Add(1)
		return fmt.Errorf("pool: the queue is full (%d), and waiting for room: %w: %w", p.bound.limit, err, schedulers.ErrRejected)
	}
	return s.err
}

// awaitDecision waits without mu. If other work that runs on top of this wait calls
// runtime.Goexit, the submitter is gone, and its submission keeps its place.
func (p *Pool) awaitDecision(s *submission, caller schedulers.Worker) error {
	p.mu.Unlock()
	defer p.mu.Lock()
	if caller == nil {
		caller = schedulers.Here()
	}
	if own := p.ownWorker(caller); own != nil {
		caller = own
	}
	return schedulers.Wait(context.Background(), shim.Beneath(caller), nil, s.decided)
}

// RunsInPlace implements [dispatch.InPlacer]: it returns true if submitters run their
// work when the queue is full ([CallerRuns]). It does not block.
func (p *Pool) RunsInPlace() bool { return p.bound != nil && p.bound.full == CallerRuns }

// runHere runs w, which was never queued, on the caller's goroutine. mu is held, but not
// while w runs.
func (p *Pool) runHere(w schedulers.Work, caller *worker) {
	p.count.accepted++
	p.count.longRunning++
	p.count.alive++
	p.mu.Unlock()
	defer p.mu.Lock()
	if caller == nil {
		runloop.Once(p, w, nil, p.endLong)
	} else {
		runloop.Once(p, w, caller, p.endLong)
	}
}

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
		s.err = p.refuse(schedulers.ErrShutdown)
		close(s.decided)
	}
	b.waiting = nil
}
