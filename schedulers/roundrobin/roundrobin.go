package roundrobin

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/internal/tally"
	"github.com/movenext/movenext/schedulers"
)

// clock is embedded under this name so that the types of this package have the methods of
// [schedulers.Timers] without an exported field.
type clock = shim.Clock

// Scheduler is a set of queues that have equal shares of a scheduler. Make one with
// [New]. All methods are safe for concurrent use.
//
// Besides [schedulers.Scheduler] (for its default queue) it implements Layered,
// Shutdowner, Consenter, Timers (those of the scheduler beneath, if it has any),
// Snapshotter, Limiter (the limit of the scheduler beneath) and Meter (the sums of all
// queues), and its workers implement HomeBlocker and Pumper.
type Scheduler struct {
	*clock
	tickets shim.Tickets
	initial *Queue
	refused atomic.Uint64 // by all queues, including removed ones

	_    [64]byte // submitters read the lines before it, and workers write those after it
	ring ring

	mu      sync.Mutex
	queues  list.List // of *Queue: all that were not removed, in order of creation
	retired schedulers.Metrics
	closed  bool
}

// New returns a scheduler that runs work on over. It has one queue, the default one. A nil
// over refuses all work.
func New(over schedulers.Scheduler) *Scheduler {
	s := &Scheduler{}
	s.tickets.Init("roundrobin", over, policy{s})
	s.clock = &s.tickets.Clock
	s.initial = s.add(Name("default"))
	return s
}

// policy implements the policy that tickets call.
type policy struct{ scheduler *Scheduler }

func (policy) Put(home schedulers.Scheduler, w schedulers.Work) uint64 { return home.(*Queue).put(w) }

func (p policy) Next() (schedulers.Work, schedulers.Scheduler) { return p.scheduler.ring.take() }

func (policy) Remove(home schedulers.Scheduler, number uint64) schedulers.Work {
	return home.(*Queue).remove(number)
}

func (policy) Withdraw(home schedulers.Scheduler, number uint64) (w schedulers.Work, surplus bool) {
	return home.(*Queue).withdraw(number)
}

func (policy) Account(home schedulers.Scheduler) *tally.Tally { return &home.(*Queue).tally }

// CreateQueue returns a new queue with its own share of the workers, or
// [schedulers.ErrShutdown] after Shutdown. Close a queue that is no longer needed;
// otherwise the scheduler keeps it.
func (s *Scheduler) CreateQueue(opts ...QueueOption) (*Queue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("roundrobin: no more queues: %w", schedulers.ErrShutdown)
	}
	return s.add(opts...), nil
}

func (s *Scheduler) add(opts ...QueueOption) *Queue {
	q := &Queue{clock: s.clock, scheduler: s, name: "queue", weight: 1}
	for _, o := range opts {
		if o != nil {
			o(q)
		}
	}
	q.tally.OnDrained, q.tally.CountTaken = func() { s.retire(q) }, q.countTaken
	q.place = s.queues.PushBack(q)
	return q
}

// retire removes a queue that is closed and empty. Its counters stay in the sums.
func (s *Scheduler) retire(q *Queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.place != nil {
		s.queues.Remove(q.place)
		q.place = nil
		add(&s.retired, q.tally.Metrics())
	}
}

// Default returns the queue for work that is submitted to the scheduler itself.
func (s *Scheduler) Default() *Queue { return s.initial }

// Queues returns the queues that were not removed, in the order of their creation.
func (s *Scheduler) Queues() []*Queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all()
}

// all is Queues with mu held.
func (s *Scheduler) all() []*Queue {
	all := make([]*Queue, 0, s.queues.Len())
	for e := s.queues.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*Queue))
	}
	return all
}

// Submit is [Queue.Submit] of the default queue.
func (s *Scheduler) Submit(w schedulers.Work, from schedulers.Hint) error {
	return s.initial.Submit(w, from)
}

// Shutdown closes all queues, refuses new ones, and returns nil when the last work has
// ended. If ctx ends first, work that is still queued is abandoned with
// [schedulers.ErrShutdown] and the cause of ctx is returned. The scheduler beneath is
// not shut down. It blocks, and may be called any number of times, also concurrently. A
// nil ctx never ends.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	all := s.all()
	s.mu.Unlock()
	for _, q := range all {
		q.Close() // all before the first wait, so that no queue gets more work meanwhile
	}
	var err error
	for _, q := range all {
		if e := q.Shutdown(ctx); e != nil {
			err = e
		}
	}
	return err
}

// MayRunInPlace reports whether the scheduler beneath consents.
func (s *Scheduler) MayRunInPlace(w schedulers.Work, caller schedulers.Worker) bool {
	return s.tickets.MayRunInPlace(w, caller)
}

// Beneath implements [schedulers.Layered].
func (s *Scheduler) Beneath() schedulers.Scheduler { return s.tickets.Beneath }

// MaxConcurrency returns the limit of the scheduler beneath, or 0.
func (s *Scheduler) MaxConcurrency() int { return shim.MaxConcurrency(s.tickets.Beneath) }

// Metrics implements [schedulers.Meter]: the sums over all queues, including removed
// ones.
func (s *Scheduler) Metrics() schedulers.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.retired
	sum.Refused = s.refused.Load()
	for _, q := range s.all() {
		add(&sum, q.tally.Metrics())
	}
	return sum
}

func add(sum *schedulers.Metrics, m schedulers.Metrics) {
	sum.Submitted += m.Submitted
	sum.Completed += m.Completed
	sum.Abandoned += m.Abandoned
	sum.Panicked += m.Panicked
	sum.Queued += m.Queued
	sum.Running += m.Running
	sum.Workers += m.Workers
}

// Snapshot implements [schedulers.Snapshotter]: the queued work, queue by queue.
func (s *Scheduler) Snapshot() []schedulers.Work {
	var all []schedulers.Work
	for _, q := range s.Queues() {
		all = append(all, q.Snapshot()...)
	}
	return all
}
