package inline

import (
	"context"
	"sync"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/idpool"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Scheduler has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Scheduler runs work on the goroutine that submits it. Make one with [New]. All
// methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter, InPlacer, Limiter (without a limit) and Meter, and its workers implement
// Blocker.
type Scheduler struct {
	timerQueue
	tally tally.Tally
	ids   idpool.IDs

	mu     sync.Mutex
	queues map[*worker]*deque.Deque // of the workers with queued work
}

// New returns a scheduler without any goroutine.
func New() *Scheduler { return &Scheduler{queues: map[*worker]*deque.Deque{}} }

// Submit runs w and then, in order, the work that was submitted by w, by that
// work, and so on. It returns nil when all of it has ended, so it blocks for as
// long as that takes.
//
// If from names a worker of s whose work is running, Submit does not run w but queues
// it behind that work, and returns at once.
//
// It refuses w with [schedulers.ErrShutdown] after Shutdown and with
// [schedulers.ErrRejected] if w is nil.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	if err := s.tally.Enter("inline", s, w); err != nil {
		return err
	}
	if on, ok := from.From.(*worker); ok && on != nil && on.home == s && on.push(w) {
		return nil
	}
	s.newWorker().run(w)
	return nil
}

// MayRunInPlace reports true: work may run on any goroutine.
func (s *Scheduler) MayRunInPlace(schedulers.Work, schedulers.Worker) bool { return true }

// RunsInPlace implements [dispatch.InPlacer]: it returns true.
func (s *Scheduler) RunsInPlace() bool { return true }

// MaxConcurrency returns 0: one work item runs for each submitting goroutine,
// without a limit.
func (s *Scheduler) MaxConcurrency() int { return 0 }

// Metrics implements [schedulers.Meter].
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Snapshot returns the queued work: work that was submitted from inside work that still
// runs. The work of each worker is in order.
func (s *Scheduler) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []schedulers.Work
	for _, q := range s.queues {
		all = q.AppendTo(all)
	}
	return all
}

// Shutdown refuses all further work and returns nil when the last work has ended. If
// ctx ends first, work that is queued behind running work is abandoned with
// [schedulers.ErrShutdown], and the cause of ctx is returned. A nil ctx never ends. It
// blocks, and may be called any number of times, also concurrently, but not by work of
// s with a ctx that never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	return s.tally.Shutdown(ctx, func() {
		for _, w := range s.takeAll() {
			s.tally.Abandon(s, w, schedulers.ErrShutdown)
		}
	})
}

func (s *Scheduler) takeAll() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []schedulers.Work
	for on, q := range s.queues {
		all = q.AppendTo(all)
		delete(s.queues, on)
	}
	return all
}
