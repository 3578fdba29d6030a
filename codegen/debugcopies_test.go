package codegen_test

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
)

// ofOneMachine are the lines of a debug form with the absolute path of the machine that generated
// it, and the digest over them. Committed files are without them.
var ofOneMachine = regexp.MustCompile(`(?m)^(//line |// Digest of what is above: ).*\n`)

// TestCommittedDebugFormsAreFresh generates the debug forms that documents show. go generate does
// not write them, since they are in folders called testdata, and in another form than their
// neighbours. The flag -update does.
func TestCommittedDebugFormsAreFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages with the go command")
	}
	committed := debugCopies(t)
	require.Len(t, committed, 2, "the program of the job model's page, and that of the chapter on both forms")
	for _, path := range committed {
		want := debugForm(t, path)
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o600))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is stale: go test ./codegen -run DebugForms -update", path)
	}
}

// debugCopies returns the paths of committed debug forms.
func debugCopies(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"examples/*/testdata/debug/*_async.go", "docs/book/code/*/testdata/debug/*_async.go"} {
		paths, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		found = append(found, paths...)
	}
	return found
}

// debugForm returns what the generator writes for a file, without the lines of this machine.
func debugForm(t *testing.T, path string) []byte {
	t.Helper()
	result, err := codegen.Generate(codegen.Config{Mode: codegen.Debug, Dir: filepath.Dir(path), DryRun: true, Overwrite: true}, ".")
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	require.Len(t, result.Files, 1)
	text, err := format.Source(ofOneMachine.ReplaceAll(result.Files[0].Data, nil))
	require.NoError(t, err)
	return text
}
