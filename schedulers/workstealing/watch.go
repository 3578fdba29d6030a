package workstealing

import (
	"time"

	"github.com/movenext/movenext/internal/runloop"
)

// watch takes processors from workers whose work blocks without announcing it, as sysmon
// does in Go's runtime. It is guarded by Scheduler.mu.
//
// While no processor is idle, a timer is set. If a whole interval passes in which no worker
// has begun or ended work, and work is queued, the processors are given to new workers.
// Work that computes for long loses its processor too, as a goroutine does; in the worst
// case there is one goroutine per work item.
type watch struct {
	runloop.Watch
	timeout time.Duration // <= 0: never
}

// startWatch begins an interval, unless one has begun; mu is held. It is called when the last
// idle processor is taken.
func (s *Scheduler) startWatch() {
	if s.shutdown.Finished() || s.watch.Armed() || s.watch.timeout <= 0 {
		return
	}
	s.watch.LastProgress = s.progress()
	s.watch.Arm(s.watch.timeout)
}

// checkProgress checks for progress when an interval has passed.
func (s *Scheduler) checkProgress() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch.End()
	if s.shutdown.Finished() || s.idle.Load() > 0 {
		return
	}
	if s.progress() == s.watch.LastProgress && s.anyQueued() {
		s.retake()
	}
	s.startWatch()
}

// retake hands off all processors whose workers are in the middle of work; mu is held.
func (s *Scheduler) retake() {
	for _, p := range s.procs {
		if w := p.holder; w != nil {
			s.handOff(w, Retaken)
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
