package pool

import "github.com/movenext/movenext/schedulers"

// Work that yields goes to the end of the global queue, behind everything that
// waits there and behind what its own worker has queued. Usually nothing is
// queued. Then the work comes out of the queue again at once, on the same worker,
// and taking the pool's lock twice has changed nothing (30 ns of 50). So the work
// stays in the worker's loop instead.
//
//	the yielding worker                    a submitter to the global queue
//	 1. read called: use the queue          1. push
//	 2. run once more                       2. called = true
//
// If step 1 on the left reads false, it comes before step 2 on the right, and the
// yielding work came before what was pushed: it is right that the pushed work
// runs later. The next turn sees it. Work queued at other workers is no reason to
// use the queue: a worker looks at the global queue first. Shutdown is not
// overlooked either: it sets called for good, and the yielding work is then
// refused under mu, as always; at most one more turn, which read called before,
// runs.
//
// A yielding worker that finds the global queue empty clears called, under mu, and then
// looks once more: a concurrent submitter pushes first and then reads called, and
// leaves it unchanged if it is still set.

// giveWay submits work that yields, as the last action of that work on w, whose
// local queue is empty.
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
		p.enqueue(work) // w looks there in a moment; no worker has to be woken
	}
	return nil
}

// repeat makes the worker run work once more, if work is what it runs and it need not
// look elsewhere first.
func (w *worker) repeat(work schedulers.Work) bool {
	if w.due() || !w.loop.Repeat(work) {
		return false
	}
	w.tick++
	return true
}

// call makes yielding work take the lock. It needs no lock itself.
func (p *Pool) call() {
	if !p.called.Load() {
		p.called.Store(true)
	}
}
