package golangci

import (
	"path/filepath"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/vet"
	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestThePluginIsRegisteredAndTakesItsSettings(t *testing.T) {
	newPlugin, err := register.GetPlugin("movenext")
	require.NoError(t, err)
	p, err := newPlugin(map[string]any{"skip": []string{"heldlock", "blocking"}})
	require.NoError(t, err)
	assert.Equal(t, "heldlock,blocking", vet.Analyzer.Flags.Lookup("skip").Value.String())
	list, err := p.BuildAnalyzers()
	require.NoError(t, err)
	assert.Equal(t, []*analysis.Analyzer{vet.Analyzer}, list)
	assert.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
	for _, wrong := range []any{map[string]any{"skip": []string{"nonsense"}}, map[string]any{"unknown": 1}} {
		_, err := newPlugin(wrong)
		assert.ErrorContains(t, err, "golangci: settings of movenext: ", "%v", wrong)
	}
}

// TestThePluginReportsStaleTwins runs the analyzer as the linter does: on files, with their types.
func TestThePluginReportsStaleTwins(t *testing.T) {
	newPlugin, err := register.GetPlugin("movenext")
	require.NoError(t, err)
	p, err := newPlugin(nil)
	require.NoError(t, err)
	analyzers, err := p.BuildAnalyzers()
	require.NoError(t, err)
	dir := t.TempDir()
	testmodule.Write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26.0\n"))
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte("package p\n\n//movenext:async\nfunc F() {}\n"))
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: dir}, "./...")
	require.NoError(t, err)
	graph, err := checker.Analyze(analyzers, loaded, nil)
	require.NoError(t, err)
	require.NoError(t, graph.Roots[0].Err)
	require.Len(t, graph.Roots[0].Diagnostics, 1)
	assert.Equal(t, "stale", graph.Roots[0].Diagnostics[0].Category)
}
