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

	mu         sync.Mutex
	queue      []schedulers.Work
	outside    []schedulers.Work // queued when no worker runs, as a fault
	seen       map[schedulers.Work]bool
	armed      map[*schedulers.Timer]bool // ever
	ids        []int                      // free
	last       int                        // of the IDs beyond these
	running    int
	blocked    int
	closed     bool
	submitted  int
	refused    int
	completed  int
	panicked   int
	abandoned  int
	abandoning bool // work is being abandoned, without the lock
	long       int  // long-running work items that are running
	lost       int  // places of workers that were lost
	done       chan struct{}
	over       bool

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

func (f *faulty) release() { close(f.released) }

// is reports whether the scheduler has this fault.
func (f *faulty) is(fault string) bool { return f.fault == fault }

var errOther = errors.New("not the error of the contract")

func (f *faulty) Submit(w schedulers.Work, from schedulers.Hint) error {
	if w == nil && !f.is(faultAcceptsNil) {
		f.mu.Lock()
		f.refused++
		f.mu.Unlock()
		return schedulers.ErrRejected
	}
	if f.is(faultRunsInSubmit) {
		w.Run(nil)
		return nil
	}
	defer f.inside.Add(-1)
	f.inside.Add(1)
	if f.is(faultLosesWhatIsSubmittedAtTheSameTime) || f.is(faultTrustsThatTheWorkerSubmits) {
		runtime.Gosched() // so that others call Submit, too, even with a single processor
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.abandoning && f.is(faultAbandonsWithItsLockHeld) {
		f.mu.Unlock()
		<-f.released
		f.mu.Lock()
	}
	if f.closed && !f.is(faultAcceptsLate) {
		f.refused++
		if f.is(faultRefusesLateWithAnotherError) {
			return errOther
		}
		return schedulers.ErrShutdown
	}
	if f.is(faultLooksAtClosedWithoutHoldingTheLock) && from.From == nil {
		f.mu.Unlock()
		for range 100 {
			runtime.Gosched()
		}
		f.mu.Lock()
		for f.closed && !f.over { // forces the worst moment
			f.mu.Unlock()
			runtime.Gosched()
			f.mu.Lock()
		}
		if f.over {
			return nil
		}
	}
	if f.is(faultRefusesResumedWork) && from.Flags.Has(schedulers.Resumed) && len(f.queue) > 100 {
		f.refused++
		return schedulers.ErrRejected
	}
	return f.accept(w, from)
}

// accept queues w, or loses it; mu is held.
func (f *faulty) accept(w schedulers.Work, from schedulers.Hint) error {
	f.submitted++
	if f.loses(w, from) {
		return nil
	}
	switch {
	case f.is(faultKeepsWorkFromOutsideWaiting) && from.From == nil && f.running > 0:
		f.outside = append(f.outside, w)
		return nil
	case f.is(faultRunsTwice) && f.submitted%50 == 0:
		f.queue = append(f.queue, w)
	case f.is(faultRefusesWhatItQueues) && f.submitted%50 == 0:
		f.queue = append(f.queue, w)
		return schedulers.ErrRejected
	case f.is(faultWaitsForRoom):
		for len(f.queue) > 10 {
			f.mu.Unlock()
			runtime.Gosched()
			f.mu.Lock()
		}
	}
	if from.Flags.Has(schedulers.LongRunning) {
		f.long++
		f.tell(schedulers.Submitted, nil, w)
		go runloop.Once(f, w, nil, f.longEnded)
		return nil
	}
	f.tell(schedulers.Submitted, nil, w)
	f.queue = append(f.queue, w)
	if f.is(faultForgetsToWake) && f.running == 0 && f.completed > 0 {
		return nil
	}
	f.engage()
	return nil
}

// loses reports whether a fault of Submit loses w.
func (f *faulty) loses(w schedulers.Work, from schedulers.Hint) bool {
	on, own := from.From.(*hand)
	switch f.fault {
	case faultLosesWork:
		return f.submitted%50 == 0
	case faultLosesNestedWork:
		return from.From != nil
	case faultLosesFairWork:
		return from.Flags.Has(schedulers.PreferFairness)
	case faultLosesWorkBesideOtherInstances:
		return instances.Load() > 1 && f.submitted%10 == 0
	case faultTrustsHints:
		return from.From != nil && from.From.Scheduler() != schedulers.Scheduler(f)
	case faultTrustsThatTheWorkerLives:
		return own && on.gone
	case faultLosesWhatIsSubmittedAtTheSameTime:
		return f.inside.Load() > 1
	case faultTrustsThatTheWorkerSubmits:
		return own && f.inside.Load() > 1
	case faultAssertsItsOwnKindOfWorker:
		return from.From != nil && from.From.(*hand) == nil
	case faultPanicsOnATypedNil:
		return own && on.id < 0
	case faultComparesWorks, faultRemembersWorks:
		again := f.seen[w]
		f.seen[w] = true
		return again && f.is(faultRemembersWorks)
	}
	return false
}

func (f *faulty) longEnded(panicked bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.completed++
	if panicked {
		f.panicked++
	}
	if !panicked || !f.is(faultLosesCountOfLongRunningWorkThatPanics) {
		f.long--
	}
	f.finish()
}

func (f *faulty) room() bool {
	room := limit - f.lost
	if !f.is(faultIgnoresBlock) {
		room += f.blocked
	}
	if f.is(faultExceedsItsLimit) {
		room += 3
	}
	return f.running < room
}

// engage starts a worker if the limit allows; mu is held.
func (f *faulty) engage() {
	if len(f.queue) > 0 && f.room() {
		f.running++
		h := &hand{scheduler: f, id: f.takeID()}
		f.tell(schedulers.WorkerStarted, h, nil)
		go h.work()
	}
}

// tell reports an event, unless a fault suppresses it.
func (f *faulty) tell(k schedulers.EventKind, on *hand, w schedulers.Work) {
	if f.is("does not tell "+k.String()) || f.is(faultTellsOneOfTwoBegun) && k == schedulers.Begun && f.completed%2 == 0 {
		return
	}
	e := schedulers.Event{Kind: k, Scheduler: f, Work: w}
	if on != nil {
		e.Worker = on.id
	}
	schedulers.Tell(e)
}

func (f *faulty) takeID() int {
	if f.is(faultGivesEqualIDs) {
		return 1
	}
	if len(f.ids) == 0 {
		f.last++
		return 1000 + f.last
	}
	id := f.ids[0]
	f.ids = f.ids[1:]
	return id
}

func (f *faulty) finish() {
	switch {
	case !f.closed, f.over, f.running > 0, f.long > 0, len(f.queue) > 0:
	case f.submitted == 0 && f.is(faultWaitsForAFirstWork):
	case f.abandoned > 0 && f.is(faultForgetsItsEndAfterGivingUp):
	default:
		f.over = true
		instances.Add(-1)
		close(f.done)
	}
}

func (f *faulty) Shutdown(ctx context.Context) error {
	again := f.close()
	wait := ctx
	switch {
	case f.is(faultReturnsAnErrorTheSecondTime) && again:
		return errOther
	case f.is(faultDoesNotWait):
		return nil
	case f.is(faultTellsOneCallerOfTheEnd) && again:
		select {
		case <-f.released:
		case <-ctx.Done():
		}
		return nil
	case f.is(faultLeaksAGoroutine):
		go func() { <-f.released }()
	case f.is(faultIgnoresTheContextOfShutdown):
		wait = context.Background()
	}
	select {
	case <-f.done:
		return nil
	default:
	}
	select {
	case <-f.done:
		return nil
	case <-wait.Done():
		return f.giveUp(ctx)
	case <-f.released:
		return nil
	}
}

// close begins the end, and reports whether it had begun before.
func (f *faulty) close() (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	again = f.closed
	f.closed = true
	f.engage()
	f.finish()
	switch f.fault {
	case faultAbandonsAtShutdown:
		f.abandonQueued(schedulers.ErrShutdown)
	case faultDropsItsTimersAtShutdown:
		for t := range f.armed {
			f.timerQueue.StopTimer(t)
		}
	}
	return again
}

func (f *faulty) giveUp(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.is(faultGivesUpWithoutAbandoning):
		f.queue = nil
	case f.is(faultAbandonsForAnotherReason):
		f.abandonQueued(errOther)
	default:
		f.abandonQueued(schedulers.ErrShutdown)
	}
	f.finish()
	if f.is(faultReturnsErrRatherThanTheCause) {
		return ctx.Err()
	}
	return context.Cause(ctx)
}

// abandonQueued is called with mu held, and releases it meanwhile. The fault is played: the lock
// itself would also hold the end of the test.
func (f *faulty) abandonQueued(reason error) {
	queued := f.queue
	f.queue = nil
	f.abandoned += len(queued)
	f.abandoning = true
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.abandoning = false }()
	for _, w := range queued {
		f.tell(schedulers.Abandoned, nil, w)
		w.Abandon(reason)
	}
}
