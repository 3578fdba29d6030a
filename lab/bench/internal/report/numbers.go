// Package report writes tables in Markdown.
package report

import (
	"math"
	"strconv"
	"strings"
)

// unknown replaces a missing figure.
const unknown = "–"

// Number returns v with three significant digits, and spaces between thousands.
func Number(v float64) string {
	size := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return unknown
	case size >= 99.95:
		return groupDigits(strconv.FormatFloat(v, 'f', 0, 64))
	case size >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case size >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case size >= 0.0005:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return "0"
}

// groupDigits puts a space, one that does not break the line, before each three digits from the
// right.
func groupDigits(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, parts...), "\u00a0")
}

// known is Number for a figure that is negative if unknown.
func known(v float64) string {
	if v < 0 {
		return unknown
	}
	return Number(v)
}

// megabytes is known in units of a million.
func megabytes(v float64) string {
	if v < 0 {
		return unknown
	}
	return Number(v / 1e6)
}
