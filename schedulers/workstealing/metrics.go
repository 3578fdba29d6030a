package workstealing

import "github.com/movenext/movenext/schedulers"

// Metrics implements [schedulers.Meter]. Its counters are read one after the other, so
// they add up only while no work changes state.
func (s *Scheduler) Metrics() schedulers.Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := schedulers.Metrics{
		Submitted: s.count.global,
		Refused:   s.refused.Load(),
		Completed: s.count.longDone,
		Abandoned: s.count.abandoned,
		Panicked:  s.count.longPanicked,
		Queued:    uint64(s.global.Len()),
		Running:   s.count.longRunning,
		Workers:   uint64(s.count.alive),
	}
	s.lockQueues()
	for _, p := range s.procs {
		m.Submitted += p.accepted
		m.Queued += uint64(p.size.Load())
	}
	s.unlockQueues()
	for _, w := range s.workers {
		m.Completed += w.loop.Completed()
		m.Panicked += w.loop.Panicked()
		m.Stolen += w.stolen.Load()
		if w.loop.Busy() {
			m.Running++
		}
	}
	return m
}

// Snapshot implements [schedulers.Snapshotter].
func (s *Scheduler) Snapshot() (all []schedulers.Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = s.global.AppendTo(all)
	s.lockQueues()
	defer s.unlockQueues()
	for _, p := range s.procs {
		all = p.list(all)
	}
	return all
}
