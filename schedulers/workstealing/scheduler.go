package workstealing

import (
	"fmt"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Scheduler has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Scheduler is a work-stealing scheduler. Make one with [New]. All methods are safe for
// concurrent use.
//
// Besides [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers,
// Snapshotter, Limiter and Meter, and its workers implement Blocker.
type Scheduler struct {
	timerQueue

	// Constant after New.

	procs      []*processor
	maxWorkers int
	looks      int
	name       string
	observe    schedulers.Hook[Event]

	// The two numbers of the protocol in spin.go. They change under mu or by
	// compare-and-swap, and are read without a lock.
	idle     interleave.Int32 // processors without a worker
	spinning interleave.Int32 // workers that search for work to steal

	refused interleave.Uint64

	// mu guards everything below. It is locked before the lock of any queue.
	mu       interleave.Mutex
	global   deque.Deque
	free     []*processor // idle processors
	workers  []*worker    // all workers, by ID, with or without a goroutine
	spare    []*worker    // workers without a goroutine
	watch    watch
	count    counts
	shutdown shutdown.State
}

// counts holds the counters that belong to no queue and no worker.
type counts struct {
	global       uint64 // accepted by the global queue, or as long-running
	abandoned    uint64
	alive        int // goroutines, including those of long-running work
	longRunning  uint64
	longDone     uint64
	longPanicked uint64
}

// workers returns the number of goroutines of workers.
func (c *counts) workers() int { return c.alive - int(c.longRunning) }

// processor is the right to run work, and a queue.
type processor struct {
	runQueue
	id     int     // constant, from 1 on
	holder *worker // the worker that holds it; guarded by Scheduler.mu

	// tick counts the searches for work. It belongs to the processor: if each worker
	// counted for itself, a processor that is handed off again and again would never
	// reach its 61st search.
	tick uint
}

// New returns a scheduler without any goroutine. It cannot fail: an invalid option is
// replaced as its documentation says.
func New(opts ...Option) *Scheduler {
	s := &Scheduler{}
	s.watch.Expired = s.checkProgress
	s.applyOptions(opts)
	for i := range s.procs {
		p := &processor{id: i + 1}
		p.order = p.id
		p.open = true
		s.procs[i] = p
	}
	for i := len(s.procs) - 1; i >= 0; i-- {
		s.free = append(s.free, s.procs[i]) // takeIdle takes the last: processor 1 first
	}
	s.idle.Store(int32(len(s.procs)))
	return s
}

// Name returns the name given by the option [Name], or "workstealing".
func (s *Scheduler) Name() string { return s.name }

// Submit accepts w, or refuses it with [schedulers.ErrShutdown] after Shutdown has been
// called and with [schedulers.ErrRejected] if w is nil. It never blocks and never runs
// w itself.
func (s *Scheduler) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		s.refused.Add(1)
		return fmt.Errorf("workstealing: work is nil: %w", schedulers.ErrRejected)
	}
	if probe.On(probe.Events) && !hint.Flags.Has(reported) {
		return s.reportSubmit(w, hint)
	}
	if hint.Flags.Has(schedulers.LongRunning) {
		return s.submitLong(w)
	}
	if from := s.ownWorker(hint.From); from != nil && !hint.Flags.Has(schedulers.PreferFairness) {
		if p := interleave.LoadPointer(&from.proc); p != nil && s.submitLocal(p, w) {
			return nil
		}
	}
	return s.submitGlobal(w)
}

func (s *Scheduler) submitLocal(p *processor, w schedulers.Work) bool {
	switch p.push(w) {
	case closed:
		return false
	case full:
		if !s.spill(p, w) {
			return false
		}
	}
	s.wake()
	return true
}

// spill adds w to the queue of p after making room there.
func (s *Scheduler) spill(p *processor, w schedulers.Work) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := p.pushAndSpill(w, &s.global)
	if n > 0 {
		p.tellSpilled(s, n)
		if s.tracing() {
			s.report(Event{Decision: Spilled, Processor: p.id, Works: n})
		}
	}
	return ok
}

func (s *Scheduler) submitGlobal(w schedulers.Work) error {
	s.mu.Lock()
	if s.shutdown.Begun() {
		s.mu.Unlock()
		s.refused.Add(1)
		return schedulers.ErrShutdown
	}
	s.count.global++
	s.global.PushBack(w)
	s.mu.Unlock()
	s.wake()
	return nil
}

// submitLong starts w on a goroutine of its own, without a processor and with a nil worker.
func (s *Scheduler) submitLong(w schedulers.Work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shutdown.Begun() {
		s.refused.Add(1)
		return schedulers.ErrShutdown
	}
	s.count.global++
	s.count.longRunning++
	s.count.alive++
	interleave.Go(func() { runloop.Once(s, w, nil, s.endLong) })
	return nil
}

func (s *Scheduler) endLong(panicked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.longRunning--
	s.count.longDone++
	if panicked {
		s.count.longPanicked++
	}
	s.count.alive--
	s.finish()
}

// ownWorker returns caller as a worker of this scheduler, or nil.
func (s *Scheduler) ownWorker(caller schedulers.Worker) *worker {
	if w, ok := caller.(*worker); ok && w != nil && w.sched == s {
		return w
	}
	return nil
}

// MayRunInPlace reports true if caller is a worker of this scheduler: a work item
// that waits there already has a processor, so running the awaited work there does not
// increase the number of running work items.
func (s *Scheduler) MayRunInPlace(_ schedulers.Work, caller schedulers.Worker) bool {
	return s.ownWorker(caller) != nil
}

// lockQueues locks all local queues; mu is held. No work can then be moving from one to
// another.
func (s *Scheduler) lockQueues() {
	for _, p := range s.procs {
		p.mu.Lock()
	}
}

func (s *Scheduler) unlockQueues() {
	for _, p := range s.procs {
		p.mu.Unlock()
	}
}

// MaxConcurrency returns the number of processors. Work that keeps its worker after its
// processor was handed off is not counted.
func (s *Scheduler) MaxConcurrency() int { return len(s.procs) }
