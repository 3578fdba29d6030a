package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// small is a module with a list of mutations.
const small = `
-- go.mod --
module example.com/small

go 1.26
-- add.go --
package small

func Add(a, b int) int {
	if a == 0 {
		return b
	}
	return a + b
}

func Wait(c chan int) { c <- 1 }
-- add_test.go --
package small

import "testing"

func TestSums(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		if Add(0, 1) != 1 || Add(1, 1) != 2 {
			t.Fatal()
		}
	})
}

func TestWait(t *testing.T) { Wait(make(chan int, 1)) }
-- broken/broken_test.go --
package broken

import "testing"

func TestBroken(t *testing.T) { t.Fail() }
-- list --
[add.go]
kill . -run=Sums

sum Add: a sum is a sum
- a + b
+ a - b

short Add: zero is neutral
- return b
+ return a + b

hang Wait: a wait ends
- c <- 1
+ select {}
kill . -run=Wait

dead Wait: a process goes on
- c <- 1
+ func() { go panic(c); select {} }()
kill . -run=Wait

same Add: b is b
- return b
+ return (b)
= parentheses
-- stale --
[add.go]
kill .

gone Add: what is gone is gone
- a * b
+ a + b
-- types --
[add.go]
kill .

typed Add: a sum is a number
- a + b
+ "sum"
-- unsound --
[add.go]
kill ./broken

sum Add: a sum is a sum
- a + b
+ a - b
`

// unpacked makes a copy of the small module the current folder.
func unpacked(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the go command")
	}
	dir := t.TempDir()
	files, err := txtar.FS(txtar.Parse([]byte(small)))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, files))
	t.Chdir(dir)
}

func TestEachMutationIsJudged(t *testing.T) {
	unpacked(t)
	o := options{list: "list", results: "results", limit: 2 * time.Second}
	survived, err := run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 1, survived)
	got, err := readResults("results")
	require.NoError(t, err)
	for name, want := range map[string]verdict{
		"sum":   {outcome: killed, test: "TestSums/small", command: ". -run=Sums"},
		"short": {outcome: survivor},
		"hang":  {outcome: timeout, test: "TestWait", command: ". -run=Wait"},
		"dead":  {outcome: killed, test: "TestWait", command: ". -run=Wait"},
		"same":  {outcome: equivalent},
	} {
		v := got[name]
		want.name, want.digest = name, v.digest
		assert.Equal(t, want, v)
	}
	text, err := os.ReadFile("add.go")
	require.NoError(t, err)
	assert.Contains(t, string(text), "return a + b", "the tree stays as it is")
}

func TestARunContinuesWhereTheLastOneEnded(t *testing.T) {
	unpacked(t)
	list, err := readList("list")
	require.NoError(t, err)
	sum := verdict{name: "sum", digest: list[0].digest(), outcome: killed, test: "TestEarlier", command: ". -run=Sums"}
	old := verdict{name: "short", digest: "another", outcome: killed, test: "TestEarlier", command: ". -run=Sums"}
	require.NoError(t, appendResult("results", old))
	require.NoError(t, appendResult("results", sum))
	o := options{list: "list", results: "results", only: "sum|short", limit: time.Minute}
	survived, err := run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 1, survived, "the entry has changed since")
	got, err := readResults("results")
	require.NoError(t, err)
	assert.Equal(t, sum, got["sum"])
	o.only, o.again = "sum", true
	_, err = run(t.Context(), o)
	require.NoError(t, err)
	got, err = readResults("results")
	require.NoError(t, err)
	assert.Equal(t, "TestSums/small", got["sum"].test)
}

func TestABadListIsAnError(t *testing.T) {
	unpacked(t)
	for list, want := range map[string]string{
		"stale":   "gone is stale: add.go",
		"types":   "does not build",
		"unsound": "go test ./broken fails without a mutation",
		"missing": "no such file",
	} {
		_, err := run(t.Context(), options{list: list, results: "results", limit: time.Minute})
		assert.ErrorContains(t, err, want)
	}
	_, err := run(t.Context(), options{list: "list", only: "("})
	require.ErrorContains(t, err, "-only")
	require.NoError(t, os.WriteFile("results", []byte("nonsense\n"), 0o600))
	_, err = run(t.Context(), options{list: "list", results: "results"})
	require.ErrorContains(t, err, "is not a verdict")
}

func TestCheckFindsWhatDoesNotApplyOrCompile(t *testing.T) {
	unpacked(t)
	for list, want := range map[string]string{"stale": "gone is stale", "types": "typed does not compile"} {
		_, err := run(t.Context(), options{list: list, check: true})
		assert.ErrorContains(t, err, want)
	}
	_, err := run(t.Context(), options{list: "list", check: true})
	assert.NoError(t, err)
	_, err = run(t.Context(), options{list: "stale", check: true, folder: "elsewhere"})
	assert.NoError(t, err)
}

func TestATableHasAScoreForEachFolder(t *testing.T) {
	list := []mutation{
		{name: "a", file: "x/a.go"}, {name: "b", file: "x/a.go"}, {name: "c", file: "x/a.go", invariant: "it holds"},
		{name: "d", file: "y/a.go"},
	}
	verdicts := []verdict{{outcome: killed}, {outcome: timeout}, {outcome: survivor}, {outcome: equivalent}}
	assert.Equal(t, `folder  mutations  killed  by a hang  equivalent  survived  score
x       3          1       1          0           1         66.7 %
y       1          0       0          1           0         -
all     4          1       1          1           1         66.7 %
survived: c (x/a.go): it holds
`, table(list, verdicts))
}

// The lists of this repository. One call of the go command serves both.
func TestEveryMutationAppliesAndCompiles(t *testing.T) {
	list, err := readList("mutations.txt")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(list), 250)
	candidates, err := readList("candidates.txt")
	require.NoError(t, err)
	if testing.Short() {
		t.Skip("starts the go command")
	}
	assert.NoError(t, check("../..", append(list, candidates...)))
}

// A verdict is valid as long as the entry is unchanged since it was judged, and the test that
// killed it still exists.
func TestEveryMutationIsKilledByATestThatExists(t *testing.T) {
	list, err := readList("mutations.txt")
	require.NoError(t, err)
	known, err := readResults("results.txt")
	require.NoError(t, err)
	tests := map[string]string{} // the test files of a folder
	for i := range list {
		m := &list[i]
		if m.equivalent != "" {
			continue
		}
		v := known[m.name]
		require.Equal(t, m.digest(), v.digest, "%s was not judged since it has changed: run mutate -only '^%s$'", m.name, m.name)
		require.Contains(t, []string{killed, timeout}, v.outcome, m.name)
		folder, _, _ := strings.Cut(string(v.command), " ")
		if tests[folder] == "" {
			tests[folder] = testsIn(t, filepath.Join("../..", filepath.FromSlash(folder)))
		}
		name, _, _ := strings.Cut(v.test, "/")
		require.NotEmpty(t, name, m.name)
		known := strings.Contains(tests[folder], "\nfunc "+name+"(") // a test or an example
		require.True(t, known, "%s was killed by a test that is gone: run mutate -again -only '^%s$'", m.name, m.name)
	}
}

func testsIn(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}
