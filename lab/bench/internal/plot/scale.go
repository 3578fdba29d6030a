package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// scale maps values to pixels, logarithmically.
type scale struct {
	least, most float64 // of the values
	from, to    float64 // pixels
}

// places returns a scale from the least value to the greatest, and the values on it: for an axis
// of sizes that were chosen.
func places(values []float64, from, to float64) (s scale, marks []float64) {
	marks = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(marks) < 2 {
		return newScale(values, from, to), marks
	}
	return scale{marks[0], marks[len(marks)-1], from, to}, marks
}

// newScale returns a scale over whole decades around the values that are greater than
// zero; others have no place on it.
func newScale(values []float64, from, to float64) scale {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if least > most {
		least, most = 1, 1
	}
	s := scale{decade(math.Floor(math.Log10(least))), decade(math.Ceil(math.Log10(most))), from, to}
	if s.least == s.most {
		s.most *= 10
	}
	return s
}

func decade(exponent float64) float64 { return math.Pow(10, exponent) }

// position returns the pixel of v; what is off the scale is put on its edge.
func (s scale) position(v float64) float64 {
	v = min(max(v, s.least), s.most)
	part := math.Log(v/s.least) / math.Log(s.most/s.least)
	return s.from + part*(s.to-s.from)
}

// decades returns the powers of ten on the scale.
func (s scale) decades() (all []float64) {
	for e := math.Round(math.Log10(s.least)); decade(e) <= s.most*1.001; e++ {
		all = append(all, decade(e))
	}
	return all
}

// Short writes a number for an axis: 10k, 2.5M.
func Short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return digits(v/unit.size) + unit.name
		}
	}
	return digits(v)
}

func digits(v float64) string {
	precision := 0
	switch {
	case v < 0.1:
		precision = 3
	case v < 1:
		precision = 2
	case v < 10:
		precision = 1
	}
	text := strconv.FormatFloat(v, 'f', precision, 64)
	if precision > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
