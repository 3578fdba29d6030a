package simulation

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// # Time
//
// Time passes in two ways. When nothing can run, the clock jumps to the next timer. And
// if steps take time ([StepTime]), a choice may find that the last steps have taken so
// long that a timer is due. How long a step has taken is left open until then: slack is
// the longest time that the steps since the last timer can have taken together.

// timerSet reports whether time can pass; mu is held.
func (s *Scheduler) timerSet() bool {
	_, ok := s.clock.Next()
	return ok
}

// timerRaces reports whether a timer may be due before the next step; mu is held.
func (s *Scheduler) timerRaces() bool {
	if s.stepTime <= 0 {
		return false
	}
	at, ok := s.clock.Next()
	return ok && at-s.clock.Now() <= s.slack
}

// passTime moves the clock to the next instant at which a timer is due, and reports
// whether one was set; mu is held. The timers of that instant can now expire in any
// order.
func (s *Scheduler) passTime() bool {
	at, ok := s.clock.Next()
	if !ok {
		return false
	}
	s.slack = max(0, s.slack-(at-s.clock.Now()))
	s.due(at)
	return true
}

// advanceClock is passTime for a driver.
func (s *Scheduler) advanceClock() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passTime()
}

// collectDueTimers makes timers ready that were armed with no time left; mu is held.
func (s *Scheduler) collectDueTimers() {
	if s.overdue {
		s.overdue = false
		s.due(s.clock.Now())
	}
}

// due makes the timers ready that are due by then; mu is held.
//
// When a timer expires is a choice of its own if the order matters: a step may stop the timer
// first, or see what the expiry does. It does not matter for the sleep of a machine whose context
// never ends. Nothing can stop that, and its expiry only makes the machine ready. So expiry and
// step are one turn: that the machine is woken now and continues later is the same as that it is
// woken later. This halves the number of choices of a program that ticks.
//
// It is tempting to wake such machines here, and to let their steps be chosen. Then the machine
// has left the processor's cache by the time of its step, and is fetched from memory twice.
func (s *Scheduler) due(at time.Duration) {
	for t := s.clock.Due(at); t != nil; t = s.clock.Due(at) {
		if w, is := t.OnExpire.(sleeper); is {
			s.enqueue(turn{kind: Begin, asleep: true, what: w})
		} else {
			s.enqueue(turn{kind: Expire, what: t})
		}
	}
	s.now.Store(int64(s.clock.Now()))
}

// sleeper is an expirer that only submits a work item, which it does without its timer. That is
// never stopped.
type sleeper interface {
	schedulers.Expirer
	ExpiryOnlySubmits()
}

// StartTimer implements [schedulers.Timers] with virtual time. Timers of one instant
// expire in any order.
func (s *Scheduler) StartTimer(t *schedulers.Timer, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock.StartTimer(t, d)
	s.overdue = s.overdue || d <= 0
}

// StopTimer implements [schedulers.Timers].
func (s *Scheduler) StopTimer(t *schedulers.Timer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Slot < 0 { // it is due, and not its turn yet
		s.ready.remove(-t.Slot)
		return true
	}
	return s.clock.StopTimer(t)
}
