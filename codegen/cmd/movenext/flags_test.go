package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/vet"
)

// skipNothing resets what a test has skipped: the flag belongs to the analyzer, which all
// tests share.
func skipNothing() error { return vet.Analyzer.Flags.Set("skip", "") }

func TestTheCacheIsWhereTheFlagOrTheEnvironmentSays(t *testing.T) {
	own, err := os.UserCacheDir()
	require.NoError(t, err)
	for _, c := range []struct{ flag, variable, want string }{
		{"", "", filepath.Join(own, "movenext")},
		{"", "elsewhere", "elsewhere"},
		{"here", "elsewhere", "here"},
		{"off", "elsewhere", ""},
		{"", "off", ""},
		{"here", "off", "here"},
	} {
		t.Setenv("MOVENEXTCACHE", c.variable)
		assert.Equal(t, c.want, cacheFolder(c.flag), "%v", c)
	}
}

func TestASecondRunFindsTheRecordOfTheFirst(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"x.go", "go.mod", "go.sum"} {
		// otherwise the first run is too close to their creation
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), past, past))
	}
	cache := filepath.Join(t.TempDir(), "cache")
	for _, want := range []string{"created " + filepath.Join(dir, "x_async.go") + "\n", "", ""} {
		status, stdout, stderr := movenext("-mode=plain", "-cache="+cache, "-C", dir)
		assert.Equal(t, exitOK, status)
		assert.Equal(t, want, stdout)
		assert.Empty(t, stderr)
	}
	entries, err := filepath.Glob(filepath.Join(cache, "??", "*"))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "of the run, and of its package")
}
