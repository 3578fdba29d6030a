package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/lab/bench/workloads"
)

// The test binary is its own child. One of the libraries starts goroutines when it is linked.
func TestMain(m *testing.M) {
	if childproc.Serve(os.Args[1:], os.Stdin, os.Stdout, workloads.All()) {
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

func TestAGrowthTableForEachAxisAndNumberOfProcessors(t *testing.T) {
	plots := filepath.Join(t.TempDir(), "plots")
	var out, log bytes.Buffer
	err := run(t.Context(), os.Args[0], []string{
		"-works", "W1,W7", "-contenders", "^movenext$", "-scale", "100000", "-rounds", "1", "-reps", "1", "-repeat=false",
		"-from", "10", "-to", "200", "-producers", "1,2", "-workers", "3", "-procs", "1,2", "-svg", plots,
	}, &out, &log)
	require.NoError(t, err, log.String())
	assert.Contains(t, out.String(), "| ns/job by jobs | 10 | 100 | 200 |\n")
	assert.Contains(t, out.String(), "| ns/job by producers | 1 | 2 |\n")
	assert.Contains(t, out.String(), "| ns/job by workers | 3 |\n")
	assert.Contains(t, out.String(), "\n# GOMAXPROCS=2\n")
	assert.NotContains(t, out.String(), "ns/link by workers", "a chain has no use for workers")
	assert.NotContains(t, out.String(), "failed")
	for _, name := range []string{"W1-jobs-p1", "W1-producers-p2", "W1-workers-p1", "W7-jobs-p2"} {
		assert.FileExists(t, filepath.Join(plots, name+".svg"))
	}
}

func TestAWorkloadThatIsTooLargeForAContenderIsLeftOut(t *testing.T) {
	work := &suite.Work{ID: "W0", Op: "op", Contenders: []suite.Contender{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	row := func(name string, ns float64) stats.Row {
		return stats.Row{Contender: name, Time: stats.Spread{Median: ns}, Peak: 5e6}
	}
	g := growth{work: work, axis: axes[0], sizes: []int{10, 100}, tables: []stats.Table{
		{Rows: []stats.Row{row("a", 1), row("b", 2)}},
		{Rows: []stats.Row{row("a", 3), {Contender: "b", Failed: "too much"}}},
	}}
	assert.Equal(t, []string{"a", "b"}, g.names(), "c never ran")
	var out bytes.Buffer
	require.NoError(t, g.print(&out, ""))
	assert.Contains(t, out.String(), "| a | 1.00 | 3.00 |\n| b | 2.00 | failed |\n")
	assert.Contains(t, out.String(), "- b with 100 jobs: too much\n")
	assert.Contains(t, out.String(), "| a | 5.00 | 5.00 |\n")
	p := g.picture()
	assert.Len(t, p.Lines[0].Points, 2)
	assert.Len(t, p.Lines[1].Points, 1)
}

func TestEachAxisChangesItsPartOfThePlan(t *testing.T) {
	want := map[string]measure.Plan{
		"jobs":      {N: 7},
		"producers": {Setting: suite.Setting{Producers: 7}},
		"workers":   {Setting: suite.Setting{Workers: 7}},
	}
	for _, a := range axes {
		var plan measure.Plan
		a.apply(&plan, 7)
		assert.Equal(t, want[a.name], plan)
	}
	assert.Equal(t, []int{1000, 10_000, 50_000}, decades(config{from: 1000, to: 50_000}))
	assert.Equal(t, []int{5}, decades(config{from: 5, to: 5}))
}

func TestBadFlagsAreRefusedBeforeAnythingRuns(t *testing.T) {
	for _, args := range [][]string{
		{"W1"}, {"-works", "W0"}, {"-axes", "time"}, {"-workers", "1,x"}, {"-producers", "0"}, {"-procs", ""}, {"-from", "0"}, {"-from", "9", "-to", "8"}, {"-reps", "0"},
	} {
		assert.Error(t, run(t.Context(), "not run", args, &bytes.Buffer{}, &bytes.Buffer{}), args)
	}
}
