package pool

import "github.com/movenext/movenext/schedulers"

// This file decides where a worker searches once its own newest work is done, and ends a worker
// that finds nothing; idle.go says why no work is lost then.

// find searches for work for w, and ends w if it finds none; mu is held.
func (p *Pool) find(w *worker) schedulers.Work {
	fresh := w.fresh
	if fresh {
		w.fresh, p.capacity.starting = false, false
	}
	if p.capacity.waiting > 0 {
		p.countWaiting(0)
	}
	if p.capacity.surplus() {
		p.retire(w)
		return nil
	}
	work := p.search(w)
	if work == nil {
		return p.endIfIdle(w)
	}
	if fresh || p.capacity.waiting > 0 || w.hasWork() {
		p.dispatch() // starts the next worker if there is more work
	}
	return work
}

// endIfIdle ends w, unless work has arrived at the last moment; it then returns that work.
// These are the steps E1 to E3.
func (p *Pool) endIfIdle(w *worker) schedulers.Work {
	p.capacity.running--
	p.updateNeedsDispatch()
	w.setOpen(false) // from here on, work for w goes to the global queue
	if work := p.search(w); work != nil {
		p.capacity.running++
		w.setOpen(!p.shutdown.Begun())
		p.dispatch()
		return work
	}
	p.stall.lowerLimit(p)
	p.end(w)
	return nil
}

// search checks the global queue, the queue of w, and then those of the others, the
// oldest work first. (A worker usually takes its own newest work before it calls search. If
// it calls search first, it does so for the sake of old work.)
func (p *Pool) search(w *worker) schedulers.Work {
	if p.global.Len() == 0 {
		p.inbox.moveTo(&p.global)
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
			w.tellStolen(work, victim)
			return work
		}
	}
	return nil
}

// retire ends w even if work is queued, because more workers run than should. Its
// queued work moves to the global queue.
func (p *Pool) retire(w *worker) {
	p.capacity.running--
	w.mu.Lock()
	w.open = false
	moved := w.local.Len()
	for work := w.local.PopFront(); work != nil; work = w.local.PopFront() {
		p.put(work)
	}
	w.mu.Unlock()
	w.tellMoved(moved)
	p.dispatch()
	p.end(w)
}

// end frees the slot of w; its goroutine is about to return.
func (p *Pool) end(w *worker) {
	w.tell(schedulers.WorkerEnded)
	w.entry.Release()
	w.live = false
	p.slots.release(p, w)
	p.count.alive--
	p.finish()
}
