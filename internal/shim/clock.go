package shim

import (
	"time"

	"github.com/movenext/movenext/internal/timers"
	"github.com/movenext/movenext/schedulers"
)

// Clock provides the timers of a shim: those of the scheduler beneath or, if that has none,
// a separate queue. It implements [schedulers.Timers].
type Clock struct {
	beneath schedulers.Timers // nil: own
	own     timers.Queue
}

// SetOver makes the clock use the timers of over, if it has any. Call it before use.
func (c *Clock) SetOver(beneath schedulers.Scheduler) { c.beneath, _ = beneath.(schedulers.Timers) }

// StartTimer implements [schedulers.Timers].
func (c *Clock) StartTimer(t *schedulers.Timer, d time.Duration) {
	if c.beneath != nil {
		c.beneath.StartTimer(t, d)
		return
	}
	c.own.StartTimer(t, d)
}

// StopTimer implements [schedulers.Timers].
func (c *Clock) StopTimer(t *schedulers.Timer) bool {
	if c.beneath != nil {
		return c.beneath.StopTimer(t)
	}
	return c.own.StopTimer(t)
}
