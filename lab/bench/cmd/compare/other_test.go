package main

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A checkout with a command table that is a program of three lines.
func tinyCheckout(t *testing.T) string {
	t.Helper()
	checkout := t.TempDir()
	for name, text := range map[string]string{
		"lab/bench/go.mod":            "module tiny\n\ngo 1.26.0\n",
		"lab/bench/cmd/table/main.go": "package main\n\nfunc main() { println(\"tiny\") }\n",
	} {
		path := filepath.Join(checkout, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return checkout
}

// says runs a binary and returns what it prints to its standard error.
func says(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

func TestACheckoutIsBuilt(t *testing.T) {
	path, err := config{against: tinyCheckout(t)}.other(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, "tiny\n", says(t, path))
}

func TestABinaryIsTakenAsItIs(t *testing.T) {
	path, err := config{against: os.Args[0]}.other(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.True(t, filepath.IsAbs(path))
}

func TestARevisionIsBuiltWithoutTouchingTheRepository(t *testing.T) {
	checkout := tinyCheckout(t)
	t.Chdir(checkout)
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "first"},
	} {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	changed := filepath.Join(checkout, "lab", "bench", "cmd", "table", "main.go")
	require.NoError(t, os.WriteFile(changed, []byte("package main\n\nfunc main() { println(\"changed\") }\n"), 0o644))

	t.Chdir(filepath.Join(checkout, "lab", "bench"))
	path, err := config{rev: "HEAD"}.other(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, "tiny\n", says(t, path))

	_, err = config{rev: "nonsense"}.other(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "git archive")
}

func TestAComparisonWithAMissingVersionFails(t *testing.T) {
	_, err := config{against: filepath.Join(t.TempDir(), "absent")}.other(t.Context(), t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = config{against: t.TempDir()}.other(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "go build")
}

func TestAnArchiveCannotWriteOutsideOfItsFolder(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "../escaped", Typeflag: tar.TypeReg, Size: 1, Mode: 0o644}))
	_, err := w.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	to := filepath.Join(t.TempDir(), "inside")
	assert.ErrorContains(t, unpack(&archive, to), "escape")
	assert.NoFileExists(t, filepath.Join(filepath.Dir(to), "escaped"))
}

// Compares this version with itself, from end to end. The tolerance is so wide that no figure
// matters: a measurement of milliseconds is noise.
func TestThisVersionComparesWithItself(t *testing.T) {
	var out, log bytes.Buffer
	err := run(t.Context(), []string{
		"-against", filepath.Join("..", "..", "..", ".."), "-works", "W6d", "-scale", "100000", "-pairs", "1", "-reps", "1", "-tolerance", "1e9",
	}, &out, &log)
	require.NoError(t, err, log.String())
	assert.Contains(t, out.String(), "| W6d | movenext | time | ")
	assert.Contains(t, out.String(), "| W6d | movenext: job | bytes | ")
}

func TestBadFlagsAreRefusedBeforeAnythingIsBuilt(t *testing.T) {
	for _, args := range [][]string{
		{}, {"-against", "x", "-rev", "y"}, {"-rev", "y", "W1"}, {"-rev", "y", "-pairs", "0"}, {"-rev", "y", "-tolerance", "0"}, {"-rev", "y", "-works", "W0"}, {"-rev", "y", "-scale", "0"},
	} {
		assert.Error(t, run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}), args)
	}
}
