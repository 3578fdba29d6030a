package vet_test

import (
	"flag"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen/vet"
	"github.com/movenext/movenext/internal/testmodule"
)

var update = flag.Bool("update", false, "write the results of fixes into the golden files")

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// TestFindingsAndFixes runs the analyzer over the packages of testdata, one for each check. The
// expected findings are // want comments in the source. The golden file of a source file has
// its fixed text, with a section for each fix by its name.
func TestFindingsAndFixes(t *testing.T) {
	leaveOutStale(t)
	dir := testmodule.New(t, "example.com/vet")
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	if !*update {
		analysistest.RunWithSuggestedFixes(t, dir, alone(), "./...")
		return
	}
	for _, result := range analysistest.Run(t, dir, alone(), "./...") {
		writeGolden(t, dir, result)
	}
}

// leaveOutStale is for tests that generate nothing.
func leaveOutStale(t *testing.T) {
	t.Helper()
	skip := vet.Analyzer.Flags.Lookup("skip").Value
	require.NoError(t, skip.Set("stale"))
	t.Cleanup(func() { require.NoError(t, skip.Set("")) })
}

// alone returns the analyzer without facts, which otherwise the tests would have to expect, too.
func alone() *analysis.Analyzer {
	a := *vet.Analyzer
	a.FactTypes = nil
	a.Run = func(pass *analysis.Pass) (any, error) {
		with := *pass
		with.ExportPackageFact = func(analysis.Fact) {}
		return vet.Analyzer.Run(&with)
	}
	return &a
}

// writeGolden writes the file of one package with its fixes applied.
func writeGolden(t *testing.T, dir string, result *analysistest.Result) {
	t.Helper()
	byName := map[string][]analysis.TextEdit{}
	var names []string
	for _, d := range result.Diagnostics {
		for _, f := range d.SuggestedFixes {
			if !slices.Contains(names, f.Message) {
				names = append(names, f.Message)
			}
			byName[f.Message] = append(byName[f.Message], f.TextEdits...)
		}
	}
	if len(names) == 0 {
		return
	}
	var golden txtar.Archive
	file := result.Pass.Fset.File(byName[names[0]][0].Pos)
	for _, name := range names {
		edits := byName[name]
		slices.SortStableFunc(edits, func(a, b analysis.TextEdit) int { return int(a.Pos - b.Pos) })
		edits = slices.CompactFunc(edits, func(a, b analysis.TextEdit) bool {
			return a.Pos == b.Pos && a.End == b.End && string(a.NewText) == string(b.NewText)
		})
		source, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		for _, e := range slices.Backward(edits) {
			source = slices.Concat(source[:file.Offset(e.Pos)], e.NewText, source[file.Offset(e.End):])
		}
		text, err := format.Source(source)
		require.NoError(t, err, "%s", source)
		golden.Files = append(golden.Files, txtar.File{Name: name, Data: text})
	}
	rel, err := filepath.Rel(dir, file.Name())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join("testdata", rel+".golden"), txtar.Format(&golden), 0o644))
}

func TestEveryCheckIsDocumentedAndCanBeLeftOut(t *testing.T) {
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, f := range folders {
		if f.IsDir() && f.Name() != "twins" {
			assert.Contains(t, vet.Analyzer.Doc, "\t"+f.Name()+" ")
		}
	}
	skip := vet.Analyzer.Flags.Lookup("skip")
	require.ErrorContains(t, skip.Value.Set("blocking,nonsense"), `there is no check "nonsense"`)
	assert.True(t, strings.HasPrefix(skip.Usage, "checks not to make"))
}
