package manual

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/movenext/movenext/internal/idpool"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/internal/vclock"
	"github.com/movenext/movenext/schedulers"
)

// Scheduler is a queue that a test steps. Make one with [New]. All methods are safe for
// concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter and Meter, and its workers implement Blocker.
type Scheduler struct {
	tally tally.Tally
	clock vclock.Clock
	ids   idpool.IDs

	mu     sync.Mutex
	queue  []schedulers.Work // oldest first
	arrive chan struct{}     // closed when work is queued; nil without a waiter
}

// New returns a scheduler with an empty queue and a clock that shows zero.
func New() *Scheduler {
	s := &Scheduler{}
	s.tally.WorkerPerItem = true
	return s
}

// Submit queues w, or refuses it with [schedulers.ErrShutdown] after Shutdown and with
// [schedulers.ErrRejected] if w is nil. It never blocks and never runs w. Hints make no
// difference.
func (s *Scheduler) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if err := s.tally.Enter("manual", s, w); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, w)
	if s.arrive != nil {
		close(s.arrive)
		s.arrive = nil
	}
	return nil
}

// Step runs the oldest work on the calling goroutine and returns true, or returns false
// if nothing is queued. It blocks for as long as the work takes. A panic of the work
// ends there; if the work calls runtime.Goexit, that ends the caller.
func (s *Scheduler) Step() bool { return s.StepAt(0) }

// StepAt is Step for the work at index i of [Scheduler.Snapshot]: 0 is the oldest. It
// returns false for an index outside the queue.
func (s *Scheduler) StepAt(i int) bool {
	s.mu.Lock()
	if i < 0 || i >= len(s.queue) {
		s.mu.Unlock()
		return false
	}
	w := s.queue[i]
	if i == 0 {
		s.queue[0] = nil
		s.queue = s.queue[1:]
	} else {
		s.queue = slices.Delete(s.queue, i, i+1)
	}
	s.mu.Unlock()
	on := &worker{s, s.ids.Take()}
	s.tally.Run(w, on, on)
	return true
}

// RunAll steps until nothing is queued, and returns how many steps that took. Work that
// submits itself again without end makes it run forever.
func (s *Scheduler) RunAll() int {
	n := 0
	for s.Step() {
		n++
	}
	return n
}

// RunUntil steps until done is closed (or delivers a value, which it then consumes) and
// returns nil. When nothing is queued it waits for work that other goroutines submit.
// It returns the cause of ctx if that ends first; a nil ctx never ends.
//
// In a test without other goroutines, a RunUntil that runs out of work would hang. Such a
// test calls [Scheduler.RunAll] and checks the result itself.
func (s *Scheduler) RunUntil(ctx context.Context, done <-chan struct{}) error {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		select {
		case <-done:
			return nil
		default:
		}
		if s.Step() {
			continue
		}
		select {
		case <-done:
			return nil
		case <-s.arrivalSignal():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// arrivalSignal returns a channel that is closed when work is queued.
func (s *Scheduler) arrivalSignal() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) > 0 {
		now := make(chan struct{})
		close(now)
		return now
	}
	if s.arrive == nil {
		s.arrive = make(chan struct{})
	}
	return s.arrive
}

// Len returns the number of queued work items.
func (s *Scheduler) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Snapshot returns the queued work, oldest first.
func (s *Scheduler) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queue)
}

// MayRunInPlace reports true if caller is a worker of s.
func (s *Scheduler) MayRunInPlace(_ schedulers.Work, caller schedulers.Worker) bool {
	w, ok := caller.(*worker)
	return ok && w != nil && w.home == s
}

// Metrics implements [schedulers.Meter].
func (s *Scheduler) Metrics() schedulers.Metrics { return s.tally.Metrics() }

// Shutdown refuses all further work, runs the queued work, and returns nil when the
// last work has ended, including work that other goroutines step. It runs the work on
// the calling goroutine, unless ctx can end: then another goroutine runs it, since the
// work might block for longer. If ctx ends first, work that is still queued is abandoned
// with [schedulers.ErrShutdown] and the cause of ctx is returned. Timers stay armed.
//
// It may be called any number of times, also concurrently. A nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	s.tally.Close()
	s.drain(ctx)
	return s.tally.Shutdown(ctx, s.abandonQueued)
}

// drain steps until nothing is queued or ctx has ended. If ctx can end, it steps on
// another goroutine, because work may block for longer.
func (s *Scheduler) drain(ctx context.Context) {
	if ctx == nil || ctx.Done() == nil {
		s.RunAll()
		return
	}
	drained := make(chan struct{})
	done := ctx.Done() // a panic of the context's method belongs to the caller
	go s.drainUntil(done, drained)
	select {
	case <-drained:
	case <-done:
	}
}

func (s *Scheduler) drainUntil(done <-chan struct{}, drained chan<- struct{}) {
	exited := true
	defer func() {
		if exited {
			go s.drainUntil(done, drained) // work has called runtime.Goexit
		}
	}()
	for !ended(done) && s.Step() {
	}
	exited = false
	close(drained)
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func (s *Scheduler) abandonQueued() {
	s.mu.Lock()
	all := s.queue
	s.queue = nil
	s.mu.Unlock()
	for _, w := range all {
		s.tally.Abandon(s, w, schedulers.ErrShutdown)
	}
}

// String describes the state, for the message of a failing test.
func (s *Scheduler) String() string {
	return fmt.Sprintf("manual: %d queued, %d timers, clock at %v", s.Len(), s.clock.Armed(), s.Now())
}

// worker is a goroutine in Step. Each work item gets a new worker, so a context that
// outlives its work never names a worker that runs other work.
type worker struct {
	home *Scheduler
	id   int
}

// HandleEnd returns the ID to the pool.
func (w *worker) HandleEnd() { w.home.ids.Give(w.id) }

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
