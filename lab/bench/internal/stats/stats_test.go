package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMedianIsInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Spread
	}{
		{[]float64{5}, Spread{5, 5, 5}},
		{[]float64{9, 1}, Spread{5, 1, 9}},
		{[]float64{3, 1, 100}, Spread{3, 1, 100}},
		{[]float64{4, 3, 2, 1}, Spread{2.5, 1, 4}},
	} {
		got, ok := Over(c.values)
		require.True(t, ok)
		assert.Equal(t, c.want, got)
	}
	_, ok := Over(nil)
	assert.False(t, ok)
	assert.Zero(t, Median(nil))
}

func TestValuesKeepTheirOrder(t *testing.T) {
	values := []float64{3, 1, 2}
	Median(values)
	assert.Equal(t, []float64{3, 1, 2}, values)
}

func took(ns float64) childproc.Result {
	return childproc.Result{Sample: measure.Sample{Ops: 10, Time: ns, PeakMemory: usage.Unknown}, Foreign: -1}
}

func work(contenders ...string) *suite.Work {
	w := &suite.Work{ID: "W0", Title: "nothing", Op: "op", Bases: []string{contenders[0]}}
	for _, name := range contenders {
		w.Contenders = append(w.Contenders, suite.Contender{Name: name, Note: "note on " + name})
	}
	return w
}

// The machine is twice as slow in the second round and three times in the third: the
// ratio of the medians would be the same, and the median of the ratios shows what
// happened in each round.
func TestARatioIsOneWithinARound(t *testing.T) {
	table := Of(work("base", "own"), []Round{
		{"base": took(100), "own": took(50)},
		{"base": took(200), "own": took(120)},
		{"base": took(300), "own": took(120)},
	}, nil)
	require.Len(t, table.Rows, 2)
	own := table.Rows[0]
	assert.Equal(t, "own", own.Contender)
	assert.Equal(t, Spread{120, 50, 120}, own.Time)
	assert.Equal(t, []Spread{{0.5, 0.4, 0.6}}, own.Ratios)
	assert.Equal(t, Spread{-80, -180, -50}, own.Added)
	assert.Equal(t, []Spread{{1, 1, 1}}, table.Rows[1].Ratios)
}

func TestARoundWithoutTheBaseHasNoRatio(t *testing.T) {
	table := Of(work("base", "own"), []Round{
		{"own": took(7)},
		{"base": took(10), "own": took(5)},
	}, nil)
	assert.Equal(t, []Spread{{0.5, 0.5, 0.5}}, table.Rows[0].Ratios)
	table = Of(work("base", "own"), []Round{{"own": took(7)}}, map[string]string{"base": "crashed"})
	assert.Equal(t, []Spread{{}}, table.Rows[0].Ratios)
}

func TestAContenderThatFailsComesLastAndSaysWhy(t *testing.T) {
	table := Of(work("broken", "slow", "quick", "absent"), []Round{{"slow": took(9), "quick": took(1)}}, map[string]string{"broken": "wrong result"})
	var names []string
	for _, row := range table.Rows {
		names = append(names, row.Contender)
	}
	assert.Equal(t, []string{"quick", "slow", "broken"}, names)
	assert.Equal(t, "wrong result", table.Rows[2].Failed)
	assert.Equal(t, "note on broken", table.Rows[2].Note)
}

func TestFiguresAreMediansOverTheRounds(t *testing.T) {
	round := func(k float64) Round {
		return Round{"own": {
			Sample: measure.Sample{
				Ops: 10, Time: k, CPU: 2 * k, Bytes: 3 * k, Allocs: 4 * k,
				BaseMemory: 1000, PeakMemory: 1000 + int64(100*k),
				Values: map[string]float64{"sheep": 5 * k},
			},
			Foreign: k / 10,
		}}
	}
	row := Of(work("own"), []Round{round(1), round(9), round(2)}, nil).Rows[0]
	assert.Equal(t, []float64{4, 6, 8}, []float64{row.CPU, row.Bytes, row.Allocs})
	assert.Equal(t, 20.0, row.Memory)
	assert.Equal(t, 1200.0, row.Peak)
	assert.Equal(t, map[string]float64{"sheep": 10}, row.Values)
	assert.Equal(t, 1, row.Disturbed, "only in one of the rounds did others use a quarter of a processor")
	assert.Equal(t, 10, row.Ops)
}

func TestMemoryThatIsNotKnownIsNotZero(t *testing.T) {
	row := Of(work("own"), []Round{{"own": took(1)}}, nil).Rows[0]
	assert.EqualValues(t, usage.Unknown, row.Peak)
	assert.EqualValues(t, usage.Unknown, row.Memory)
}
