// Package stats turns the trials of a workload into the printed figures: medians with
// their spread, and ratios.
package stats

import (
	"cmp"
	"slices"
)

// Spread is the median of several values, with the smallest and the largest of them. For three or
// five rounds, finer statistics would be meaningless.
type Spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// Over returns the spread of values; ok is false if there are none.
func Over(values []float64) (s Spread, ok bool) {
	if len(values) == 0 {
		return s, false
	}
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	n := len(sorted)
	return Spread{
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Least:  sorted[0],
		Most:   sorted[n-1],
	}, true
}

// Median returns the median of values, 0 if there are none.
func Median(values []float64) float64 {
	s, _ := Over(values)
	return s.Median
}
