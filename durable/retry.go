package durable

import (
	"errors"
	"time"
)

// Retry says how often a step that returns an error is tried, and how long the pauses are. The
// zero value tries once. Attempts that ended in a crash of the process do not count as failures.
type Retry struct {
	Attempts int           // the most failures; 0 and 1: one
	First    time.Duration // before the second attempt; 0: one second
	Factor   float64       // of a pause to the one before; 0: two
	Most     time.Duration // the longest pause; 0: one hour
	Timeout  time.Duration // of one attempt: its context ends; 0: none

	// Heartbeat is how long an attempt may go without a call of [Heartbeat]: then its
	// context ends, and its error is ErrNoHeartbeat as well. 0: forever.
	Heartbeat time.Duration

	// Never are errors after which the step is not tried again, as errors.Is finds
	// them. Those of [Permanent] never are.
	Never []error
}

// again reports whether a step that has failed this often is tried again, and after what
// pause.
func (r Retry) again(err error, failures int) (pause time.Duration, ok bool) {
	if failures >= r.Attempts || errors.As(err, new(permanent)) {
		return 0, false
	}
	for _, never := range r.Never {
		if errors.Is(err, never) {
			return 0, false
		}
	}
	pause, most, factor := r.First, r.Most, r.Factor
	if pause <= 0 {
		pause = time.Second
	}
	if most <= 0 {
		most = time.Hour
	}
	if factor <= 0 {
		factor = 2
	}
	for range failures - 1 {
		next := float64(pause) * factor
		if next >= float64(most) {
			return most, true
		}
		pause = max(1, time.Duration(next)) // a factor below one ends at a nanosecond
	}
	return min(pause, most), true
}
