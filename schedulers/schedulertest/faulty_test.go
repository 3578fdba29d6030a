package schedulertest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/runloop"
	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

type timerQueue = timers.Queue

// faulty is a small scheduler of two workers that does everything right, except for the
// one fault that it was made with.
type faulty struct {
	timerQueue
	fault string

	inside atomic.Int64 // calls of Submit
	kept   any          // the object in the room that all workers share, as a fault

	mu        sync.Mutex
	queue     []schedulers.Work
	seen      map[schedulers.Work]bool
	armed     map[*schedulers.Timer]bool // ever
	ids       []int                      // free
	last      int                        // of the IDs beyond these
	running   int
	blocked   int
	closed    bool
	submitted int
	refused   int
	completed int
	panicked  int
	abandoned int
	long      int // long-running work items that are running
	lost      int // places of workers that were lost
	done      chan struct{}
	over      bool

	// released is closed when the test of the fault is over, and releases everything
	// that hangs because of it.
	released chan struct{}
}

const limit = 2

// instances counts the live instances, for a fault that they share.
var instances atomic.Int64

func newFaulty(fault string) *faulty {
	instances.Add(1)
	return &faulty{
		fault: fault,
		ids:   []int{1, 2},
		seen:  map[schedulers.Work]bool{},
		armed: map[*schedulers.Timer]bool{},
		done:  make(chan struct{}),

		released: make(chan struct{}),
	}
}

func (s *faulty) release() { close(s.released) }

// is reports whether the scheduler has this fault.
func (s *faulty) is(fault string) bool { return s.fault == fault }

var errOther = errors.New("not the error of the contract")

func (s *faulty) Submit(w schedulers.Work, from schedulers.Hint) error {
	if w == nil && !s.is(faultAcceptsNil) {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		return schedulers.ErrRejected
	}
	if s.is(faultRunsInSubmit) {
		w.Run(nil)
		return nil
	}
	defer s.inside.Add(-1)
	s.inside.Add(1)
	if s.is(faultLosesWhatIsSubmittedAtTheSameTime) || s.is(faultTrustsThatTheWorkerSubmits) {
		runtime.Gosched() // so that others call Submit, too, even with a single processor
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && !s.is(faultAcceptsLate) {
		s.refused++
		if s.is(faultRefusesLateWithAnotherError) {
			return errOther
		}
		return schedulers.ErrShutdown
	}
	if s.is(faultLooksAtClosedWithoutHoldingTheLock) && from.From == nil {
		s.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
		s.mu.Lock()
		for s.closed && !s.over { // forces the worst moment
			s.mu.Unlock()
			runtime.Gosched()
			s.mu.Lock()
		}
		if s.over {
			return nil
		}
	}
	if s.is(faultRefusesResumedWork) && from.Flags.Has(schedulers.Resumed) && len(s.queue) > 100 {
		s.refused++
		return schedulers.ErrRejected
	}
	return s.accept(w, from)
}

// accept queues w, or loses it; mu is held.
func (s *faulty) accept(w schedulers.Work, from schedulers.Hint) error {
	s.submitted++
	if s.loses(w, from) {
		return nil
	}
	switch {
	case s.is(faultRunsTwice) && s.submitted%50 == 0:
		s.queue = append(s.queue, w)
	case s.is(faultRefusesWhatItQueues) && s.submitted%50 == 0:
		s.queue = append(s.queue, w)
		return schedulers.ErrRejected
	case s.is(faultWaitsForRoom):
		for len(s.queue) > 10 {
			s.mu.Unlock()
			runtime.Gosched()
			s.mu.Lock()
		}
	}
	if from.Flags.Has(schedulers.LongRunning) {
		s.long++
		s.tell(schedulers.Submitted, nil, w)
		go runloop.Once(s, w, nil, s.longEnded)
		return nil
	}
	s.tell(schedulers.Submitted, nil, w)
	s.queue = append(s.queue, w)
	if s.is(faultForgetsToWake) && s.running == 0 && s.completed > 0 {
		return nil
	}
	s.engage()
	return nil
}

// loses reports whether a fault of Submit loses w.
func (s *faulty) loses(w schedulers.Work, from schedulers.Hint) bool {
	on, own := from.From.(*hand)
	switch s.fault {
	case faultLosesWork:
		return s.submitted%50 == 0
	case faultLosesNestedWork:
		return from.From != nil
	case faultLosesFairWork:
		return from.Flags.Has(schedulers.PreferFairness)
	case faultLosesWorkBesideOtherInstances:
		return instances.Load() > 1 && s.submitted%10 == 0
	case faultTrustsHints:
		return from.From != nil && from.From.Scheduler() != schedulers.Scheduler(s)
	case faultTrustsThatTheWorkerLives:
		return own && on.gone
	case faultLosesWhatIsSubmittedAtTheSameTime:
		return s.inside.Load() > 1
	case faultTrustsThatTheWorkerSubmits:
		return own && s.inside.Load() > 1
	case faultAssertsItsOwnKindOfWorker:
		return from.From != nil && from.From.(*hand) == nil
	case faultPanicsOnATypedNil:
		return own && on.id < 0
	case faultComparesWorks, faultRemembersWorks:
		again := s.seen[w]
		s.seen[w] = true
		return again && s.is(faultRemembersWorks)
	}
	return false
}

func (s *faulty) longEnded(panicked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.completed++
	if panicked {
		s.panicked++
	}
	if !panicked || !s.is(faultLosesCountOfLongRunningWorkThatPanics) {
		s.long--
	}
	s.finish()
}

func (s *faulty) room() bool {
	room := limit - s.lost
	if !s.is(faultIgnoresBlock) {
		room += s.blocked
	}
	if s.is(faultExceedsItsLimit) {
		room += 3
	}
	return s.running < room
}

// engage starts a worker if the limit allows; mu is held.
func (s *faulty) engage() {
	if len(s.queue) > 0 && s.room() {
		s.running++
		h := &hand{scheduler: s, id: s.takeID()}
		s.tell(schedulers.WorkerStarted, h, nil)
		go h.work()
	}
}

// tell reports an event, unless a fault suppresses it.
func (s *faulty) tell(k schedulers.EventKind, on *hand, w schedulers.Work) {
	if s.is("does not tell "+k.String()) || s.is(faultTellsOneOfTwoBegun) && k == schedulers.Begun && s.completed%2 == 0 {
		return
	}
	e := schedulers.Event{Kind: k, Scheduler: s, Work: w}
	if on != nil {
		e.Worker = on.id
	}
	schedulers.Tell(e)
}

func (s *faulty) takeID() int {
	if s.is(faultGivesEqualIDs) {
		return 1
	}
	if len(s.ids) == 0 {
		s.last++
		return 1000 + s.last
	}
	id := s.ids[0]
	s.ids = s.ids[1:]
	return id
}

func (s *faulty) finish() {
	switch {
	case !s.closed, s.over, s.running > 0, s.long > 0, len(s.queue) > 0:
	case s.submitted == 0 && s.is(faultWaitsForAFirstWork):
	case s.abandoned > 0 && s.is(faultForgetsItsEndAfterGivingUp):
	default:
		s.over = true
		instances.Add(-1)
		close(s.done)
	}
}

func (s *faulty) Shutdown(ctx context.Context) error {
	again := s.close()
	wait := ctx
	switch {
	case s.is(faultReturnsAnErrorTheSecondTime) && again:
		return errOther
	case s.is(faultDoesNotWait):
		return nil
	case s.is(faultTellsOneCallerOfTheEnd) && again:
		select {
		case <-s.released:
		case <-ctx.Done():
		}
		return nil
	case s.is(faultLeaksAGoroutine):
		go func() { <-s.released }()
	case s.is(faultIgnoresTheContextOfShutdown):
		wait = context.Background()
	}
	select {
	case <-s.done:
		return nil
	default:
	}
	select {
	case <-s.done:
		return nil
	case <-wait.Done():
		return s.giveUp(ctx)
	case <-s.released:
		return nil
	}
}

// close begins the end, and reports whether it had begun before.
func (s *faulty) close() (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again = s.closed
	s.closed = true
	s.engage()
	s.finish()
	switch s.fault {
	case faultAbandonsAtShutdown:
		s.abandonQueued(schedulers.ErrShutdown)
	case faultDropsItsTimersAtShutdown:
		for t := range s.armed {
			s.timerQueue.StopTimer(t)
		}
	}
	return again
}

func (s *faulty) giveUp(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.is(faultGivesUpWithoutAbandoning):
		s.queue = nil
	case s.is(faultAbandonsForAnotherReason):
		s.abandonQueued(errOther)
	default:
		s.abandonQueued(schedulers.ErrShutdown)
	}
	s.finish()
	if s.is(faultReturnsErrRatherThanTheCause) {
		return ctx.Err()
	}
	return context.Cause(ctx)
}

func (s *faulty) abandonQueued(reason error) {
	queued := s.queue
	s.queue = nil
	s.abandoned += len(queued)
	for _, w := range queued {
		s.tell(schedulers.Abandoned, nil, w)
		w.Abandon(reason)
	}
}
