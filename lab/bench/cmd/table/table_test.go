package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/workloads"
)

// The test binary is its own child. One of the libraries starts goroutines when it is linked.
func TestMain(m *testing.M) {
	if childproc.Serve(os.Args[1:], os.Stdin, os.Stdout, workloads.All()) {
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

func TestATableFromMeasurementToPicture(t *testing.T) {
	folder := t.TempDir()
	file, plots := filepath.Join(folder, "table.json"), filepath.Join(folder, "plots")
	var out, log bytes.Buffer
	err := run(t.Context(), os.Args[0], []string{
		"-works", "W1,W6d", "-contenders", "^movenext$", "-scale", "100000", "-rounds", "2", "-reps", "1", "-repeat=false",
		"-json", file, "-svg", plots,
	}, &out, &log)
	require.NoError(t, err, log.String())
	assert.Contains(t, out.String(), "**scaled down by 100000**")
	assert.Contains(t, out.String(), "\n## W1: ")
	assert.Contains(t, out.String(), "\n| **movenext** | ")
	assert.Contains(t, out.String(), "| ns more than plain call |")
	assert.Contains(t, log.String(), "W1 round 2: movenext ")
	assert.FileExists(t, filepath.Join(plots, "W1.svg"))
	assert.FileExists(t, filepath.Join(plots, "W6d.svg"))

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var doc document
	require.NoError(t, json.Unmarshal(text, &doc))
	assert.Equal(t, 100000, doc.Conditions.Scale)
	require.Len(t, doc.Works, 2)
	assert.Len(t, doc.Works[0].Rounds, 2)
	require.Len(t, doc.Works[0].Rows, 3, "movenext, and the two that ratios refer to")
	for _, row := range doc.Works[0].Rows {
		assert.Positive(t, row.Time.Median)
		require.Len(t, row.Ratios, 2)
		assert.Positive(t, row.Ratios[1].Median)
	}
}

func TestAContenderThatFailsFailsTheCommand(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), os.Args[0], []string{
		"-works", "W1", "-contenders", "^movenext$", "-scale", "100000", "-rounds", "1", "-limit", "1ns",
	}, &out, &bytes.Buffer{})
	assert.EqualError(t, err, "3 contenders failed; the tables say why")
	assert.Contains(t, out.String(), "failed: childproc: took too long")
}

func TestTheListNamesWorksAndContenders(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), "not run", []string{"-list", "-works", "W6a"}, &out, &bytes.Buffer{}))
	assert.Contains(t, out.String(), "W6a: await jobs that have completed (1000000)\n\tgoroutines\n\tmovenext\n")
}

func TestBadFlagsAreRefusedBeforeAnythingRuns(t *testing.T) {
	for _, args := range [][]string{{"W1"}, {"-works", "W0"}, {"-scale", "0"}, {"-nonsense"}} {
		assert.Error(t, run(t.Context(), "not run", args, &bytes.Buffer{}, &bytes.Buffer{}), args)
	}
}
