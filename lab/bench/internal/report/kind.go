package report

import (
	"slices"
	"strings"

	"github.com/movenext/movenext/lab/bench/internal/plot"
)

// Ours reports whether the contender is this library.
func Ours(contender string) bool { return strings.HasPrefix(contender, "movenext") }

// Kind returns how a plot shows the contender. bases are those to which its work's ratios refer.
func Kind(contender string, bases []string) plot.Kind {
	switch {
	case Ours(contender):
		return plot.Ours
	case slices.Contains(bases, contender):
		return plot.Plain
	}
	return plot.Other
}
