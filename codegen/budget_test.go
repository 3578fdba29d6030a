package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
)

// TestABudgetIsForTheReleaseForm lowers the budget of the how-to page's program below what its
// frame has. The finding is the one of the page.
func TestABudgetIsForTheReleaseForm(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages with the go command")
	}
	page, err := os.ReadFile("../docs/howto/memory.md")
	require.NoError(t, err)
	dir, err := filepath.Abs("../docs/howto/code/memory")
	require.NoError(t, err)
	path := filepath.Join(dir, "main.go")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	less := strings.Replace(string(text), "//movenext:async frame=4160", "//movenext:async frame=4096", 1)
	require.NotEqual(t, string(text), less)
	for mode, findings := range map[codegen.Mode]int{codegen.Release: 1, codegen.Debug: 0, codegen.Plain: 0} {
		result, err := codegen.Generate(codegen.Config{
			Mode: mode, Dir: dir, DryRun: true, Overwrite: true, Overlay: map[string][]byte{path: []byte(less)},
		}, ".")
		require.NoError(t, err)
		require.Len(t, result.Diagnostics, findings, mode)
		for _, d := range result.Diagnostics {
			d.Pos.Filename = filepath.Base(d.Pos.Filename)
			shown := strings.Join(strings.Fields(string(page)), " ") // a long line there is several
			assert.Contains(t, shown, "``` "+d.String()+" ```")
		}
	}
}
