package rate

import (
	"math"
	"time"
)

// Limit is a rate, in events a second. Zero allows the tokens in the bucket and
// nothing more.
type Limit float64

// Inf is the rate without a limit: it allows everything, whatever the burst.
const Inf = Limit(math.MaxFloat64)

// forever is the longest duration.
const forever = time.Duration(math.MaxInt64)

// Every returns the rate of one event per interval; [Inf] for an interval of zero or
// less.
func Every(interval time.Duration) Limit {
	if interval <= 0 {
		return Inf
	}
	return 1 / Limit(interval.Seconds())
}

// duration returns how long the given tokens take.
func (l Limit) duration(tokens float64) time.Duration {
	if l <= 0 {
		return forever
	}
	d := tokens / float64(l) * float64(time.Second)
	if d >= float64(forever) {
		return forever
	}
	return time.Duration(d)
}

// tokens returns how many tokens come in d.
func (l Limit) tokens(d time.Duration) float64 {
	if l <= 0 {
		return 0
	}
	return d.Seconds() * float64(l)
}
