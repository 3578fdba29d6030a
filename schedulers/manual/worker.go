package manual

import "github.com/movenext/movenext/schedulers"

// worker is whoever is in Step.
type worker struct {
	home *Scheduler
	id   int
}

// takeWorker returns a worker with the lowest ID that no running work has; s.mu is held. It is
// a new one for each work: a context that outlives its work then names nobody
// who is at work again.
func (s *Scheduler) takeWorker() *worker {
	for i, used := range s.inUse {
		if !used {
			s.inUse[i] = true
			return &worker{s, i + 1}
		}
	}
	s.inUse = append(s.inUse, true)
	return &worker{s, len(s.inUse)}
}

// Ended gives the ID back.
func (w *worker) Ended() {
	w.home.mu.Lock()
	defer w.home.mu.Unlock()
	w.home.inUse[w.id-1] = false
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.home }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// Block implements [schedulers.Blocker]: it runs what is queued before it lets the
// wait begin, because the goroutine that is about to wait may be the only one that steps.
func (w *worker) Block() (unblock func(), err error) {
	w.home.RunAll()
	return func() {}, nil
}
