package main

import (
	"math"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
)

// change describes how a contender's figure differs between the versions.
type change struct {
	work, contender string
	measure         suite.Measure
	old, new        float64      // medians: of a time, its ratio to the base
	factor          stats.Spread // ratio of the new to the old figure, pair by pair
	worse           bool
}

// The slack of figures that may be zero or nearly so: it is added to both sides of a quotient.
// With these values, the step from nothing to the smallest real cost (8 bytes, one object for
// each operation) counts, but the noise of the runtime's own allocations does not.
const (
	slackBytes  = 16.0
	slackAllocs = 0.5
	slackMemory = 4 << 20 // of a process: a collector that runs a little earlier or later
)

// judge compares a contender's figures in all pairs that have them. Times are divided by
// those of base.
func judge(work, contender, base string, guarded []suite.Measure, pairs []pair, tolerance float64) (all []change) {
	for _, measure := range append([]suite.Measure{suite.Time}, guarded...) {
		c := change{work: work, contender: contender, measure: measure}
		var olds, news, factors []float64
		for _, p := range pairs {
			older, ok := figure(measure, p.old, contender, base)
			newer, too := figure(measure, p.new, contender, base)
			if !ok || !too {
				continue
			}
			olds, news = append(olds, older.shown), append(news, newer.shown)
			factors = append(factors, newer.compared/older.compared)
		}
		factor, ok := stats.Over(factors)
		if !ok {
			continue
		}
		c.old, c.new, c.factor = stats.Median(olds), stats.Median(news), factor
		// Not greater or equal: the tolerance itself is allowed. And NaN must not pass as good.
		c.worse = !(factor.Median <= 1+tolerance)
		all = append(all, c)
	}
	return all
}

// compared is a figure as it is displayed, and as it is used in quotients.
type compared struct{ shown, compared float64 }

// figure returns one figure of a contender in a round; false if it has none.
func figure(measure suite.Measure, round stats.Round, contender, base string) (compared, bool) {
	own, ok := round[contender]
	if !ok {
		return compared{}, false
	}
	switch measure {
	case suite.Time:
		other, ok := round[base]
		ratio := own.Time / other.Time
		return compared{ratio, ratio}, ok && !math.IsNaN(ratio)
	case suite.Bytes:
		return compared{own.Bytes, own.Bytes + slackBytes}, true
	case suite.Allocs:
		return compared{own.Allocs, own.Allocs + slackAllocs}, true
	case suite.Memory:
		return memory(own)
	}
	return compared{}, false
}

func memory(r childproc.Result) (compared, bool) {
	used := float64(r.PeakMemory - r.BaseMemory)
	return compared{r.Memory(), used + slackMemory}, r.PeakMemory >= 0
}
