package ambient

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Clock is the clock of a scheduler whose [schedulers.Timers] do not show real time.
type Clock interface {
	// Now returns the time that has passed since the scheduler was made.
	Now() time.Duration
}

// ClockOf returns the clock of a home's timers, or nil if they show real time. It does not block.
func ClockOf(home *schedulers.Home) Clock {
	s := home.Scheduler
	for s != nil {
		if _, ok := s.(schedulers.Timers); !ok {
			return nil // as in Timers: those of the Go runtime
		}
		if c, ok := s.(Clock); ok {
			return c
		}
		l, ok := s.(schedulers.Layered)
		if !ok {
			return nil
		}
		s = l.Beneath()
	}
	return nil
}

// zone marks the times of clocks that are not real. Adding to a time keeps it.
var zone = time.FixedZone("UTC", 0)

// began is the time at which clocks that are not real begin. It is near to the real time, so that
// time.Until of a deadline is a sensible duration.
var began = time.Now().Round(0).In(zone)

// TimeOf returns a reading of a clock as a time: all clocks begin at the same.
func TimeOf(reading time.Duration) time.Time { return began.Add(reading) }

// TimeUntil returns how long it is until t, by c. A time that is none of [TimeOf] has been
// computed from time.Now, which shows no other clock than the real one: what counts is then how
// far it is in the future. It is rounded, since some time has passed since that call, and the same
// computation should have the same result in each run of a simulation.
func TimeUntil(t time.Time, c Clock) time.Duration {
	if t.Location() == zone {
		return t.Sub(TimeOf(c.Now()))
	}
	d := time.Until(t)
	if d >= time.Millisecond {
		d = d.Round(time.Millisecond)
	}
	return d
}
