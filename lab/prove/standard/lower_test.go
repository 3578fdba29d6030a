package standard

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPackagesWithInternalImportsAreLowered uses a package with a function that recovers, and one
// that imports an internal package.
func TestPackagesWithInternalImportsAreLowered(t *testing.T) {
	testmodule.StartsPrograms(t)
	report, err := Lower(t.TempDir(), t.Output(), "encoding/csv", "path", "errors")
	require.NoError(t, err)
	assert.Empty(t, report.Defects)
	assert.Empty(t, report.Excluded)
	assert.GreaterOrEqual(t, report.Packages, 4, "and internal/reflectlite")
	assert.Greater(t, report.Lowered, 30)
	refused := 0
	for _, n := range report.Refused {
		refused += n
	}
	assert.Equal(t, report.Functions, report.Lowered+refused)
}

func TestPathsOfCopies(t *testing.T) {
	assert.True(t, hidden("net/internal/socktest"))
	assert.True(t, hidden("vendor/golang.org/x/net/idna"))
	assert.False(t, hidden("net/http"))
	assert.Equal(t, modulePath+"/vendored/golang.org/x/net/idna", copyPath("vendor/golang.org/x/net/idna"))
}
