package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/lab/bench/suite"
)

func TestATargetIsComparedWithItsFigure(t *testing.T) {
	w := work("base", "own", "broken")
	rows := []Row{
		{Contender: "base", Memory: 100, Ratios: []Spread{{1, 1, 1}}},
		{Contender: "own", Memory: 25, Peak: 3e6, Bytes: 7, Ratios: []Spread{{0.5, 0.4, 0.6}}, Added: Spread{Median: -8}, Values: map[string]float64{"u": 4}},
		{Contender: "broken", Failed: "out of memory"},
	}
	table := &Table{ID: "W0", Bases: w.Bases, Rows: rows}
	for _, c := range []struct {
		target suite.Target
		want   float64
	}{
		{suite.Target{Figure: suite.Ratio, Base: "base"}, 0.5},
		{suite.Target{Figure: suite.More, Base: "base"}, -8},
		{suite.Target{Figure: suite.PeakRatio, Base: "base"}, 0.25},
		{suite.Target{Figure: suite.PeakMB}, 3},
		{suite.Target{Figure: suite.Allocated}, 7},
		{suite.Target{Figure: suite.Reported, Unit: "u"}, 4},
	} {
		c.target.Contender = "own"
		w.Targets = []suite.Target{c.target}
		got := table.Targets(w)
		require.Len(t, got, 1)
		assert.Equal(t, Reached{Work: "W0", Target: c.target, Value: c.want, Known: true}, got[0])
	}
	for _, unknown := range []suite.Target{
		{Contender: "broken", Base: "base", Figure: suite.Ratio},
		{Contender: "own", Base: "broken", Figure: suite.Ratio},
		{Contender: "own", Figure: suite.Reported, Unit: "other"},
	} {
		w.Targets = []suite.Target{unknown}
		assert.Equal(t, "unknown", table.Targets(w)[0].Verdict())
	}
	w.Targets = []suite.Target{{Contender: "not measured"}}
	assert.Empty(t, table.Targets(w))
}

func TestAVerdictIsTheBestThatWasReached(t *testing.T) {
	for value, want := range map[float64]string{0.5: "goal", 1: "goal", 1.5: "ship", 2: "ship", 3: "missed"} {
		r := Reached{Target: suite.Target{Ship: 2, Goal: 1}, Value: value, Known: true}
		assert.Equal(t, want, r.Verdict())
	}
}
