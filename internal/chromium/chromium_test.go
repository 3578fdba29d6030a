package chromium_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/chromium"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheBrowserIsWhereThePathLeads(t *testing.T) {
	if filepath.Separator == '\\' {
		t.Skip("a program is told by its extension here")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	browser := filepath.Join(dir, "chromium-browser")
	require.NoError(t, os.WriteFile(browser, nil, 0o700))
	assert.Equal(t, browser, chromium.Path(t))
}

func TestWithoutABrowserATestIsLeftOut(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CI_BROWSER", "")
	var inner *testing.T
	t.Run("inner", func(t *testing.T) {
		inner = t
		chromium.Path(t)
	})
	assert.True(t, inner.Skipped())
}
