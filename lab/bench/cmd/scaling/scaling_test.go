package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheTableHasARowForEachWork(t *testing.T) {
	var out, messages bytes.Buffer
	require.NoError(t, run([]string{"-cores", "2,64"}, &out, &messages))
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Equal(t, "| operations a microsecond, by cores | 2 | 64 | bottleneck |", rows[0])
	assert.Contains(t, out.String(), "| the inbox's lock, from 64 on |")
	assert.Contains(t, out.String(), "| none |")
	for _, row := range rows {
		assert.Equal(t, 5, strings.Count(row, "|"), row)
	}
	assert.Empty(t, messages.String())
}

func TestDearLinesMakeWorkSlower(t *testing.T) {
	var cheap, dear bytes.Buffer
	require.NoError(t, run([]string{"-cores", "8"}, &cheap, &cheap))
	require.NoError(t, run([]string{"-cores", "8", "-move", "200"}, &dear, &dear))
	assert.NotEqual(t, cheap.String(), dear.String())
}

func TestMeasureMeasures(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run([]string{"-measure", "100"}, &out, &out))
	assert.Regexp(t, `^-local [0-9.]+ -move [0-9.]+\n$`, out.String())
}

func TestWhatIsNoNumberOfCoresIsRefused(t *testing.T) {
	for _, bad := range []string{"", "x", "0", "-1", "2,,4"} {
		var out bytes.Buffer
		require.Error(t, run([]string{"-cores", bad}, &out, &out), bad)
		assert.Empty(t, out.String(), bad)
	}
}
