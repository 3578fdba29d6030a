// Package nanos turns times into the numbers that stores keep: nanoseconds since 1970 in 64 bits,
// which reach from 1677 to 2262.
package nanos

import (
	"math"
	"time"
)

var first, last = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// Of is t in nanoseconds since 1970, or the nearest number if t is beyond the range.
//
// [time.Time.UnixNano] wraps around there: the end of a wait of 300 years would be a time in the
// past, and its instance due at once, again and again.
func Of(t time.Time) int64 {
	switch {
	case t.Before(first):
		return math.MinInt64
	case t.After(last):
		return math.MaxInt64
	}
	return t.UnixNano()
}
