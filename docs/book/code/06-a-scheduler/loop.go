package main

import (
	"context"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// Loop runs work in the order of submission, on one goroutine. It implements
// schedulers.Scheduler.
type Loop struct {
	mu     sync.Mutex
	more   sync.Cond // something has changed: there is work, or the loop is closed
	queue  []schedulers.Work
	closed bool
	done   chan struct{}
}

// New starts a loop. End it with Shutdown.
func New() *Loop {
	l := &Loop{done: make(chan struct{})}
	l.more.L = &l.mu
	go l.loop()
	return l
}

// Submit queues w, or refuses it.
func (l *Loop) Submit(w schedulers.Work, _ schedulers.Hint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case w == nil:
		return schedulers.ErrRejected
	case l.closed:
		return schedulers.ErrShutdown
	}
	l.queue = append(l.queue, w)
	l.more.Signal()
	return nil
}

// next blocks until there is work. It returns nil when the loop is closed and
// nothing is left.
func (l *Loop) next() schedulers.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.closed {
		l.more.Wait()
	}
	if len(l.queue) == 0 {
		return nil
	}
	w := l.queue[0]
	l.queue = l.queue[1:]
	return w
}

func (l *Loop) loop() {
	ended := false
	defer func() {
		if !ended {
			go l.loop() // work has called runtime.Goexit: the loop continues on another goroutine
		}
	}()
	for w := l.next(); w != nil; w = l.next() {
		l.run(w)
	}
	ended = true
	close(l.done)
}

func (l *Loop) run(w schedulers.Work) {
	defer func() { _ = recover() }() // a job contains its panics; other work may not
	w.Run(worker{l})
}

// Shutdown refuses new work and waits for queued work, but not longer than ctx:
// work that has not begun then is given up.
func (l *Loop) Shutdown(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.more.Broadcast()
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	rest := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, w := range rest {
		w.Abandon(schedulers.ErrShutdown)
	}
	return context.Cause(ctx)
}

// worker tells work where it runs.
type worker struct{ loop *Loop }

func (w worker) Scheduler() schedulers.Scheduler { return w.loop }
func (w worker) ID() int                         { return 1 }
