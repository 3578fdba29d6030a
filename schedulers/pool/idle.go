package pool

import "github.com/movenext/movenext/schedulers"

// This file decides when a worker starts and when it ends.
//
// # The difficulty
//
// A pool that is idle holds no goroutine. So the question is not which sleeper to
// wake but whether to start one, and it is asked at every submission, at the
// very moment at which the last worker may be about to end. If the poster thinks
// "there is a worker" and the worker thinks "there is no work", work lies there for ever.
//
// Where a worker has to be started there is no difficulty: pushing and deciding are
// one critical section, and so are finding nothing and ending. But a local
// queue has a lock of its own, since the pool's lock at each nested submission is what
// local queues are there to avoid, and so has the newer part of the global one (inbox.go). For these the two lists below pair up.
//
// # The poster                         # The worker that finds nothing
//
//	P1 push, under the queue's lock       E1 under mu: leave the count of those who run,
//	P2 read hungry                           and write hungry = true
//	P3 if it is set: under mu, settle     E2 look into every queue, each under its lock
//	                                      E3 if there is work, take it and be counted again
//
// Either E2 sees the work of P1, or E2 looked into that queue before P1
// pushed. In the second case E1 was before P2 (E1 before E2, E2's critical section before P1's),
// so P2 reads true, unless somebody has written false since; whoever
// writes false does so under mu in settle, after having written what is true of the
// state and then looked into every queue (the same E1, E2), or because a worker has
// started, and a worker that has started looks into every queue itself before
// it does anything else. The order in which a worker that gives its place up
// does its steps is therefore: announce, then look. The other order is the bug.
//
// # At most one worker is starting
//
// Waking a worker per submission makes workers that find nothing and end again (Go's
// scheduler rejects it for the same reason). So while one is starting, nobody
// starts another; it is the starting worker that looks, once it has got its first work,
// whether there is more, and starts the next. A burst of n submissions brings the
// workers up one after the other and never more than needed.
//
// # Work for which nobody is woken
//
// A chain of continuations puts one piece of work after the other into the local queue of the worker that has just run the one
// before, and is about to take it. Steps P2 and P3 start a worker for it, which finds nothing, or takes it
// away, to a processor that has nothing of it in its cache; and for the next piece, another one. A fifth of the time of
// such a chain went there (238 ns a link, of which 205 are left). So a poster that says that its worker's current work ends (schedulers.Leaver) leaves P2 and P3 out, if
// the queue was empty; and so does one that posts to the global queue, if that and the worker's own were. The worker takes that piece next, but for three cases: it looks at the other queues first (find then
// settles), it gives its place up (retire does), or the hint was wrong. In the last case the piece waits for the end of what that
// worker runs, or for the next who settles.
//
// # Invariant, whenever mu is free
//
//	work is queued and there is room  ⇒  a worker is starting, or the poster is
//	                                     between P1 and P3 and will see hungry, or
//	                                     it is alone, and its worker's current work ends
//
// room.free() says whether there is room; blocked workers make room. There is one exception, for at most a
// millisecond: brisk.go.

// room is how many workers run and how many may. It is guarded by Pool.mu.
type room struct {
	running  int  // live workers
	goal     int  // how many should run: min, or what hill climbing has found best
	limit    int  // how many may run: goal, and more after a stall
	blocked  int  // how many of those that run are inside of Block
	waiting  int  // if some were seen to wait: how many more may run; see replacement
	starting bool // one of those that run has not looked for work yet
}

func (r *room) free() bool    { return r.running < r.limit+r.blocked+r.waiting }
func (r *room) surplus() bool { return r.running > r.limit+r.blocked+r.waiting+r.patience() }

// patience is how many workers too many are let be. Those that slept often wake together; if all of them but a few
// ended at once, they would have to be started again a moment later.
func (r *room) patience() int {
	if r.waiting == 0 {
		return 0
	}
	return 2 * r.goal
}

// announce writes hungry to agree with the room. Call it with mu held after each change
// of the room that makes a poster's help necessary.
func (p *Pool) announce() {
	hungry := !p.room.starting && (p.room.free() || p.stall.wanted(p) || p.replacement.wanted(p))
	if p.hungry.Load() != hungry {
		p.hungry.Store(hungry)
	}
}

// settle brings workers and work into agreement; mu is held. It is called after
// anything that makes work or room: the order inside is announce, then look.
func (p *Pool) settle() {
	p.announce()
	if p.room.starting || !p.anyQueued() {
		return
	}
	if p.room.waiting > 0 && !p.room.free() {
		p.countWaiting(0)
	}
	if p.room.free() {
		p.start()
	} else {
		p.watch()
	}
	p.announce()
}

// watch sees to it that all workers are watched, which are busy while work is queued.
func (p *Pool) watch() {
	if p.stall.wanted(p) {
		p.stall.watch(p)
	}
	if p.replacement.wanted(p) {
		p.replacement.watch(p)
	}
}

func (p *Pool) anyQueued() bool {
	if p.anyGlobal() {
		return true
	}
	for _, w := range p.slots.all {
		if w.queued() {
			return true
		}
	}
	return false
}

// start starts a worker; mu is held and there is room.
func (p *Pool) start() {
	w := p.slots.take(p)
	w.live, w.fresh = true, true
	w.setOpen(!p.ending.Begun())
	p.room.running++
	p.room.starting = true
	p.count.alive++
	if p.climbing != nil {
		p.climbing.watch(p)
	}
	go w.loop.Run()
}

// find looks for work on behalf of w, and ends w if there is none; mu is held.
func (p *Pool) find(w *worker) schedulers.Work {
	fresh := w.fresh
	if fresh {
		w.fresh, p.room.starting = false, false
	}
	if p.room.waiting > 0 {
		p.countWaiting(0)
	}
	if p.room.surplus() {
		p.retire(w)
		return nil
	}
	work := p.look(w)
	if work == nil {
		return p.leave(w)
	}
	if fresh || p.room.waiting > 0 || w.queued() {
		p.settle() // is there more? then start the next
	}
	return work
}

// leave ends w, unless work has come in the last moment, which is returned then.
// These are the steps E1 to E3.
func (p *Pool) leave(w *worker) schedulers.Work {
	p.room.running--
	p.announce()
	w.setOpen(false) // from here on, work for w goes to the global queue
	if work := p.look(w); work != nil {
		p.room.running++
		w.setOpen(!p.ending.Begun())
		p.settle()
		return work
	}
	p.stall.relax(p)
	p.end(w)
	return nil
}

// look searches in the order global, own, others', the oldest first. (The newest of
// its own a worker takes before it comes here; when it comes here nevertheless,
// then for the sake of what is old.)
func (p *Pool) look(w *worker) schedulers.Work {
	if p.global.Len() == 0 {
		p.inbox.empty(&p.global)
	}
	if work := p.global.PopFront(); work != nil {
		if p.bound != nil {
			p.bound.admit(p)
		}
		return work
	}
	if work := w.popOldest(); work != nil {
		return work
	}
	for i := range len(p.slots.all) - 1 {
		victim := p.slots.all[(w.id+i)%len(p.slots.all)] // begins with the one after w
		if work := victim.popOldest(); work != nil {
			w.stolen++
			return work
		}
	}
	return nil
}

// retire ends w although there may be work, because more workers run than
// should. What it has queued becomes everybody's.
func (p *Pool) retire(w *worker) {
	p.room.running--
	w.mu.Lock()
	w.open = false
	for work := w.local.PopFront(); work != nil; work = w.local.PopFront() {
		p.put(work)
	}
	w.mu.Unlock()
	p.settle()
	p.end(w)
}

// end gives the place of w back; its goroutine is about to return.
func (p *Pool) end(w *worker) {
	w.live = false
	p.slots.giveBack(p, w)
	p.count.alive--
	p.finish()
}
