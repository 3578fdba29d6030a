package workstealing

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/deque"
	"github.com/movenext/movenext/internal/ending"
	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// timerQueue is embedded under this name so that a Scheduler has the methods of
// [schedulers.Timers] without an exported field.
type timerQueue = timers.Queue

// Scheduler is a work-stealing scheduler. Make one with [New]. All methods are safe for
// concurrent use.
//
// Beside [schedulers.Scheduler] it implements Shutdowner, Consenter, Timers, Snapshotter, Limiter and
// Meter, and its workers implement Blocker.
type Scheduler struct {
	timerQueue

	procs      []*processor // constant after New, as are the processors' IDs
	maxWorkers int

	// The two numbers of the protocol in spin.go. Changed under mu or by
	// compare-and-swap, read by anybody.
	idle     atomic.Int32 // processors without a worker
	spinning atomic.Int32 // workers that look for work to steal

	refused atomic.Uint64

	// mu guards everything below. It comes before the lock of any queue.
	mu      sync.Mutex
	global  deque.Deque
	free    []*processor // idle ones
	workers []*worker    // all places, by ID; live or not
	spare   []*worker    // those without a goroutine
	watch   watch
	count   counts
	ending  ending.Ending
}

// counts are counters that belong to no queue and no worker.
type counts struct {
	global       uint64 // accepted by the global queue, or as long-running
	abandoned    uint64
	alive        int // goroutines, those of long-running work included
	blocked      int // of them inside of Block
	longRunning  uint64
	longDone     uint64
	longPanicked uint64
}

// processor is the right to run work, and a queue.
type processor struct {
	runQueue
	id   int
	held *worker // who runs with it; guarded by Scheduler.mu
}

// New returns a scheduler without any goroutine. It cannot fail: an option
// that makes no sense is replaced as its documentation says.
func New(opts ...Option) *Scheduler {
	s := &Scheduler{}
	s.settleOptions(opts)
	for i := range s.procs {
		p := &processor{id: i}
		p.open = true
		s.procs[i] = p
	}
	for i := len(s.procs) - 1; i >= 0; i-- {
		s.free = append(s.free, s.procs[i]) // the first is taken first
	}
	s.idle.Store(int32(len(s.procs)))
	return s
}

// Submit accepts w, or refuses it with [schedulers.ErrShutdown] after Shutdown has been
// called and with [schedulers.ErrRejected] if w is nil. It never blocks and never runs w itself.
func (s *Scheduler) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if w == nil {
		s.refused.Add(1)
		return fmt.Errorf("workstealing: work is nil: %w", schedulers.ErrRejected)
	}
	if hint.Flags.Has(schedulers.LongRunning) {
		return s.submitLong(w)
	}
	if from := s.own(hint.From); from != nil && !hint.Flags.Has(schedulers.PreferFairness) {
		if p := from.proc.Load(); p != nil && s.submitLocal(p, w) {
			return nil
		}
	}
	return s.submitGlobal(w)
}

func (s *Scheduler) submitLocal(p *processor, w schedulers.Work) bool {
	overflow, ok := p.push(w)
	if !ok {
		return false
	}
	if overflow != nil {
		s.mu.Lock()
		for _, o := range overflow {
			s.global.PushBack(o)
		}
		s.mu.Unlock()
	}
	s.wake()
	return true
}

func (s *Scheduler) submitGlobal(w schedulers.Work) error {
	s.mu.Lock()
	if s.ending.Begun() {
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

// submitLong runs w on a goroutine of its own, now, without a processor and
// with a nil worker.
func (s *Scheduler) submitLong(w schedulers.Work) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending.Begun() {
		s.refused.Add(1)
		return schedulers.ErrShutdown
	}
	s.count.global++
	s.count.longRunning++
	s.count.alive++
	go runloop.Once(w, nil, s.longEnded)
	return nil
}

func (s *Scheduler) longEnded(panicked bool) {
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

// own returns by as a worker of this scheduler, or nil.
func (s *Scheduler) own(by schedulers.Worker) *worker {
	if w, ok := by.(*worker); ok && w != nil && w.sched == s {
		return w
	}
	return nil
}

// MayRunInPlace reports true if by is a worker of this scheduler: what waits there has
// a processor already, so running the awaited work with it adds nothing to what runs
// at a time.
func (s *Scheduler) MayRunInPlace(_ schedulers.Work, by schedulers.Worker) bool {
	return s.own(by) != nil
}

// MaxConcurrency returns the number of processors. Work that keeps its worker
// after its processor was handed on is not counted.
func (s *Scheduler) MaxConcurrency() int { return len(s.procs) }
