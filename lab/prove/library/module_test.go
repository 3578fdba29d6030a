package library

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// moduleOptions returns the options of a run in its own folder that fetches nothing.
func moduleOptions(t *testing.T) Options {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	return Options{Dir: t.TempDir(), Mode: codegen.Release, Every: 1, First: 20, Seldom: 500, Functions: "all", Patience: time.Minute}
}

// TestTestsOfAModulePassThroughMachines uses a module with two packages that call each other, a
// failing test, a folder that is not a package, and a package that does not compile.
func TestTestsOfAModulePassThroughMachines(t *testing.T) {
	testmodule.StartsPrograms(t)
	var all []*Package
	o := moduleOptions(t)
	require.NoError(t, RunModules(t.Context(), o, func(p *Package) { all = append(all, p) }, filepath.Join("testdata", "module")))
	require.Len(t, all, 1)
	p := all[0]
	require.NoError(t, p.Err)
	assert.Equal(t, 5, p.Functions)
	assert.Equal(t, 4, p.Machines)
	assert.Equal(t, map[string]int{"an annotated function cannot call recover itself": 1}, p.Refused)
	assert.Positive(t, p.Suspended)
	assert.Equal(t, 4, p.Passed)
	assert.Equal(t, 4, p.Same)
	assert.Equal(t, 3, p.Parts)
	assert.Equal(t, 3, p.SameParts)
	assert.Empty(t, p.Different)
	assert.Equal(t, "fails as plain Go in the copy", p.LeftOut["TestThatFails"])
	assert.Contains(t, p.LeftOut["example.com/calc/mixed"], "found packages one")
	assert.Contains(t, p.LeftOut["./wrong"], "cannot use")
	assert.Len(t, p.LeftOut, 3)
	assert.Greater(t, p.Size, p.PlainSize)
	assert.Positive(t, p.PlainSize)

	names, err := os.ReadFile(filepath.Join(o.Dir, "functions.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(names), "0 Eval\n")
	assert.Contains(t, string(names), " stack Stack.Pop\n")
}

func TestAModuleThatIsNotThereIsLeftOut(t *testing.T) {
	for _, name := range []string{"example.com/none@v1.0.0", filepath.Join(t.TempDir(), "none")} {
		var all []*Package
		require.NoError(t, RunModules(t.Context(), moduleOptions(t), func(p *Package) { all = append(all, p) }, name))
		require.Len(t, all, 1)
		require.Error(t, all[0].Err)
	}
}

// TestPartsOfTests uses names that occur in only one of the runs.
func TestPartsOfTests(t *testing.T) {
	plain := &outcome{status: map[string]string{"A": passed, "A/1": passed, "A/random5": passed, "B": passed, "B/1": passed, "B/2": passed, "C": "FAIL", "C/1": "FAIL"}}
	machines := &outcome{status: map[string]string{"A": passed, "A/1": passed, "A/random7": passed, "B": "FAIL", "B/1": passed}}
	p := newPackage("")
	compare(plain, machines, nil, p)
	assert.Equal(t, 3, p.Parts)
	assert.Equal(t, 2, p.SameParts)
	all := newPackage("")
	all.add(p, "sub")
	assert.Equal(t, 3, all.Parts)
	assert.Equal(t, map[string]string{"sub B": "FAIL: "}, all.Different)
	assert.Contains(t, all.LeftOut, "sub C")
}
