package schedulertest

import (
	"runtime"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// This file holds the optional methods of a faulty scheduler.

func (f *faulty) MaxConcurrency() int { return limit }

func (f *faulty) MayRunInPlace(w schedulers.Work, by schedulers.Worker) bool {
	if f.is(faultWaitsInMayRunInPlace) {
		f.wait()
	}
	if f.is(faultDropsWhatMayRunInPlace) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.queue = slices.DeleteFunc(f.queue, func(q schedulers.Work) bool { return q == w })
	}
	if f.is(faultAssertsTheWorkerItIsAskedAbout) {
		return by.(*hand).scheduler == f
	}
	h, ok := by.(*hand)
	return ok && h != nil && h.scheduler == f
}

// wait waits until no work runs.
func (f *faulty) wait() {
	for {
		f.mu.Lock()
		idle := f.running == 0
		f.mu.Unlock()
		if idle {
			return
		}
		runtime.Gosched()
	}
}

func (f *faulty) Snapshot() []schedulers.Work {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.is(faultShowsItsOwnQueueAsTheSnapshot):
		return f.queue
	case f.is(faultLeavesWorkOutOfTheSnapshot):
		return slices.Clone(f.queue[:len(f.queue)/2])
	}
	return slices.Clone(f.queue)
}

func (f *faulty) Metrics() schedulers.Metrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := schedulers.Metrics{
		Submitted: uint64(f.submitted), Refused: uint64(f.refused), Abandoned: uint64(f.abandoned),
		Completed: uint64(f.completed), Panicked: uint64(f.panicked), Queued: uint64(len(f.queue)),
		Workers: uint64(f.running),
	}
	m.Running = m.Submitted - m.Completed - m.Abandoned - m.Queued
	switch f.fault {
	case faultCountsRefusalsAsSubmissions:
		m.Submitted += m.Refused
	case faultCountsWhatRunsAsQueued:
		m.Queued += m.Running
	case faultForgetsToCountWhatItAbandons:
		m.Abandoned = 0
	}
	return m
}

func (f *faulty) StartTimer(t *schedulers.Timer, d time.Duration) {
	f.mu.Lock()
	again := f.armed[t]
	f.armed[t] = true
	count := len(f.armed)
	f.mu.Unlock()
	switch {
	case f.is(faultExpiresInStartTimer) && d <= 0:
		t.OnExpire.Expire(t)
		return
	case f.is(faultArmsATimerOnce) && again, f.is(faultHasNoTimersOfZero) && d <= 0:
		return
	case f.is(faultExpiresEarly):
		d /= 2
	case f.is(faultExpiresTheNewestFirst):
		d -= time.Duration(count)
	}
	f.timerQueue.StartTimer(t, d)
}

func (f *faulty) StopTimer(t *schedulers.Timer) bool {
	switch f.fault {
	case faultDoesNotStopTimers:
		return true
	case faultSaysTrueOfExpiredTimers:
		f.timerQueue.StopTimer(t)
		return true
	}
	return f.timerQueue.StopTimer(t)
}
