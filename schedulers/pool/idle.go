package pool

import (
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// This file decides when a worker starts and when it ends; search.go has the worker's side.
//
// # The difficulty
//
// An idle pool holds no goroutine. So the question is not which sleeping worker to wake
// but whether to start one. It arises at every submission, perhaps at the very moment
// when the last worker is about to end. If the submitter (the poster) concludes "there is
// a worker" and the worker concludes "there is no work", the work stays there forever.
//
// Under the pool's lock this is easy: pushing and deciding are one critical section,
// and so are finding nothing and ending. But a local queue has its own lock, to avoid
// the pool's lock at each nested submission, and so does the newer part of the global
// queue (inbox.go). For these the two lists below pair up.
//
// # The poster                         # The worker that finds nothing
//
//	P1 push, under the queue's lock       E1 under mu: leave the count of running workers,
//	P2 read needsDispatch                    and write needsDispatch = true
//	P3 if it is set: under mu, dispatch   E2 check every queue, each under its lock
//	                                      E3 if there is work, take it and be counted again
//
// Either E2 sees the work of P1, or E2 checked that queue before P1 pushed. In the second
// case E1 was before P2 (E1 before E2, E2's critical section before P1's), so P2 reads
// true, unless false has been written since. A write of false has one of two causes, both
// under mu. In dispatch, needsDispatch is set to the value that the state requires, and a check
// of every queue follows (the same E1, E2). Or a worker has started, and a started worker
// checks every queue before it does anything else. A worker that is about to end must
// therefore set it first and check second. The reverse order is a bug.
//
// # At most one worker is starting
//
// Starting a worker per submission creates workers that find nothing and end again (Go's
// scheduler rejects it for the same reason). So while one worker is starting, no other
// is started. Once it has its first work, the starting worker checks for more and starts
// the next. A burst of n submissions starts the workers one after the other, and never
// more than needed.
//
// # Work that wakes no worker
//
// A chain of continuations puts one work item after another into the local queue of the
// worker that ran the previous one and is about to take the next. Steps P2 and P3 would
// start a worker for each. That worker finds nothing, or takes the work to a processor
// with a cold cache, and the next work item starts yet another worker. This took a fifth
// of the time of such a chain (238 ns a link, and 205 ns without it).
//
// So a poster whose hint says that its worker's current work is about to end
// (dispatch.Leaver) omits P2 and P3 if the queue was empty. So does a poster to the
// global queue, if that queue and the worker's own were empty. The worker takes that work
// next, except in three cases: it checks the other queues first (find then dispatches), it
// ends (retire dispatches), or the hint was wrong. In the last case the work waits until
// the worker's current work ends or the next dispatch.
//
// # Invariant, whenever mu is free
//
//	work is queued and capacity free  ⇒  a worker is starting, or the poster is
//	                                     between P1 and P3 and will see it set, or the
//	                                     work is alone and its worker's current work ends
//
// capacity.free() reports whether there is capacity; blocked workers add to it. There is
// one exception, for at most a millisecond: pingpong.go.

// capacity holds how many workers run and how many may run. Pool.mu guards it.
type capacity struct {
	running  int  // live workers
	goal     int  // how many should run: min, or the number that hill climbing prefers
	limit    int  // how many may run: goal, and more after a stall
	blocked  int  // how many running workers are inside Block
	waiting  int  // extra workers allowed because some were found waiting; see replacement
	starting bool // one running worker has not looked for work yet
}

func (c *capacity) free() bool    { return c.running < c.limit+c.blocked+c.waiting }
func (c *capacity) surplus() bool { return c.running > c.limit+c.blocked+c.waiting+c.maxSurplus() }

// maxSurplus returns the number of surplus workers that are kept. Sleeping work often wakes
// together; if all surplus workers ended at once, the pool would have to start them again
// a moment later.
func (c *capacity) maxSurplus() int {
	if c.waiting == 0 {
		return 0
	}
	return 2 * c.goal
}

// updateNeedsDispatch sets needsDispatch to match the capacity. Call it with mu held after each
// change of the capacity that requires a poster's help.
func (p *Pool) updateNeedsDispatch() {
	needed := !p.capacity.starting && (p.capacity.free() || p.stall.shouldStart(p) || p.replacement.shouldStart(p))
	if p.needsDispatch.Load() != needed {
		p.needsDispatch.Store(needed)
	}
}

// dispatch starts a worker if there is work and capacity; mu is held. It is called
// after any change that adds work or capacity. It first updates needsDispatch, and then
// checks.
func (p *Pool) dispatch() {
	p.updateNeedsDispatch()
	if p.capacity.starting || !p.anyQueued() {
		return
	}
	if p.capacity.waiting > 0 && !p.capacity.free() {
		p.countWaiting(0)
	}
	if p.capacity.free() {
		p.start()
	} else {
		p.watch()
	}
	p.updateNeedsDispatch()
}

// watch starts the watches over the workers. It is called when work is queued and all
// workers are busy.
func (p *Pool) watch() {
	if p.stall.shouldStart(p) {
		p.stall.watch(p)
	}
	if p.replacement.shouldStart(p) {
		p.replacement.watch(p)
	}
}

func (p *Pool) anyQueued() bool {
	if p.anyGlobal() {
		return true
	}
	for _, w := range p.slots.all {
		if w.hasWork() {
			return true
		}
	}
	return false
}

// start starts a worker; mu is held and capacity is free.
func (p *Pool) start() {
	w := p.slots.take(p)
	w.live, w.fresh = true, true
	w.setOpen(!p.shutdown.Begun())
	p.capacity.running++
	p.capacity.starting = true
	p.count.alive++
	if p.climb != nil {
		p.climb.watch(p)
	}
	w.registersGoroutine = p.bound != nil || p.max < DefaultMax || p.stallTimeout <= 0
	w.tell(schedulers.WorkerStarted)
	interleave.Go(w.main)
}
