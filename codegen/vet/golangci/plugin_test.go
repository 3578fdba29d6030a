package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/vet"
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
