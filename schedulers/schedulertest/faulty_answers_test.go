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
	if s.is(faultWaitsInMayRunInPlace) {
		s.wait()
	}
	if s.is(faultDropsWhatMayRunInPlace) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queue = slices.DeleteFunc(s.queue, func(q schedulers.Work) bool { return q == w })
	}
	if s.is(faultAssertsTheWorkerItIsAskedAbout) {
		return by.(*hand).scheduler == s
	}
	h, ok := by.(*hand)
	return ok && h != nil && h.scheduler == s
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
	case s.is(faultShowsItsOwnQueueAsTheSnapshot):
		return s.queue
	case s.is(faultLeavesWorkOutOfTheSnapshot):
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
	case faultCountsRefusalsAsSubmissions:
		m.Submitted += m.Refused
	case faultCountsWhatRunsAsQueued:
		m.Queued += m.Running
	case faultForgetsToCountWhatItAbandons:
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
	case s.is(faultExpiresInStartTimer) && d <= 0:
		t.OnExpire.Expire(t)
		return
	case s.is(faultArmsATimerOnce) && again, s.is(faultHasNoTimersOfZero) && d <= 0:
		return
	case s.is(faultExpiresEarly):
		d /= 2
	case s.is(faultExpiresTheNewestFirst):
		d -= time.Duration(count)
	}
	s.timerQueue.StartTimer(t, d)
}

func (s *faulty) StopTimer(t *schedulers.Timer) bool {
	switch s.fault {
	case faultDoesNotStopTimers:
		return true
	case faultSaysTrueOfExpiredTimers:
		s.timerQueue.StopTimer(t)
		return true
	}
	return s.timerQueue.StopTimer(t)
}
