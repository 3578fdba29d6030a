package durable

import (
	"errors"
	"time"
)

// Retry sets how often a step that returns an error is tried, and the pauses between attempts.
// The zero value tries once. Attempts that ended in a crash of the process do not count as
// failures.
type Retry struct {
	Attempts int           // the maximum number of failures; 0 and 1: one
	First    time.Duration // before the second attempt; 0: one second
	Factor   float64       // ratio of a pause to the previous one; 0: two
	Most     time.Duration // the longest pause; 0: one hour
	Timeout  time.Duration // of one attempt, whose context then ends; 0: none

	// Heartbeat is the longest time that an attempt may go without a call of [Heartbeat]. After
	// that its context ends, and its error also matches ErrNoHeartbeat. 0: forever.
	Heartbeat time.Duration

	// Never lists errors, found with errors.Is, after which the step is not retried. Steps are
	// never retried after errors marked by [Permanent].
	Never []error
}

// next reports whether a step with this many failures is tried again, and after which pause.
func (r Retry) next(err error, failures int) (pause time.Duration, ok bool) {
	if failures >= r.Attempts || errors.As(err, new(permanent)) {
		return 0, false
	}
	for _, never := range r.Never {
		if errors.Is(err, never) {
			return 0, false
		}
	}
	pause, limit, factor := r.First, r.Most, r.Factor
	if pause <= 0 {
		pause = time.Second
	}
	if limit <= 0 {
		limit = time.Hour
	}
	if factor <= 0 {
		factor = 2
	}
	for range failures - 1 {
		next := float64(pause) * factor
		if next >= float64(limit) {
			return limit, true
		}
		pause = max(1, time.Duration(next)) // a factor below one ends at a nanosecond
	}
	return min(pause, limit), true
}
