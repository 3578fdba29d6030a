package report

import (
	"slices"
	"strings"

	"github.com/movenext/movenext/benchmarks/internal/plot"
)

// Ours reports whether the contender is this library.
func Ours(contender string) bool { return strings.HasPrefix(contender, "movenext") }

// Kind says how a plot shows the contender. bases are those that its work's ratios refer to.
func Kind(contender string, bases []string) plot.Kind {
	switch {
	case Ours(contender):
		return plot.Ours
	case slices.Contains(bases, contender):
		return plot.Plain
	}
	return plot.Other
}
