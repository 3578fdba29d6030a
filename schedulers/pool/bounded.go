package pool

import (
	"fmt"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/schedulers"
)

// WhenFull says what Submit does with work for which a bounded queue has no room.
type WhenFull uint8

const (
	// Reject refuses the work with [schedulers.ErrRejected]: who submits decides what to do without.
	Reject WhenFull = iota

	// Block makes Submit wait until there is room, first come first served, or until the pool is shut
	// down, which refuses the work with [schedulers.ErrShutdown]. A worker of the pool that waits in
	// Submit counts as blocked, so another one runs meanwhile, and makes room. It is known to be one by its hint; work that
	// submits without a hint holds its worker, and goes on only when other workers, be it those that a
	// stall adds, have made room.
	Block

	// CallerRuns runs the work on the goroutine that calls Submit, before Submit returns: who makes work too fast has to
	// help. Such work is handed the worker that the hint names. Work that makes work that makes work is nested on the
	// stack then. If it calls runtime.Goexit, the caller's goroutine ends.
	CallerRuns
)

// QueueLimit bounds how much work may be queued; a limit below 1 is 1. Neither work that runs counts, nor long-running
// work, which is never queued; and what goes on with something that has started before, machines and
// continuations ([schedulers.Resumed]), always has room: it is submitted by whoever has completed what it waited for, whom a
// full queue is none of the business of.
//
// A pool with this option has one queue, first in first out: local queues would have to be counted in one place,
// and not having such a place is what they are for.
func QueueLimit(limit int, full WhenFull) Option {
	return func(p *Pool) { p.bound = &bound{limit: max(1, limit), full: full} }
}

// bound is the limit of the queue and those who wait for room. It is guarded by Pool.mu, but for
// the first two fields, which are constant.
//
// Invariant, whenever mu is free: somebody waits ⇒ the queue is full. Therefore who takes work from a full queue puts the work of
// who has waited longest in its place, and who comes with work while others wait need not ask whether it would overtake them.
type bound struct {
	limit   int
	full    WhenFull
	waiting []*submission
}

// submission is a Submit that waits for room.
type submission struct {
	work   schedulers.Work
	answer chan error // has room for one: nil, or why the work is refused
}

func (p *Pool) submitBounded(w schedulers.Work, hint schedulers.Hint) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ending.Begun():
		return p.refuse(schedulers.ErrShutdown)
	case hint.Flags.Has(schedulers.Resumed) || p.global.Len() < p.bound.limit:
		p.enqueue(w)
		p.settle()
		return nil
	}
	switch p.bound.full {
	case Block:
		return p.awaitRoom(w, p.own(hint.From))
	case CallerRuns:
		p.runHere(w, p.own(hint.From))
		return nil
	default:
		return p.refuse(fmt.Errorf("pool: the queue is full (%d): %w", p.bound.limit, schedulers.ErrRejected))
	}
}

func (p *Pool) enqueue(w schedulers.Work) {
	p.count.accepted++
	p.put(w)
}

// put is enqueue for work that the pool has accepted before.
func (p *Pool) put(w schedulers.Work) {
	p.inbox.empty(&p.global)
	p.global.PushBack(w)
	p.call()
}

// awaitRoom waits until w was queued or is refused. mu is held, but not while it waits.
func (p *Pool) awaitRoom(w schedulers.Work, on *worker) error {
	s := &submission{work: w, answer: make(chan error, 1)}
	p.bound.waiting = append(p.bound.waiting, s)
	if on != nil {
		p.block()
		defer p.unblock()
	}
	p.mu.Unlock()
	defer p.mu.Lock()
	return <-s.answer
}

// runHere runs w on the caller's goroutine, as work that never was in a queue. mu is held, but not while w runs.
func (p *Pool) runHere(w schedulers.Work, on *worker) {
	p.count.accepted++
	p.count.longRunning++
	p.count.alive++
	p.mu.Unlock()
	defer p.mu.Lock()
	if on == nil {
		runloop.Once(w, nil, p.longEnded)
	} else {
		runloop.Once(w, on, p.longEnded)
	}
}

// admit queues the work of those who wait, as far as there is room; mu is held. It is called when work was taken
// from the queue. As one of them takes the place of what was taken, no worker has to be started for it.
func (b *bound) admit(p *Pool) {
	for len(b.waiting) > 0 && p.global.Len() < b.limit {
		s := b.waiting[0]
		b.waiting[0] = nil
		b.waiting = b.waiting[1:]
		p.enqueue(s.work)
		s.answer <- nil
	}
}

// refuseWaiting refuses the work of all who wait; mu is held, and Shutdown was called.
func (b *bound) refuseWaiting(p *Pool) {
	for _, s := range b.waiting {
		s.answer <- p.refuse(schedulers.ErrShutdown)
	}
	b.waiting = nil
}
