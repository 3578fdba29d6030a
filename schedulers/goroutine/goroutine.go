// Package goroutine is the scheduler that Go programs have without this module: each
// work item gets a goroutine of its own, at once. Go's runtime does the rest.
//
// It is the right choice if work blocks in system calls or on channels, if there is little
// work, or as a baseline for the other schedulers. It has no queue and no limit: submitting
// a million work items starts a million goroutines, with some 2.7 GB of stacks. To bound
// it, put package limited on top.
//
// # Waiting
//
// Work may block freely. No other work waits for its goroutine.
package goroutine

import (
	"context"

	"github.com/movenext/movenext/internal/idpool"
	"github.com/movenext/movenext/internal/labels"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Scheduler has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Scheduler starts a goroutine for each work item. Make one with [New]. All
// methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Timers, Limiter (without a
// limit) and Meter.
type Scheduler struct {
	timerQueue
	tally tally.Tally
	ids   idpool.IDs
}

// New returns a scheduler that holds no goroutine until it has work.
func New() *Scheduler {
	s := &Scheduler{}
	s.tally.SkipRegistration, s.tally.WorkerPerItem = true, true
	return s
}

// Submit starts a goroutine that runs w, or refuses w with [schedulers.ErrShutdown]
// after Shutdown and with [schedulers.ErrRejected] if w is nil. It never blocks. All
// hints are ignored.
func (s *Scheduler) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if err := s.tally.Enter("goroutine", s, w); err != nil {
		return err
	}
	on := &worker{home: s, id: s.ids.Take()}
	go func() {
		labels.Clear()
		s.tally.Run(w, on, on)
	}()
	return nil
}

// Shutdown refuses all further work and returns nil when the last work has ended. If
// ctx ends first, it returns the cause of ctx; no work is abandoned, since none is
// queued. A nil ctx never ends. It blocks, and may be called any number of times, also
// concurrently.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	return s.tally.Shutdown(ctx, func() {})
}

// MaxConcurrency returns 0, which means no limit.
func (s *Scheduler) MaxConcurrency() int { return 0 }

// Metrics implements [schedulers.Meter]. Queued counts the work items whose goroutine has
// not begun.
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// worker is one goroutine.
type worker struct {
	home *Scheduler
	id   int
}

// Scheduler implements [schedulers.Worker].
func (w *worker) Scheduler() schedulers.Scheduler { return w.home }

// ID implements [schedulers.Worker].
func (w *worker) ID() int { return w.id }

// HandleEnd returns the ID to the pool.
func (w *worker) HandleEnd() { w.home.ids.Give(w.id) }
