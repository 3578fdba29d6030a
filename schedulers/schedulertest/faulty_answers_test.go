package schedulertest

import (
	"runtime"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// This file holds the optional methods of a faulty scheduler.

func (s *faulty) MaxConcurrency() int { return limit }

func (s *faulty) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	if s.is("waits in MayRunInPlace") {
		s.wait()
	}
	if s.is("drops what may run in place") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue = slices.DeleteFunc(s.queue, func(q schedulers.Work) bool { return q == w })
	}
	if s.is("asserts the worker it is asked about") {
		return by.(*hand).of == s
	}
	h, ok := by.(*hand)
	return ok && h != nil && h.of == s
}

// wait waits until no work runs.
func (s *faulty) wait() {
	for {
		s.mu.Lock()
		idle := s.running == 0
		s.mu.Unlock()
		if idle {
			return
		}
		runtime.Gosched()
	}
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
	case "counts what runs as queued":
		m.Queued += m.Running
	case "forgets to count what it abandons":
		m.Abandoned = 0
	}
	return m
}

func (s *faulty) StartTimer(t *schedulers.Timer, d time.Duration) {
	s.mu.Lock()
	again := s.armed[t]
	s.armed[t] = true
	count := len(s.armed)
	s.mu.Unlock()
	switch {
	case s.is("expires in StartTimer") && d <= 0:
		t.OnExpire.Expire(t)
		return
	case s.is("arms a timer once") && again, s.is("has no timers of zero") && d <= 0:
		return
	case s.is("expires early"):
		d /= 2
	case s.is("expires the newest first"):
		d -= time.Duration(count)
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
