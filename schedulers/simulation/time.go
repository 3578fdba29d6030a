package simulation

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// # Time
//
// Time passes in two ways. When nothing can run, the clock jumps to the next timer. And
// if steps take time ([StepTime]), a choice may find that the last steps have taken so
// long that a timer is due: time passes early. How long a step has taken is left open
// until then: slack is the longest time that the steps since the last timer can have
// taken together.
//
// # Rounds
//
// A ticker is always about to be due. If time passed early without a limit, a strategy
// that prefers it, as PCT does for a whole schedule, would let the ticker tick for ever,
// and work that is ready would never run. So time that passes early does so in rounds:
//
//   - A round begins when time passes early and no round is open. It marks the turns that
//     are ready.
//   - In a round, time passes early at most maxEarly times. After that, it passes only
//     when nothing can run.
//   - A round ends when no marked turn is left: each was chosen, or withdrawn.
//
// Claim: while a turn is ready, time passes at most 2·maxEarly times. Proof: time passes
// early then, since something can run. If a round is open when the turn becomes ready, at
// most maxEarly times are left in it. The next one marks the turn, so it is open for as
// long as the turn is ready, and has maxEarly times. When these are over, no timer makes
// anything else ready. So a turn waits only for turns that become possible without any
// timer, and to be fair among those is the strategy's part.
//
// It also follows that only a limited number of ticks can come before a given amount of
// work is done, so a search through a program with a ticker can be complete.
//
// Two rules look simpler. The first is that only timers that were set before a turn
// became ready may be due before it. Then a test that starts work, sleeps for a second
// and looks at the result would never find the work unfinished: the work became ready
// before the timer was set. The second is a limit without rounds, until nothing can run.
// Then the clock of a program that is never idle would stop.

// maxEarly is how often time passes early in a round. It is also how many sleeps, one
// after the other, are too short in some schedule: those of a loop that polls.
const maxEarly = 8

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
	return ok && at-s.clock.Now() <= s.slack && (s.early < maxEarly || !s.ready.markedLeft())
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
	if !s.ready.markedLeft() {
		s.ready.mark()
		s.early = 0
	}
	s.early++
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
