package codegen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the results of golden tests into their files")

func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// module makes a module called example.com/cases in a temporary folder. It requires what
// this module requires, so that nothing has to be fetched, and this module
// itself from where it lies.
func module(t testing.TB) string {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requirements, found := strings.Cut(string(data), "\nrequire (")
	require.True(t, found)
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	const path = "github.com/movenext/movenext"
	mod := "module example.com/cases\n\ngo 1.26.0\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => " + root +
		"\n\nrequire (" + requirements
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.mod"), []byte(mod))
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write(t, filepath.Join(dir, "go.sum"), sum)
	return dir
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, data, 0o644))
}

// archive is one case: a text that opens with a sentence, and files.
type archive struct {
	name string // of the case
	path string
	*txtar.Archive
}

// archives reads the cases of a folder.
func archives(t *testing.T, pattern string) []archive {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var list []archive
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		first := strings.TrimSpace(string(a.Comment))
		require.Greater(t, len(first), 20, "%s must open with a sentence that says what it shows", path)
		list = append(list, archive{strings.TrimSuffix(filepath.Base(path), ".txtar"), path, a})
	}
	return list
}
