package manual

import "github.com/movenext/movenext/schedulers"

// worker is a goroutine in Step. Each work item gets a new one: a context that
// outlives its work then never names a worker that runs other work.
type worker struct {
	home *Scheduler
	id   int
}

// Ended returns the ID to the pool.
func (w *worker) Ended() { w.home.ids.Give(w.id) }

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.home }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// Block implements [schedulers.Blocker]: it runs the queued work before it lets the
// wait begin, because the goroutine that is about to wait may be the only one that
// steps.
func (w *worker) Block() (unblock func(), err error) {
	w.home.RunAll()
	return func() {}, nil
}
