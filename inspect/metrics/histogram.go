package metrics

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// buckets is the number of buckets of each histogram. The bounds are powers of two: the
// first is 1 (a microsecond, or one), the last 2²⁶ (67 seconds).
const buckets = 28

// Histogram counts values in buckets, in the way of package runtime/metrics: bucket i
// has those from Bounds[i-1] up to, and without, Bounds[i].
type Histogram struct {
	Bounds []float64 // of all buckets but the last, which has no upper one
	Counts []uint64
	Sum    float64 // of all values
}

// Count returns the number of values.
func (h Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Quantile returns a bound that the part q of all values, from 0 to 1, does not exceed:
// the upper bound of the bucket in which that part is reached. It is the largest bound of
// all for the last bucket, and 0 without values.
func (h Histogram) Quantile(q float64) float64 {
	all := h.Count()
	if all == 0 || len(h.Bounds) == 0 {
		return 0
	}
	var below uint64
	for i, c := range h.Counts[:len(h.Bounds)] {
		if below += c; float64(below) >= q*float64(all) && below > 0 {
			return h.Bounds[i]
		}
	}
	return h.Bounds[len(h.Bounds)-1]
}

// histogram is a Histogram that is being filled.
type histogram struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Uint64
}

// add counts a number.
func (h *histogram) add(n uint64) { h.addTo(n, n) }

// time counts a duration. One that is below zero, by a clock that has jumped, counts as
// zero.
func (h *histogram) time(d time.Duration) {
	d = max(0, d)
	h.addTo(uint64(d/time.Microsecond), uint64(d))
}

func (h *histogram) addTo(bucket, value uint64) {
	h.counts[min(bits.Len64(bucket), buckets-1)].Add(1)
	h.sum.Add(value)
}

// times and numbers are the bounds of the two kinds of histograms.
var timeBounds, numberBounds = bounds(1e-6), bounds(1)

func bounds(unit float64) []float64 {
	all := make([]float64, buckets-1)
	for i := range all {
		all[i] = unit * float64(uint64(1)<<i)
	}
	return all
}

// seconds returns a histogram of durations, with counts that are multiplied.
func (h *histogram) seconds(by uint64) Histogram { return h.read(timeBounds, by, 1e-9) }

// numbers is seconds for numbers.
func (h *histogram) numbers(by uint64) Histogram { return h.read(numberBounds, by, 1) }

func (h *histogram) read(bounds []float64, by uint64, unit float64) Histogram {
	r := Histogram{Bounds: bounds, Counts: make([]uint64, buckets), Sum: float64(h.sum.Load()) * float64(by) * unit}
	for i := range h.counts {
		r.Counts[i] = h.counts[i].Load() * by
	}
	return r
}
