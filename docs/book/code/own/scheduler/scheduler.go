// Package scheduler is step 5 of "Build your own": workers and a queue, so that completing an
// operation only costs an append.
package scheduler

import "sync"

// Scheduler runs work on a bounded number of goroutines, in order of arrival. Make one with
// [New]. An idle one holds no goroutine, so there is nothing to close.
type Scheduler struct {
	most int

	mu      sync.Mutex
	queue   []func() // guarded by mu, as is the next
	workers int      // goroutines that run
}

// New returns a scheduler with so many workers at most, at least one.
func New(most int) *Scheduler { return &Scheduler{most: max(1, most)} }

// Start queues work and returns at once. It is safe for concurrent use, also in work. A
// panic of the work ends the program, as it does in a goroutine.
func (s *Scheduler) Start(work func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, work)
	if s.workers < s.most {
		s.workers++
		go s.run()
	}
}

// run is a worker. It ends if the queue is empty, and records that while it holds the lock: work
// queued later starts a new worker.
func (s *Scheduler) run() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.workers--
			s.mu.Unlock()
			return
		}
		work := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		work()
	}
}
