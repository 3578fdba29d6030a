package library

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
	"github.com/movenext/movenext/lab/prove/annotated"
)

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	goleak.VerifyTestMain(m)
}

// TestTestsOfTheLibraryPassThroughMachines uses a package whose machines suspend everywhere.
func TestTestsOfTheLibraryPassThroughMachines(t *testing.T) {
	testmodule.StartsPrograms(t)
	var all []*Package
	o := Options{Dir: t.TempDir(), Mode: codegen.Release, Every: 1, First: 20, Seldom: 500, Functions: "all", Patience: time.Minute}
	require.NoError(t, Run(t.Context(), o, func(p *Package) { all = append(all, p) }, "container/ring"))
	require.Len(t, all, 1)
	p := all[0]
	require.NoError(t, p.Err)
	assert.Equal(t, "container/ring", p.Path)
	assert.Equal(t, p.Functions, p.Machines)
	assert.Positive(t, p.Points)
	assert.Equal(t, p.Points, p.Suspended, "the tests pass every statement")
	assert.Positive(t, p.Passed)
	assert.Equal(t, p.Passed, p.Same)
	assert.Empty(t, p.Different)
	assert.Empty(t, p.LeftOut)
}

// The output of a process in which test b fails and test c ends the process.
const printed = "\x16=== RUN   TestA\n\x16=== RUN   TestA/part\n    \x16--- PASS: TestA/part (0.00s)\nno end of line\x16--- PASS: TestA (0.00s)\n" +
	"\x16=== RUN   TestB\n    b_test.go:1: why\n\x16--- FAIL: TestB (0.00s)\n\x16=== RUN   TestC\npanic: over\n"

func TestAProcessThatATestEndsIsReadUpToIt(t *testing.T) {
	r := &outcome{status: map[string]string{}, output: map[string]string{}}
	assert.Equal(t, "TestC", r.read(printed, true))
	assert.Equal(t, map[string]string{"TestA": passed, "TestA/part": passed, "TestB": "FAIL", "TestC": crashed}, r.status)
	assert.Contains(t, r.output["TestB"], "b_test.go:1: why")
	assert.NotContains(t, r.output["TestB"], "TestC")
	assert.Contains(t, r.output["TestC"], "panic: over")
	assert.Empty(t, r.read("\x16=== RUN   TestD\n\x16--- SKIP: TestD (0.00s)\nPASS\n", false))
	assert.Empty(t, r.read("\x16=== RUN   TestE\n\x16--- FAIL: TestE (0.00s)\n\x16=== RUN   TestF\n\x16--- PASS: TestF (0.00s)\n\x16FAIL\n", true))
	assert.Equal(t, everything, r.read("panic: in an initialiser", true))
}

func TestATestThatPassesAsPlainGoAloneIsDifferent(t *testing.T) {
	p := &Package{Different: map[string]string{}, LeftOut: map[string]string{}}
	compare(&outcome{status: map[string]string{"A": passed, "B": passed, "C": passed, "D": "FAIL", "E": "SKIP"}},
		&outcome{status: map[string]string{"A": passed, "B": "FAIL", "D": "FAIL", everything: crashed}, output: map[string]string{"B": "why", everything: "no end"}},
		map[string]string{"F": asksCallers}, p)
	assert.Equal(t, 3, p.Passed)
	assert.Equal(t, 1, p.Same)
	assert.Equal(t, map[string]string{"B": "FAIL: why", "C": ": ", everything: "no end"}, p.Different)
	assert.Equal(t, map[string]string{"D": "fails as plain Go in the copy", "F": asksCallers}, p.LeftOut)
}

// TestATestThatDoesNotEndLeavesTimeForOthers uses a test that ends in neither form, one that ends
// as plain Go, and some that have no time left.
func TestATestThatDoesNotEndLeavesTimeForOthers(t *testing.T) {
	const over = "\x16=== RUN   TestA\n\x16--- PASS: TestA (0.00s)\n\x16=== RUN   TestB\npanic: test timed out after 30s\n\ngoroutine 1\n"
	r := &outcome{status: map[string]string{}, output: map[string]string{}}
	assert.Equal(t, "TestB", r.read(over, true))
	assert.Equal(t, map[string]string{"TestA": passed, "TestB": endless}, r.status)
	assert.Equal(t, []string{"TestB"}, r.fatal())

	p := newPackage("")
	compare(&outcome{status: map[string]string{"A": passed, "B": endless, "C": passed, "D": passed}, unrun: "no time"},
		&outcome{status: map[string]string{"A": passed, "C": endless}, output: map[string]string{"C": "why"}, unrun: "too late"}, nil, p)
	assert.Equal(t, map[string]string{"C": "ENDLESS: why"}, p.Different)
	assert.Equal(t, map[string]string{"B": "does not end as plain Go in the copy", "D": "does not run as machines: too late",
		"(more tests)": "do not run as plain Go: no time"}, p.LeftOut)
	assert.Equal(t, 2, p.Passed)

	none := (&Options{}).tests(t.Context(), &clone{source: &source{}}, "", nil)
	assert.Contains(t, none.unrun, "0s")
}

// TestWaysIntoMachines uses functions with unnamed parameters, without results, and with type
// parameters.
func TestWaysIntoMachines(t *testing.T) {
	c := &clone{source: &source{ImportPath: "p", Dir: t.TempDir(), GoFiles: []string{"p.go"}}, dir: t.TempDir(), home: &home{path: "p", every: 2, moved: true}}
	const text = "package p\n\nfunc (*T[K]) m(int, ...string) (a, b int) {\n\treturn 1, 2\n}\n\nfunc g[K any](_ K) {\n\tprint()\n\tprint()\n\tprint()\n}\n\nfunc linked()\n"
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "p.go"), []byte(text), 0o600))
	f, err := c.annotate("p.go")
	require.NoError(t, err)
	assert.Equal(t, 2, f.Functions)
	assert.Contains(t, f.Text, "{ movenextpoint.Here(0); \n\treturn 1, 2\n")
	assert.Contains(t, f.Text, "{ movenextpoint.Here(1); \n\tprint()\n\t movenextpoint.Here(2); print()\n\tprint()\n")
	assert.Contains(t, f.Text, "//go:linkname linked p.linked\nfunc linked()\n")
	assert.Equal(t, []string{"mEnter", "gEnter"}, c.entered)

	c.files = map[string]*annotated.File{f.Path: f}
	const machines = "package p\n\n// mEnter enters [T.m] for another machine. …\nfunc (*T[K]) mEnter(*Run, int, ...string) {}\n\n// gEnter2 enters [g] for another machine. …\nfunc gEnter2[K any](*Run, K) {}\n"
	require.NoError(t, errors.Join(f.Write(), os.WriteFile(filepath.Join(c.dir, "p_async.go"), []byte(machines), 0o600)))
	require.NoError(t, c.shim())
	assert.Len(t, c.names, 2)
	data, err := os.ReadFile(f.Path)
	require.NoError(t, err)
	assert.Contains(t, string(data), "func (movenextR0 *T[K]) m(movenextP0 int, movenextP1 ...string) (a, b int) { if movenextpoint.On(0) { var movenextT movenextmachine.Run; "+
		"movenextM, movenextV0, movenextV1 := movenextR0.mEnter(&movenextT, movenextP0, movenextP1...); if movenextM != nil { movenextpoint.Finish(&movenextT); "+
		"movenextV0, movenextV1 = movenextM.Results(&movenextmachine.Run{}) }; return movenextV0, movenextV1 }; movenextpoint.Here(0);")
	assert.Contains(t, string(data), "func g[K any](movenextP0 K) { if movenextpoint.On(1) { var movenextT movenextmachine.Run; "+
		"movenextM := gEnter2[K](&movenextT, movenextP0); if movenextM != nil { movenextpoint.Finish(&movenextT); movenextM.Results(&movenextmachine.Run{}) }; return  };")
}
