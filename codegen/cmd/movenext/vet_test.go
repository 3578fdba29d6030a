package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
)

const misused = `package p

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
)

//movenext:async
func F(ctx context.Context) error {
	time.Sleep(time.Second)
	return nil
}

func G(ctx context.Context) {
	FAsync(ctx)
	_ = job.Go(ctx, func(ctx context.Context) error { return F(ctx) })
}
`

func TestVetLooksAtWhatIsNotGeneratedYet(t *testing.T) {
	dir := folder(t, map[string]string{"p.go": misused, "q_test.go": "package p\n\nfunc init() { FAsync(nil) }\n"})
	status, stdout, stderr := movenext("vet", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stdout)
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	require.Len(t, lines, 5, stderr)
	for i, want := range []string{
		"p.go:11:6: F has no twin, since p_async.go is missing; machines that call it block; run go generate [stale]",
		"p.go:12:2: time.Sleep blocks the worker; it waits on its goroutine and has no twin; call job.Sleep, which suspends [blocking]",
		"p.go:17:2: this job is dropped; its error or panic is lost; await it, or assign it to _ if that is meant [droppedjob]",
		"p.go:18:59: F blocks the worker of this job; it is not part of an annotated function; mark the function around it //movenext:async [plainform]",
		"q_test.go:3:15: this job is dropped; its error or panic is lost; await it, or assign it to _ if that is meant [droppedjob]",
	} {
		assert.Equal(t, dir+string(filepath.Separator)+want, lines[i])
	}
	require.NoFileExists(t, filepath.Join(dir, "p_async.go"))

	status, stdout, stderr = movenext("vet", "-json", "-skip=droppedjob,plainform,stale", "-C", dir)
	require.NoError(t, skipNothing())
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stderr)
	var report struct{ Diagnostics []codegen.Diagnostic }
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Diagnostics, 1)
	assert.Equal(t, "blocking", report.Diagnostics[0].Category)
	assert.Equal(t, 25, report.Diagnostics[0].End.Column)
}

func TestVetReportsWhatDoesNotTypeCheckAndWhatIsRefused(t *testing.T) {
	dir := folder(t, map[string]string{
		"a/a.go": "package a\n\nvar x int = \"\"\n",
		"b/b.go": "package b\n\nfunc F() {}\n",
	})
	status, _, stderr := movenext("vet", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, filepath.Join(dir, "a", "a.go")+":3:13: cannot use \"\" (untyped string constant) as int value in variable declaration\n", stderr)

	dir = folder(t, map[string]string{"a/a.go": "package a\n\n//movenext:async\nfunc init() {}\n"})
	status, _, stderr = movenext("vet", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "a.go:4:6: init cannot be annotated; ")

	dir = folder(t, map[string]string{"b/b.go": "package b\n\nfunc F() {}\n"})
	status, stdout, stderr := movenext("vet", "-C", dir)
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stdout+stderr)
}

// TestGoVetTakesTheCommandAsItsTool has go vet apply the fixes: the result builds, and
// leaves nothing to find.
func TestGoVetTakesTheCommandAsItsTool(t *testing.T) {
	dir := folder(t, map[string]string{"p.go": misused})
	status, _, stderr := movenext("-C", dir)
	require.Equal(t, exitOK, status, stderr)
	tool := filepath.Join(t.TempDir(), "movenext.exe")
	goCommand := func(dir string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	output, err := goCommand(".", "build", "-o", tool, ".")
	require.NoError(t, err, output)

	output, err = goCommand(dir, "vet", "-vettool="+tool, "./...")
	require.Error(t, err)
	for _, want := range []string{"p.go:12:2: time.Sleep blocks", "p.go:17:2: this job is dropped", "p.go:18:59: F blocks"} {
		assert.Contains(t, output, want)
	}
	output, err = goCommand(dir, "vet", "-vettool="+tool, "-movenext.skip=blocking,droppedjob,plainform", "./...")
	require.NoError(t, err, output)

	output, err = goCommand(dir, "vet", "-fix", "-vettool="+tool, "./...")
	require.NoError(t, err, output)
	output, err = goCommand(dir, "vet", "-vettool="+tool, "./...")
	require.Error(t, err)
	assert.Contains(t, output, "p.go:11:6: the twin of F is stale; ", "a fix has changed it")
	status, _, stderr = movenext("-C", dir)
	require.Equal(t, exitOK, status, stderr)
	fixed, err := os.ReadFile(filepath.Join(dir, "p.go"))
	require.NoError(t, err)
	assert.Contains(t, string(fixed), "job.Sleep(ctx, time.Second)")
	assert.Contains(t, string(fixed), "\tFAsync(ctx).Await()\n")
	assert.Contains(t, string(fixed), "_ = FAsync(ctx)\n")
	output, err = goCommand(dir, "vet", "-vettool="+tool, "./...")
	require.NoError(t, err, output)
}
