package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestARatioAboveItsBoundIsAnError(t *testing.T) {
	const run = "goos: linux\nBenchmarkMisbehaving/TLS_1.3_records-2 \t 10\t 170 ns/op\t 1860000 cpu-ns/op\t RATIO ratio\t 1500000 theirs-ns/op\nPASS\n"
	for ratio, want := range map[string]error{"1.194": nil, "1.5": nil, "1.6": errAbove, "NaN": errAbove, "0": errAbove, "": errAbove} {
		var out strings.Builder
		require.ErrorIs(t, report(strings.Replace(run, "RATIO", ratio, 1), &out), want, ratio)
		assert.Contains(t, out.String(), "TLS 1.3 records-2")
		assert.Contains(t, out.String(), "1.86 ms    1.50 ms")
	}
	require.ErrorIs(t, report("PASS\n", &strings.Builder{}), errNotRun)
}
