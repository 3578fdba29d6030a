package manual

import "github.com/movenext/movenext/schedulers"

// worker is whoever is in Step. It is a new one for each work: a context that outlives
// its work then names nobody who is at work again.
type worker struct {
	home *Scheduler
	id   int
}

// Ended gives the ID back.
func (w *worker) Ended() { w.home.ids.Give(w.id) }

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
