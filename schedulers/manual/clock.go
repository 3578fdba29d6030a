package manual

import (
	"math"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Now returns the reading of the clock: the sum of all calls of [Scheduler.Advance].
func (s *Scheduler) Now() time.Duration { return s.clock.Now() }

// Next returns when the earliest timer is due, as a reading of the clock, or false if
// none is armed.
func (s *Scheduler) Next() (at time.Duration, ok bool) { return s.clock.Next() }

// Advance moves the clock by d and calls the timers that become due on the way, in the
// order of their times, each when the clock shows its time. The work that they submit
// is queued, not run. It returns the number of those timers. A negative d does not move
// the clock, and the clock stops after 292 years.
func (s *Scheduler) Advance(d time.Duration) int {
	limit := s.clock.Now() + max(0, d)
	if limit < s.clock.Now() {
		limit = math.MaxInt64
	}
	n := 0
	for t := s.clock.Due(limit); t != nil; t = s.clock.Due(limit) {
		t.OnExpire.Expire(t)
		n++
	}
	return n
}

// StartTimer implements [schedulers.Timers] on the scheduler's clock: the timer expires
// inside an Advance. Of equal times, the first armed expires first.
func (s *Scheduler) StartTimer(t *schedulers.Timer, d time.Duration) { s.clock.StartTimer(t, d) }

// StopTimer implements [schedulers.Timers].
func (s *Scheduler) StopTimer(t *schedulers.Timer) bool { return s.clock.StopTimer(t) }
