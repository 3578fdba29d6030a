package inline

import (
	"sync"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// worker is one outermost Submit.
type worker struct {
	home *Scheduler
	id   int

	// Guarded by home.mu. The worker's queue is home.queues[w], so that Shutdown finds it.
	active  bool // run will check the queue again
	blocked int  // calls of Block whose unblock was not called yet
}

func (s *Scheduler) newWorker() *worker {
	w := &worker{home: s, id: s.ids.Take(), active: true}
	w.tell(schedulers.WorkerStarted)
	return w
}

func (w *worker) tell(k schedulers.EventKind) {
	if probe.On(probe.Events) {
		schedulers.Tell(dispatch.EventOf(k, w))
	}
}

// push queues work behind the running work item. It returns false if the queue would not
// be run: the worker has ended, or its goroutine is in a wait that may last until this
// very work has run.
func (w *worker) push(work schedulers.Work) bool {
	s := w.home
	s.mu.Lock()
	defer s.mu.Unlock()
	if !w.active || w.blocked > 0 {
		return false
	}
	q := s.queues[w]
	if q == nil {
		q = new(deque.Deque)
		s.queues[w] = q
	}
	q.PushBack(work)
	return true
}

// run runs work and all work that it queues.
func (w *worker) run(work schedulers.Work) {
	ended := false
	defer func() {
		if !ended { // runtime.Goexit: this goroutine is lost, the queue is not
			go w.runQueued()
		}
	}()
	for work != nil {
		w.home.tally.Run(work, w, nil)
		work = w.next()
	}
	ended = true
}

func (w *worker) runQueued() {
	labels.Clear()
	w.run(w.next())
}

// next returns the oldest work of the queue, or ends the worker and returns nil.
func (w *worker) next() schedulers.Work {
	s := w.home
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.queues[w]; q != nil {
		work := q.PopFront()
		if q.Len() == 0 {
			delete(s.queues, w)
		}
		return work
	}
	w.active = false
	w.tell(schedulers.WorkerEnded)
	s.ids.Give(w.id)
	return nil
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.home }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// Block implements [schedulers.Blocker]: it runs the queued work on a separate worker.
// Until unblock is called, work whose hint names w runs where it is submitted.
func (w *worker) Block() (unblock func(), err error) {
	s := w.home
	s.mu.Lock()
	w.blocked++
	q := s.queues[w]
	if q == nil {
		s.mu.Unlock()
	} else {
		delete(s.queues, w)
		other := s.newWorker()
		s.queues[other] = q
		s.mu.Unlock()
		other.runQueued()
	}
	return sync.OnceFunc(func() {
		s.mu.Lock()
		w.blocked--
		s.mu.Unlock()
	}), nil
}
