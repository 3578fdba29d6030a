// Package nanos converts times into the numbers that stores keep: nanoseconds since 1970 in 64
// bits, which cover the years 1677 to 2262.
package nanos

import (
	"math"
	"time"
)

var first, last = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// Of returns t in nanoseconds since 1970, or the nearest number if t is out of range.
//
// [time.Time.UnixNano] wraps around there: the end of a wait of 300 years would lie in the past,
// and its instance would be due at once, again and again.
func Of(t time.Time) int64 {
	switch {
	case t.Before(first):
		return math.MinInt64
	case t.After(last):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// Nullable is [Of] for a time that may be zero, for which it returns nil: NULL in a database.
func Nullable(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := Of(t)
	return &n
}

// Time is the inverse of [Nullable]: it returns the time, in UTC, that n stands for.
func Time(n *int64) time.Time {
	if n == nil {
		return time.Time{}
	}
	return time.Unix(0, *n).UTC()
}
