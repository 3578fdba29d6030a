package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/stats"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNumbersHaveThreeDigitsThatMeanSomething(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0001: "0", 0.018: "0.018", 0.0999: "0.100", 0.35: "0.35", 1.0 / 3: "0.33", 9.99: "9.99",
		9.999: "10.0", 12.34: "12.3", 99.96: "100", 260.4: "260", 1234.5: "1\u00a0234", 30_600_000: "30\u00a0600\u00a0000",
		-4.2: "-4.20", -1234: "-1\u00a0234",
	} {
		assert.Equal(t, want, Number(v))
	}
	zero := 0.0
	assert.Equal(t, unknown, Number(1/zero))
	assert.Equal(t, unknown, Number(zero/zero))
}

func TestATableInMarkdown(t *testing.T) {
	var out strings.Builder
	Table(&out, stats.Table{
		ID: "W1", Title: "start jobs", Op: "job", Bases: []string{"goroutines", "future"}, Ops: 10,
		Rows: []stats.Row{{
			Contender: "movenext", Ops: 10,
			Time:   stats.Spread{Median: 100, Least: 90, Most: 110},
			Ratios: []stats.Spread{{Median: 0.5, Least: 0.4, Most: 0.6}, {}},
			CPU:    150, Bytes: 96, Allocs: 1, Memory: 120, Peak: 12.5e6,
			Values: map[string]float64{"threads": 2, "at once": 1}, Disturbed: 1,
		}, {
			Contender: "goroutines", Note: "a|b", Memory: -1, Peak: -1,
			Ratios: []stats.Spread{{Median: 1, Least: 1, Most: 1}, {Median: 1, Least: 1, Most: 1}},
		}, {
			Contender: "broken", Failed: "wrong\nresult",
		}},
	}, "W1.svg")
	assert.Equal(t, strings.TrimLeft(`
## W1: start jobs

![W1](W1.svg)

Operations of one run: 10.

| contender | ns/job | least – most | × goroutines | × future | CPU ns | B | allocs | peak B/job | peak MB | note |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
| **movenext** | 100 | 90.0 – 110 | 0.50 | – | 150 | 96.0 | 1.00 | 120 | 12.5 | at once: 1.00; threads: 2.00; 1 disturbed |
| goroutines | 0 | 0 – 0 | 1.00 | 1.00 | 0 | 0 | 0 | – | – | a\|b |
| broken | – | – | – | – | – | – | – | – | – | failed: wrong result |

`, "\n"), out.String())
}

func TestAWorkOfDifferencesShowsThem(t *testing.T) {
	var out strings.Builder
	Table(&out, stats.Table{
		ID: "W6d", Title: "call", Op: "call", Bases: []string{"plain"}, Added: true,
		Rows: []stats.Row{
			{Contender: "movenext", Added: stats.Spread{Median: 8.5}, Ratios: []stats.Spread{{Median: 4}}},
			{Contender: "broken", Failed: "x"},
		},
	}, "")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Contains(t, lines[4], "| ns more than plain |")
	assert.Contains(t, lines[6], "| 8.50 |")
	for _, line := range lines[4:] {
		assert.Equal(t, strings.Count(lines[4], "|"), strings.Count(line, "|"), line)
	}
	assert.NotContains(t, out.String(), "![")
}

func TestConditionsSayWhatWasScaledDown(t *testing.T) {
	c := Here()
	assert.NotEmpty(t, c.Machine)
	assert.Positive(t, c.Procs)
	c.Rounds, c.Reps, c.GOGC, c.Scale, c.Nap = 5, 3, "100", 1, time.Second
	var full, scaled strings.Builder
	c.Write(&full)
	assert.Contains(t, full.String(), "GOGC=100; medians of 5 rounds, each the best of 3 repetitions")
	assert.NotContains(t, full.String(), "scaled")
	c.Scale = 100
	c.Write(&scaled)
	assert.Contains(t, scaled.String(), "**scaled down by 100**")
}

func TestASeriesHasAColumnForEachSizeAndSaysWhatFailed(t *testing.T) {
	var out strings.Builder
	Series(&out, "ns/job", "jobs", []int{1000, 10_000}, []Line{
		{"movenext", []Cell{{Known: true, Value: 100}, {Known: true, Value: 90}}},
		{"goroutines", []Cell{{Known: true, Value: -1}, {Failed: "too\nmuch"}}},
		{"others", []Cell{{}, {}}},
	})
	assert.Equal(t, strings.ReplaceAll(strings.TrimLeft(`
| ns/job by jobs | 1_000 | 10_000 |
|---|--:|--:|
| **movenext** | 100 | 90.0 |
| goroutines | – | failed |
| others | – | – |

- goroutines with 10_000 jobs: too much
`, "\n"), "_", "\u00a0"), out.String())
}
