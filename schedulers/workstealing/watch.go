package workstealing

import (
	"time"

	"github.com/movenext/movenext/internal/interleave"
)

// watch takes processors from workers whose work blocks without announcing it, as sysmon
// does in Go's runtime. It is guarded by Scheduler.mu.
//
// While no processor is idle, a timer is set. If a whole interval passes in which no worker
// has begun or ended work, and work is queued, the processors are given to new workers.
// Work that computes for long loses its processor too, as a goroutine does; in the worst
// case there is one goroutine per work item.
type watch struct {
	timeout      time.Duration
	timer        *interleave.Timer
	armed        bool
	lastProgress uint64 // progress when the interval began
}

// arm begins an interval, unless one has begun; mu is held. It is called when the last
// idle processor is taken.
func (s *Scheduler) arm() {
	if s.ending.Reached() || s.watch.armed || s.watch.timeout <= 0 {
		return
	}
	s.watch.armed = true
	s.watch.lastProgress = s.progress()
	if s.watch.timer == nil {
		s.watch.timer = interleave.AfterFunc(s.watch.timeout, s.look)
		return
	}
	s.watch.timer.Reset(s.watch.timeout)
}

// look checks for progress when an interval has passed.
func (s *Scheduler) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch.armed = false
	if s.ending.Reached() || s.idle.Load() > 0 {
		return
	}
	if s.progress() == s.watch.lastProgress && s.anyQueued() {
		s.retake()
	}
	s.arm()
}

// retake hands off all processors whose workers are in the middle of work; mu is held.
func (s *Scheduler) retake() {
	for _, p := range s.procs {
		if w := p.held; w != nil {
			s.handOn(w, Retaken)
		}
	}
}

// progress returns a number that grows when a worker begins or ends work; mu is held.
func (s *Scheduler) progress() (sum uint64) {
	for _, w := range s.workers {
		sum += w.loop.Steps()
	}
	return sum
}
