package schedulertest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

type timerQueue = timers.Queue

// faulty is a small scheduler of two workers that does everything right, except for the one fault that
// it was made with.
type faulty struct {
	timerQueue
	fault string

	mu        sync.Mutex
	queue     []schedulers.Work
	seen      map[schedulers.Work]bool
	ids       []int // free
	running   int
	blocked   int
	closed    bool
	submitted int
	refused   int
	completed int
	panicked  int
	abandoned int
	done      chan struct{}
	over      bool
}

const limit = 2

func newFaulty(fault string) *faulty {
	return &faulty{fault: fault, ids: []int{1, 2}, seen: map[schedulers.Work]bool{}, done: make(chan struct{})}
}

// is reports whether the scheduler has this fault.
func (s *faulty) is(fault string) bool { return s.fault == fault }

// leaks keeps leaked goroutines until it is closed, when the test of that fault is over.
var leaks = make(chan struct{})

var errOther = errors.New("not the error of the contract")

func (s *faulty) Submit(w schedulers.Work, from schedulers.Hint) error {
	if w == nil && !s.is("accepts nil") {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		return schedulers.ErrRejected
	}
	if on, ok := from.From.(*hand); ok && on == nil && s.is("panics on a typed nil") {
		panic("nil worker")
	}
	if s.is("runs in Submit") {
		w.Run(nil)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && !s.is("accepts late") {
		s.refused++
		if s.is("refuses late with another error") {
			return errOther
		}
		return schedulers.ErrShutdown
	}
	if s.is("compares works") {
		s.seen[w] = true
	}
	if s.is("refuses resumed work") && from.Flags.Has(schedulers.Resumed) && len(s.queue) > 100 {
		s.refused++
		return schedulers.ErrRejected
	}
	return s.accept(w, from)
}

// accept queues w; mu is held.
func (s *faulty) accept(w schedulers.Work, from schedulers.Hint) error {
	s.submitted++
	switch {
	case s.is("loses work") && s.submitted%50 == 0:
		return nil
	case s.is("loses fair work") && from.Flags.Has(schedulers.PreferFairness):
		return nil
	case s.is("trusts hints") && from.From != nil && from.From.Scheduler() != schedulers.Scheduler(s):
		return nil
	case s.is("runs twice") && s.submitted%50 == 0:
		s.queue = append(s.queue, w)
	case s.is("refuses what it queues") && s.submitted%50 == 0:
		s.queue = append(s.queue, w)
		return schedulers.ErrRejected
	case s.is("waits for room"):
		for len(s.queue) > 10 {
			s.mu.Unlock()
			runtime.Gosched()
			s.mu.Lock()
		}
	}
	s.queue = append(s.queue, w)
	s.engage()
	return nil
}

func (s *faulty) room() bool {
	room := limit
	if !s.is("ignores Block") {
		room += s.blocked
	}
	if s.is("exceeds its limit") {
		room += 3
	}
	return s.running < room
}

// engage starts a worker if there is room; mu is held.
func (s *faulty) engage() {
	if len(s.queue) > 0 && s.room() {
		s.running++
		h := &hand{of: s, id: s.takeID()}
		go h.work()
	}
}

func (s *faulty) takeID() int {
	if s.is("gives equal IDs") {
		return 1
	}
	if len(s.ids) == 0 {
		return s.running + 1000 + s.submitted
	}
	id := s.ids[0]
	s.ids = s.ids[1:]
	return id
}

// hand is a worker.
type hand struct {
	of *faulty
	id int
}

func (h *hand) Scheduler() schedulers.Scheduler { return h.of }
func (h *hand) ID() int                         { return h.id }

func (h *hand) Block() (func(), error) {
	s := h.of
	if s.is("refuses to block with another error") {
		return nil, errOther
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocked++
	s.engage()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.is("never unblocks") {
			s.blocked--
		}
	}), nil
}

func (h *hand) work() {
	for h.one() {
	}
}

// one runs one work and returns false if there is none.
func (h *hand) one() (again bool) {
	s := h.of
	s.mu.Lock()
	if len(s.queue) == 0 || s.running > limit+s.blocked && !s.is("exceeds its limit") {
		s.leave(h)
		s.mu.Unlock()
		return false
	}
	w := s.queue[0]
	s.queue = s.queue[1:]
	abandon := s.is("abandons instead of running") && s.submitted%50 == 0
	s.engage()
	s.mu.Unlock()

	returned := false
	defer func() { again = h.ended(returned, recover()) }()
	if abandon {
		w.Abandon(schedulers.ErrShutdown)
	} else {
		w.Run(h)
	}
	returned = true
	return true
}

// ended counts a work that has ended, and survives how it did.
func (h *hand) ended(returned bool, v any) (again bool) {
	s := h.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.completed++
	if v != nil && !s.is("does not count panics") {
		s.panicked++
	}
	switch {
	case returned, v != nil && !s.is("loses a worker to a panic"):
		// A Goexit below a recovered panic goes on; this goroutine is then gone, which only
		// its place shows.
		if v != nil {
			s.leave(h)
			s.engage()
			return false
		}
		return true
	case v == nil && !s.is("loses a worker to Goexit"):
		s.leave(h)
		s.engage()
	}
	return false
}

// leave gives a worker's place back; mu is held.
func (s *faulty) leave(h *hand) {
	s.running--
	if h.id <= limit {
		s.ids = append(s.ids, h.id)
	}
	s.finish()
}

func (s *faulty) finish() {
	if s.closed && !s.over && s.running == 0 && len(s.queue) == 0 {
		s.over = true
		close(s.done)
	}
}

func (s *faulty) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.engage()
	s.finish()
	if s.is("abandons at Shutdown") {
		s.abandonQueued(schedulers.ErrShutdown)
	}
	s.mu.Unlock()
	switch {
	case again && s.is("returns an error the second time"):
		return errOther
	case s.is("does not wait"):
		return nil
	case s.is("leaks a goroutine"):
		go func() { <-leaks }()
	}
	select {
	case <-s.done:
		return nil
	default:
	}
	if s.is("ignores the context of Shutdown") {
		<-s.done
		return nil
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return s.giveUp(ctx)
	}
}

func (s *faulty) giveUp(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.is("gives up without abandoning"):
		s.queue = nil
	case s.is("abandons for another reason"):
		s.abandonQueued(errOther)
	default:
		s.abandonQueued(schedulers.ErrShutdown)
	}
	s.finish()
	if s.is("returns Err rather than the cause") {
		return ctx.Err()
	}
	return context.Cause(ctx)
}

func (s *faulty) abandonQueued(reason error) {
	queued := s.queue
	s.queue = nil
	s.abandoned += len(queued)
	for _, w := range queued {
		w.Abandon(reason)
	}
}

func (s *faulty) MaxConcurrency() int { return limit }

func (s *faulty) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	if s.is("drops what may run in place") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue = slices.DeleteFunc(s.queue, func(q schedulers.Work) bool { return q == w })
	}
	h, ok := by.(*hand)
	return ok && h != nil && h.of == s
}

func (s *faulty) Snapshot() []schedulers.Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.is("shows its own queue as the snapshot"):
		return s.queue
	case s.is("leaves work out of the snapshot"):
		return slices.Clone(s.queue[:len(s.queue)/2])
	}
	return slices.Clone(s.queue)
}

func (s *faulty) Metrics() schedulers.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := schedulers.Metrics{
		Submitted: uint64(s.submitted), Refused: uint64(s.refused), Abandoned: uint64(s.abandoned),
		Completed: uint64(s.completed), Panicked: uint64(s.panicked), Queued: uint64(len(s.queue)),
		Workers: uint64(s.running),
	}
	m.Running = m.Submitted - m.Completed - m.Abandoned - m.Queued
	switch s.fault {
	case "counts refusals as submissions":
		m.Submitted += m.Refused
	case "forgets to count what it abandons":
		m.Abandoned = 0
	}
	return m
}

func (s *faulty) StartTimer(t *schedulers.Timer, d time.Duration) {
	switch {
	case s.is("expires in StartTimer") && d <= 0:
		t.OnExpire.Expire(t)
		return
	case s.is("expires early"):
		d /= 2
	case s.is("has no timers of zero") && d <= 0:
		return
	}
	s.timerQueue.StartTimer(t, d)
}

func (s *faulty) StopTimer(t *schedulers.Timer) bool {
	switch s.fault {
	case "does not stop timers":
		return true
	case "says true of expired timers":
		s.timerQueue.StopTimer(t)
		return true
	}
	return s.timerQueue.StopTimer(t)
}
