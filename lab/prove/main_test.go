package main

import (
	"bytes"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/testmodule"
	"github.com/movenext/movenext/lab/prove/library"
)

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	goleak.VerifyTestMain(m)
}

// TestTwoExecutionsOfRandomPrograms does for a few programs what the command fuzz does for hours.
func TestTwoExecutionsOfRandomPrograms(t *testing.T) {
	testmodule.StartsPrograms(t)
	var out bytes.Buffer
	err := fuzz(t.Context(), []string{"-dir", t.TempDir(), "-n", "15", "-shrink", "0"}, &out)
	require.NoError(t, err, "%s", &out)
	assert.Contains(t, out.String(), "15 programs")
}

// TestTwoExecutionsOfForms runs a sample of the programs that the command enumerate runs.
func TestTwoExecutionsOfForms(t *testing.T) {
	testmodule.StartsPrograms(t)
	var out bytes.Buffer
	err := enumerate(t.Context(), []string{"-dir", t.TempDir(), "-every", "1009"}, &out)
	require.NoError(t, err, "%s", &out)
	assert.Contains(t, out.String(), " 0 different, 0 defects, 0 crashed")
}

func TestFormsAreListed(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, enumerate(t.Context(), []string{"-list", "-form", "plain «I» + "}, &out))
	assert.Contains(t, out.String(), "plain «I» + «I»")
	assert.Contains(t, out.String(), "\n1 forms, ")
}

func TestUnknownCommandsAreRefused(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, 2, run(t.Context(), []string{"guess"}, &out, &errs))
	assert.Contains(t, errs.String(), "usage")
	assert.Equal(t, 2, run(t.Context(), []string{"fuzz", "-nonsense"}, &out, &errs))
}

func TestModulesAreChosen(t *testing.T) {
	all, err := chooseModules(nil)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(all), 40)
	some, err := chooseModules([]string{"yaml", "./folder", "example.com/m@v1.0.0"})
	require.NoError(t, err)
	assert.Contains(t, some, "gopkg.in/yaml.v3@v3.0.1")
	assert.Subset(t, some, []string{"./folder", "example.com/m@v1.0.0"})
	for _, pattern := range []string{"no such module", "("} {
		_, err = chooseModules([]string{pattern})
		require.Error(t, err)
	}
}

// TestFiguresOfModules runs no modules.
func TestFiguresOfModules(t *testing.T) {
	var out bytes.Buffer
	run := newTestRun(flag.NewFlagSet("", flag.ContinueOnError))
	run.Dir = t.TempDir()
	err := run.do(&out, "modules", func(_ library.Options, report func(*library.Package)) error {
		report(&library.Package{Path: "a@v1.0.0", Functions: 3, Machines: 2, Passed: 2, Same: 1, Parts: 9, SameParts: 8, PlainSize: 2e6, Size: 3e6,
			Refused: map[string]int{"why": 1}, Different: map[string]string{"TestA": "FAIL"}})
		report(&library.Package{Path: "b@v1.0.0", Err: errFound})
		return nil
	})
	require.ErrorIs(t, err, errFound)
	assert.Contains(t, out.String(), "1 modules, 3 functions, 2 machines, which suspended at 0 of 0 points: of 2 tests that pass as plain Go, 1 pass as machines\n"+
		"\tof 9 tests within tests that pass as plain Go, 8 pass as machines; binaries of tests: 2.0 MB as they are, 3.0 MB with machines, × 1.50\n"+
		"     1 functions refused: why\n")
	assert.Contains(t, out.String(), "b@v1.0.0 is left out")
	assert.Contains(t, out.String(), "different: a@v1.0.0: TestA: FAIL")
}

func TestAnExcerptHasWhatFailed(t *testing.T) {
	passed := strings.Repeat("--- PASS: TestA/part\n", 1000)
	for _, failed := range []string{"too slow\n--- FAIL: TestA/last\n", "\npanic: broken\n"} {
		text := excerpt("=== RUN TestA\n" + passed + failed + passed)
		assert.Contains(t, text, "=== RUN TestA")
		assert.Contains(t, text, failed)
		assert.LessOrEqual(t, len(text), 2*longest)
	}
	assert.Equal(t, "--- FAIL: TestA\n", excerpt("--- FAIL: TestA\n"))
}
