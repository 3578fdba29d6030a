// Package histogram counts values in buckets whose bounds are powers of two, and writes the
// counts in the text format of Prometheus. Packages durable and inspect/metrics use it.
//
// Counting takes two additions and no lock. With powers of two the bucket of a value is the
// number of its bits, so no bounds are searched. A quantile is known up to a factor of two,
// which is enough to notice changes.
package histogram

import (
	"bufio"
	"fmt"
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"
)

// buckets is the number of buckets of each histogram. The first bound is 1 (a microsecond,
// or the number 1), the last 2²⁶ (67 seconds).
const buckets = 28

// Histogram counts values. The zero value is ready for use. Its methods are safe for
// concurrent use, and do not block.
type Histogram struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Uint64
}

// Add counts a number.
func (h *Histogram) Add(n uint64) { h.add(n, n) }

// AddTime counts a duration. A negative one, from a clock that has jumped, counts as zero.
func (h *Histogram) AddTime(d time.Duration) {
	d = max(0, d)
	h.add(uint64(d/time.Microsecond), uint64(d))
}

func (h *Histogram) add(bucket, value uint64) {
	h.counts[min(bits.Len64(bucket), buckets-1)].Add(1)
	h.sum.Add(value)
}

// Values is a copy of a histogram's counts: bucket i has the values from Bounds[i-1] up to,
// but not including, Bounds[i]. All Values of a kind share their Bounds.
type Values struct {
	Bounds []float64 // upper bounds of all buckets but the last, which has none
	Counts []uint64
	Sum    float64 // of all values
}

var timeBounds, numberBounds = bounds(1e-6), bounds(1)

func bounds(unit float64) []float64 {
	all := make([]float64, buckets-1)
	for i := range all {
		all[i] = unit * float64(uint64(1)<<i)
	}
	return all
}

// Seconds returns the durations that were counted. Each counts weight times, since a sample of
// one in n stands for n.
func (h *Histogram) Seconds(weight uint64) Values { return h.read(timeBounds, weight, 1e-9) }

// Numbers is [Histogram.Seconds] for numbers.
func (h *Histogram) Numbers(weight uint64) Values { return h.read(numberBounds, weight, 1) }

func (h *Histogram) read(bounds []float64, weight uint64, unit float64) Values {
	v := Values{Bounds: bounds, Counts: make([]uint64, buckets), Sum: float64(h.sum.Load()) * float64(weight) * unit}
	for i := range h.counts {
		v.Counts[i] = h.counts[i].Load() * weight
	}
	return v
}

// Write writes v as the metric name in Prometheus's text format, version 0.0.4. labels are
// added to each line, in the form name="value", or empty. b keeps the first error.
func (v Values) Write(b *bufio.Writer, name, labels string) {
	inBraces, before := "", ""
	if labels != "" {
		inBraces, before = "{"+labels+"}", labels+","
	}
	n := uint64(0)
	for i, count := range v.Counts {
		bound := "+Inf"
		if i < len(v.Bounds) {
			bound = number(v.Bounds[i])
		}
		n += count
		fmt.Fprintf(b, "%s_bucket{%sle=%q} %d\n", name, before, bound, n)
	}
	fmt.Fprintf(b, "%s_sum%s %s\n%s_count%s %d\n", name, inBraces, number(v.Sum), name, inBraces, n)
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
