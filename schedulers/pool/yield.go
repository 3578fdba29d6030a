package pool

import "github.com/movenext/movenext/schedulers"

// Work that gives way goes to the end of the global queue, so that everything runs before it that is waiting there, and what its own
// worker has queued. Mostly that is nothing. Then the work comes out of the queue again at once, on the same worker, and two
// turns of the pool's lock have changed nothing (30 ns of 50). So it stays where it is, in the worker's loop.
//
//	who gives way                          who submits to the global queue
//	 1. read called: go by the queue        1. push
//	 2. run once more                       2. called = true
//
// If step 1 on the left reads false, it comes before step 2 on the right, and what was pushed came later than the work
// that gives way: it is right that it runs later. The next turn sees it. What is queued at other workers is no reason to go: the
// queue would be looked at first. Nor is the end of the pool overlooked: it sets called for good, and who gives way then is refused under
// mu, as always; only one turn that has read called before is still to come.
//
// Called is taken back by who gives way and finds the global queue empty, under mu. It looks once more afterwards: who submits at the
// same moment pushes first and reads called then, and leaves it as it is if it is still set.

// giveWay submits work which gives way as the last thing that it does on w, with nothing in the local queue of that.
func (p *Pool) giveWay(work schedulers.Work, w *worker) error {
	if !p.called.Load() && w.repeat(work) {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ending.Begun():
		return p.refuse(schedulers.ErrShutdown)
	case p.anyGlobal():
		p.post(work)
	case w.repeat(work):
		p.called.Store(false)
		if p.anyGlobal() {
			p.call()
		}
	default:
		p.enqueue(work) // w looks there in a moment, and nobody need be woken
	}
	return nil
}

// repeat has the worker run work once more, if that is what it runs and it need not look around first.
func (w *worker) repeat(work schedulers.Work) bool {
	if w.due() || !w.loop.Repeat(work) {
		return false
	}
	w.tick++
	return true
}

// call sends those who give way to the lock; mu is held.
func (p *Pool) call() {
	if !p.called.Load() {
		p.called.Store(true)
	}
}
