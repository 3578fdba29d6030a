package main

import (
	"context"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// Newest runs one work item at a time, the newest first. It holds no goroutine while it is idle.
type Newest struct {
	accepted sync.WaitGroup // work that has neither run nor been abandoned

	mu              sync.Mutex
	queue           []schedulers.Work
	serving, closed bool // serving: a goroutine runs serve, or is about to
}

// Submit accepts w, or returns an error and does not touch it.
func (s *Newest) Submit(w schedulers.Work, _ schedulers.Hint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case w == nil:
		return schedulers.ErrRejected
	case s.closed:
		return schedulers.ErrShutdown
	}
	s.queue = append(s.queue, w)
	s.accepted.Add(1)
	if !s.serving {
		s.serving = true
		go s.serve()
	}
	return nil
}

// serve runs one work item. The next one runs on another goroutine, since nothing can stop a
// runtime.Goexit. Jobs recover the panics of their functions; other work may not.
func (s *Newest) serve() {
	if w := s.next(); w != nil {
		defer func() { _ = recover(); s.accepted.Done(); go s.serve() }()
		w.Run(worker{s})
	}
}

func (s *Newest) next() schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.serving = false
		return nil
	}
	w := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	return w
}

// Shutdown refuses new work and waits for what was accepted. Work that has not begun when ctx ends
// is abandoned.
func (s *Newest) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.accepted.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	for w := s.next(); w != nil; w = s.next() {
		w.Abandon(schedulers.ErrShutdown) // not under the lock: waiters of its job may submit
		s.accepted.Done()
	}
	return context.Cause(ctx)
}

// worker tells work where it runs.
type worker struct{ of *Newest }

func (w worker) Scheduler() schedulers.Scheduler { return w.of }
func (worker) ID() int                           { return 1 }
