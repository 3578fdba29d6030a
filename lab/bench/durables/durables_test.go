package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain makes the test binary a restarted process if a test has started it as one.
func TestMain(m *testing.M) {
	if os.Getenv("DURABLES_AGAIN") != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// Each command makes a small measurement, and prints a line for each result.
func TestEachCommandPrintsItsLines(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"steps", "-workflows", "20", "-steps", "5", "-at-a-time", "4"}, []string{"20 workflows of 5 steps", "DBOS on Postgres", "movenext on Postgres", "movenext on SQLite"}},
		{[]string{"latency", "-commits", "50"}, []string{"SQLite", "Postgres"}},
		{[]string{"restart", "-instances", "2000"}, []string{"2000 instances suspended", "kept in memory by the engine: 0 instances", "all 2000 are handed out"}},
		{[]string{"timers", "-instances", "300", "-within", "100ms", "-stores", "sqlite"}, []string{"300 instances asleep", "late: p50"}},
		{[]string{"resume", "-workflows", "10", "-kills", "1", "-lease", "300ms", "-stores", "sqlite"}, []string{"continued elsewhere: p50"}},
		{[]string{"plan", "-instances", "500", "-stores", "sqlite"}, []string{"| 1e+09 | 11574 |", "first bottleneck", "off the lines at most"}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, run(t.Context(), c.args, &out))
			for _, want := range c.want {
				assert.Contains(t, out.String(), want)
			}
		})
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	require.ErrorIs(t, run(t.Context(), nil, io.Discard), errUsage)
	require.ErrorIs(t, run(t.Context(), []string{"other"}, io.Discard), errUsage)
	require.Error(t, run(t.Context(), []string{"steps", "-no-such-flag"}, io.Discard))
}

func TestALineIgnoresAPointThatIsFarOff(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6}
	slope, off := line(x, []float64{13, 16, 19, 22, 25, 28})
	assert.InDelta(t, 3, slope, 1e-9)
	assert.InDelta(t, 0, off, 1e-9)
	slope, off = line(x, []float64{13, 16, 56, 22, 25, 28})
	assert.InDelta(t, 3, slope, 1)
	assert.Greater(t, off, 0.5)
	for _, none := range [][]float64{{6, 5, 4, 3, 2, 1}, {10, 20, 11, 19, 12, 21}} {
		slope, _ = line(x, none)
		assert.Zero(t, slope)
	}
}
