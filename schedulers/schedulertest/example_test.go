package schedulertest_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Newest runs one work item at a time, the newest first. It is a complete scheduler.
type Newest struct {
	mu      sync.Mutex
	queue   []schedulers.Work
	serving bool          // a goroutine runs serve, or is about to
	done    chan struct{} // made by the first Shutdown, closed when the last work has ended
}

// NewNewest returns a scheduler without any goroutine.
func NewNewest() *Newest { return &Newest{} }

// Submit implements [schedulers.Scheduler].
func (s *Newest) Submit(w schedulers.Work, _ schedulers.Hint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case w == nil:
		return fmt.Errorf("newest: work is nil: %w", schedulers.ErrRejected)
	case s.done != nil:
		return fmt.Errorf("newest: %w", schedulers.ErrShutdown)
	}
	s.queue = append(s.queue, w)
	if !s.serving {
		s.serving = true
		go s.serve()
	}
	return nil
}

// serve runs one work item. Whatever the work does, the next item runs on another
// goroutine: a panic ends in recover, and a runtime.Goexit, which cannot be stopped, ends a
// goroutine that is no longer needed.
func (s *Newest) serve() {
	w := s.next()
	if w == nil {
		return
	}
	defer func() { go s.serve() }()
	defer func() { _ = recover() }() // jobs recover panics of their functions themselves
	w.Run(place{s})
}

func (s *Newest) next() schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.queue)
	if n == 0 {
		s.serving = false
		if s.done != nil {
			close(s.done) // no more work is accepted, so this happens once
		}
		return nil
	}
	w := s.queue[n-1]
	s.queue = s.queue[:n-1]
	return w
}

// Shutdown implements [schedulers.Shutdowner].
func (s *Newest) Shutdown(ctx context.Context) error {
	done := s.close()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	rest := s.queue
	s.queue = nil
	s.mu.Unlock()
	for _, w := range rest {
		w.Abandon(schedulers.ErrShutdown) // not under the lock: it is foreign code
	}
	return context.Cause(ctx)
}

func (s *Newest) close() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if !s.serving {
			close(s.done)
		}
	}
	return s.done
}

// place is the only worker.
type place struct{ of *Newest }

// Scheduler implements [schedulers.Worker].
func (p place) Scheduler() schedulers.Scheduler { return p.of }

// ID implements [schedulers.Worker].
func (place) ID() int { return 1 }

// MayRunInPlace implements [schedulers.Consenter]: a job that waits for a job that is
// queued here runs it itself. Without this, it would wait forever.
func (s *Newest) MayRunInPlace(_ schedulers.Work, by schedulers.Worker) bool {
	p, ok := by.(place)
	return ok && p.of == s
}

// Jobs run on a scheduler of your own as on any other, and [Run] checks it: see the test of
// Newest.
func Example() {
	s := NewNewest()
	ctx := schedulers.With(context.Background(), s)

	begun, open := make(chan struct{}), make(chan struct{})
	jobs := []*job.Job[job.Void]{job.Go(ctx, func(context.Context) error { close(begun); <-open; return nil })}
	<-begun // so that the others queue up behind it
	for i := range 3 {
		jobs = append(jobs, job.Go(ctx, func(context.Context) error { fmt.Println("job", i); return nil }))
	}
	nested := job.Run(ctx, func(ctx context.Context) (int, error) {
		return job.Run(ctx, func(context.Context) (int, error) { return 42, nil }).Wait(ctx)
	})
	close(open)
	_, err := job.WhenAll(jobs...).Wait(context.Background())
	fmt.Println("all:", err)
	fmt.Println(nested.Wait(context.Background()))
	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// job 2
	// job 1
	// job 0
	// all: <nil>
	// 42 <nil>
	// <nil>
}
