package pool

import "github.com/movenext/movenext/schedulers"

// Reclaim gives w back to a worker of this pool that waits for it, if w is the
// oldest or one of the newest in that worker's local queue or in the global one.
// These are the usual cases: a worker starts one work item and waits for it, or
// starts many and waits for them in order. See [dispatch.Reclaimer].
func (p *Pool) Reclaim(w schedulers.Work, caller schedulers.Worker) bool {
	from := p.ownWorker(caller)
	if from == nil || !from.reclaim(w) && !p.reclaimGlobal(w) {
		return false
	}
	reportInlined(w, from)
	return true
}

// Admit lets a worker of this pool run its own new work at once, unless the pool is
// closed or has a bounded queue. See [dispatch.Admitter].
func (p *Pool) Admit(caller schedulers.Worker) bool {
	w := p.ownWorker(caller)
	if w == nil || p.bound != nil {
		return false
	}
	if p.closed.Load() {
		return false
	}
	w.loop.Include()
	reportInlined(nil, w)
	return true
}

func (w *worker) reclaim(work schedulers.Work) bool {
	if !w.mayHaveWork.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.local.Remove(work) {
		return false
	}
	w.reclaimed++
	return true
}

func (p *Pool) reclaimGlobal(w schedulers.Work) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inbox.moveTo(&p.global)
	if !p.global.Remove(w) {
		return false
	}
	p.count.reclaimed++
	if p.bound != nil {
		p.bound.admit(p)
	}
	return true
}
