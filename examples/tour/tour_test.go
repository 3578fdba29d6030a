package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write makes a source tree from the paths and contents of files.
func write(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func run(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, problems bytes.Buffer
	status = tour(ctx, args, &out, &problems)
	return status, out.String(), problems.String()
}

var smallTree = map[string]string{
	"a/a.go":            "package a\n\nfunc A() {}\n",
	"a/b.go":            "package a\n\nfunc B() {}\nfunc C() {}\n",
	"a/deep/d.go":       "package deep\n",
	"a/deep/readme.txt": "no Go\n",
	"testdata/bad.go":   "this is left out",
	"z/z_test.go":       "package z\n\nfunc TestZ() {}\n",
}

func TestFourExecutionsCountTheSame(t *testing.T) {
	status, out, _ := run(t.Context(), "-sleepers", "0", write(t, smallTree))
	assert.Equal(t, exitOK, status)
	assert.Contains(t, out, "3 directories with Go files")
	assert.Contains(t, out, "The four tables are identical.")
	assert.Regexp(t, `\s4\s+11\s+4\s+all 3 packages`, out)

	runs := regexp.MustCompile(`(?m)^(.+?) +[\d.]+s +(\d+) suspensions +(\d+) hops$`).FindAllStringSubmatch(out, -1)
	require.Len(t, runs, 4, out)
	assert.Equal(t, []string{"0", "0"}, runs[0][2:], "plain Go suspends nothing")
	for _, r := range runs[1:] {
		assert.NotEqual(t, "0", r[2], r[1])
		assert.NotEqual(t, "0", r[3], r[1])
	}
}

func TestAFileThatDoesNotParseIsReportedAndTheRestCounted(t *testing.T) {
	files := map[string]string{"b/broken.go": "package b\n\nfunc {"}
	for name, text := range smallTree {
		files[name] = text
	}
	root := write(t, files)
	status, out, _ := run(t.Context(), "-sleepers", "0", root)
	assert.Equal(t, exitProblems, status)
	assert.Contains(t, out, "Problems: 1")
	assert.Contains(t, out, filepath.Join(root, "b", "broken.go")+":")
	assert.Regexp(t, `\s4\s+11\s+4\s+all 3 packages`, out)
}

func TestAFileThatCannotBeReadIsReportedAndTheRestCounted(t *testing.T) {
	root := write(t, smallTree)
	gone := filepath.Join(root, "a", "gone.go")
	require.NoError(t, os.Symlink(filepath.Join(root, "nowhere"), gone))
	status, out, _ := run(t.Context(), "-sleepers", "0", root)
	assert.Equal(t, exitProblems, status)
	assert.Contains(t, out, gone+":")
	assert.Regexp(t, `\s4\s+11\s+4\s+all 3 packages`, out)
}

func TestAMissingDirectoryIsReported(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, path := range []string{missing, os.Args[0]} {
		status, out, problems := run(t.Context(), path)
		assert.Equal(t, exitProblems, status)
		assert.Empty(t, out, "it is said before anything else")
		assert.Contains(t, problems, path)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"a", "b"}, {"-sleepers", "-1"}, {"-nonsense"}} {
		status, _, problems := run(t.Context(), args...)
		assert.Equal(t, exitUsage, status, args)
		assert.NotEmpty(t, problems, args)
	}
	status, _, help := run(t.Context(), "-help")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, help, "[directory]")
}

// interrupter cancels a context when a text is written.
type interrupter struct {
	io.Writer
	text   string
	cancel context.CancelFunc
}

func (i *interrupter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), i.text) {
		i.cancel()
	}
	return i.Writer.Write(p)
}

func TestAnInterruptShowsWhatWasCountedSoFar(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	w := &interrupter{Writer: &out, text: "plain Go", cancel: cancel}
	status := tour(ctx, []string{write(t, smallTree)}, w, io.Discard)
	assert.Equal(t, exitInterrupted, status)
	assert.Contains(t, out.String(), "Interrupted. Counted so far (plain Go on goroutines):")
	assert.NotContains(t, out.String(), "asleep")
}

func TestAnInterruptBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, out, _ := run(ctx, write(t, smallTree))
	assert.Equal(t, exitInterrupted, status)
	assert.Contains(t, out, "Interrupted.")
}

func TestSleepersAreFewerBytesAsMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until the last of the sleepers has woken up")
	}
	status, out, _ := run(t.Context(), "-sleepers", "20000", write(t, smallTree))
	assert.Equal(t, exitOK, status)
	m := regexp.MustCompile(`as machines: +\d+ bytes each, 1/([\d.]+) of it`).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	ratio := parseFloat(t, m[1])
	assert.Greater(t, ratio, 5.0, "a fifth of a goroutine's")
}

func TestSleepersThatWokeUpTooEarlyAreNotCounted(t *testing.T) {
	var naps []time.Duration
	bytesEach(1, time.Second, func(nap time.Duration) sleeping {
		naps = append(naps, nap)
		return sleeping{awake: func() bool { return len(naps) < 3 }, wait: func() {}}
	})
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}, naps)
}

func TestAProgressBarIsDrawnOnATerminalOnly(t *testing.T) {
	var out bytes.Buffer
	silent := newProgress(&out, "x", 4)
	silent.step()
	silent.finish()
	assert.Empty(t, out.String())

	drawn := &progress{w: &out, name: "x", total: 4, shown: -1}
	drawn.step()
	drawn.step()
	drawn.finish()
	assert.Contains(t, out.String(), " 25%")
	assert.Contains(t, out.String(), " 50%")
}

func parseFloat(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return f
}
