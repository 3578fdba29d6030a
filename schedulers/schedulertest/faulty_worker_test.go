package schedulertest

import (
	"slices"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// hand is a worker.
type hand struct {
	scheduler *faulty
	id        int
	gone      bool // has ended; guarded by scheduler.mu
	room      any  // of the work that runs
}

func (h *hand) Scheduler() schedulers.Scheduler { return h.scheduler }
func (h *hand) ID() int                         { return h.id }

func (h *hand) Room() *any {
	s := h.scheduler
	if !s.is(faultSharesOneRoom) {
		return &h.room
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = new(tenant) // otherwise the race detector ends the test before the check
	}
	return &s.kept
}

func (h *hand) Block() (func(), error) {
	s := h.scheduler
	if s.is(faultRefusesToBlockWithAnotherError) {
		return nil, errOther
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is(faultGivesThePlaceOfAnEndedWorkerAway) && h.gone {
		s.lost++
	}
	s.blocked++
	s.engage()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.is(faultNeverUnblocks) {
			s.blocked--
		}
	}), nil
}

func (h *hand) work() {
	for h.one() {
	}
}

// one runs one work item and returns false if none is queued.
func (h *hand) one() (again bool) {
	s := h.scheduler
	s.mu.Lock()
	if len(s.queue) == 0 || s.running > limit-s.lost+s.blocked && !s.is(faultExceedsItsLimit) {
		s.leave(h)
		s.mu.Unlock()
		return false
	}
	w := s.queue[0]
	s.queue = s.queue[1:]
	abandon := s.is(faultAbandonsInsteadOfRunning) && s.submitted%50 == 0
	s.engage()
	s.tell(schedulers.Begun, h, w)
	s.mu.Unlock()

	returned := false
	defer func() { again = h.ended(w, returned, recover()) }()
	if abandon {
		w.Abandon(schedulers.ErrShutdown)
	} else {
		w.Run(h)
	}
	returned = true
	return true
}

// ended counts a work item that has ended, in whatever way. After a panic, another
// goroutine takes the worker's place: a Goexit may be hidden beneath the panic, and then
// this goroutine is about to die.
func (h *hand) ended(w schedulers.Work, returned bool, v any) (again bool) {
	s := h.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(schedulers.Ended, h, w)
	s.completed++
	if v != nil && !s.is(faultDoesNotCountPanics) {
		s.panicked++
	}
	if v != nil && s.is(faultDropsWhatHasPanicked) {
		s.queue = slices.DeleteFunc(s.queue, func(q schedulers.Work) bool { return q == w })
	}
	switch {
	case returned, v != nil && s.is(faultTakesARecoveredPanicForSurvival):
		return true
	case v != nil && s.is(faultLosesAWorkerToAPanic), v == nil && s.is(faultLosesAWorkerToGoexit):
		return false
	}
	s.leave(h)
	s.engage()
	return false
}

// leave gives a worker's place back; mu is held.
func (f *faulty) leave(h *hand) {
	h.gone = true
	f.tell(schedulers.WorkerEnded, h, nil)
	f.running--
	if h.id <= limit {
		f.ids = append(f.ids, h.id)
	}
	if f.running == 0 {
		f.queue, f.outside = append(f.queue, f.outside...), nil
		f.engage()
	}
	f.finish()
}
