package codegen_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/internal/testmodule"
)

var only = flag.String("case", "", "look only at the cases with this in their names")

var update = flag.Bool("update", false, "write the results of golden tests into their files")

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// archive is one case: a text that begins with a sentence, and files.
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
		if !strings.Contains(filepath.Base(path), *only) {
			continue
		}
		a, err := txtar.ParseFile(path)
		require.NoError(t, err)
		first := strings.TrimSpace(string(a.Comment))
		require.Greater(t, len(first), 20, "%s must open with a sentence that says what it shows", path)
		list = append(list, archive{strings.TrimSuffix(filepath.Base(path), ".txtar"), path, a})
	}
	return list
}
