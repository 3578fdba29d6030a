package standings

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/benchmarks/contest"
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
		target contest.Target
		want   float64
	}{
		{contest.Target{Figure: contest.Ratio, Base: "base"}, 0.5},
		{contest.Target{Figure: contest.More, Base: "base"}, -8},
		{contest.Target{Figure: contest.PeakRatio, Base: "base"}, 0.25},
		{contest.Target{Figure: contest.PeakMB}, 3},
		{contest.Target{Figure: contest.Allocated}, 7},
		{contest.Target{Figure: contest.Reported, Unit: "u"}, 4},
	} {
		c.target.Contender = "own"
		w.Targets = []contest.Target{c.target}
		got := table.Targets(w)
		require.Len(t, got, 1)
		assert.Equal(t, Reached{Work: "W0", Target: c.target, Value: c.want, Known: true}, got[0])
	}
	for _, unknown := range []contest.Target{
		{Contender: "broken", Base: "base", Figure: contest.Ratio},
		{Contender: "own", Base: "broken", Figure: contest.Ratio},
		{Contender: "own", Figure: contest.Reported, Unit: "other"},
	} {
		w.Targets = []contest.Target{unknown}
		assert.Equal(t, "unknown", table.Targets(w)[0].Verdict())
	}
	w.Targets = []contest.Target{{Contender: "not measured"}}
	assert.Empty(t, table.Targets(w))
}

func TestAVerdictIsTheBestThatWasReached(t *testing.T) {
	for value, want := range map[float64]string{0.5: "goal", 1: "goal", 1.5: "ship", 2: "ship", 3: "missed"} {
		r := Reached{Target: contest.Target{Ship: 2, Goal: 1}, Value: value, Known: true}
		assert.Equal(t, want, r.Verdict())
	}
}
