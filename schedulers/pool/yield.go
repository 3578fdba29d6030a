package pool

import (
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Work that yields goes to the end of the global queue, behind all work that waits there
// and in the queue of its own worker. Usually nothing is queued. Then the work would leave
// the queue again at once, on the same worker, and taking the pool's lock twice would have
// changed nothing (at 30 ns of 50). So the work stays in the worker's loop instead.
//
//	the yielding worker                    a submitter to the global queue
//	 1. read checkGlobal: use the queue     1. push
//	 2. run once more                       2. checkGlobal = true
//
// If step 1 on the left reads false, it precedes step 2 on the right, so the yielding work
// may run before the pushed work. Its next yield sees the pushed work. Work queued at other
// workers is no reason to use the queue: a worker searches the global queue before it
// steals. Shutdown is not overlooked either: it sets checkGlobal permanently, and yielding work
// is then refused under mu, as always. Work that had read checkGlobal before runs at most once
// more.
//
// A yielding worker that finds the global queue empty clears checkGlobal, under mu, and then
// checks once more, because a concurrent submitter pushes first, then reads checkGlobal, and
// leaves it unchanged if it is still set.

// A machine asks first, and then does not even leave its own loop ([worker.RunsAgain]): the
// conditions are the same, but it changes nothing for those that do not hold. A turn takes 21 ns
// instead of 40.

// RunsAgain implements [dispatch.Successor].
func (w *worker) RunsAgain(home schedulers.Scheduler) bool {
	p, is := home.(*Pool)
	if !is || p != w.pool || p.bound != nil || w.mayHaveWork.Load() || p.checkGlobal.Load() || w.due() || probe.On(probe.Events) {
		return false
	}
	w.tick++
	w.loop.Follow()
	return true
}

// repeat makes the worker run work once more, if work is its current work and it need not
// check other queues first.
func (w *worker) repeat(work schedulers.Work) bool {
	if w.due() || !w.loop.Repeat(work) {
		return false
	}
	w.tick++
	return true
}

// setCheckGlobal makes yielding work take the lock. The caller need not hold it.
func (p *Pool) setCheckGlobal() {
	if !p.checkGlobal.Load() {
		p.checkGlobal.Store(true)
	}
}
