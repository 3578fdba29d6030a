package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/testmodule"
)

func TestWatchGeneratesAfterEachChange(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self(t), "-watch")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"=1")
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _ = reader.Close() }()
	cmd.Stdout, cmd.Stderr = writer, writer
	require.NoError(t, cmd.Start())
	require.NoError(t, writer.Close())
	lines := bufio.NewScanner(reader)
	says := func(want string) {
		t.Helper()
		require.True(t, lines.Scan(), "it has ended")
		require.Contains(t, lines.Text(), want)
	}
	write := func(name, text string) { testmodule.Write(t, filepath.Join(dir, name), []byte(text)) }
	fresh := func() {
		t.Helper()
		status, stdout, _ := movenext("check", "-C", dir)
		assert.Equal(t, exitOK, status, stdout)
	}

	says("created x_async.go")
	write("x.go", strings.Replace(annotatedSource, "F() {}", "F() { var changed int; _ = changed }", 1))
	says("updated x_async.go")
	fresh()
	write("x.go", strings.Replace(annotatedSource, "F() {}", "F() { missing() }", 1))
	says("x.go:4:12: type error: undefined: missing")
	write("y.go", "package p\n\nimport \"fmt\"\n\nfunc missing() { fmt.Println() }\n") // another list of packages
	says("updated x_async.go")
	says("movenext: no findings")
	write("x_async.go", "")
	says("x_async.go: ")
	require.NoError(t, os.Remove(filepath.Join(dir, "x_async.go")))
	says("created x_async.go")
	says("movenext: no findings")
	write("z/z.go", strings.Replace(annotatedSource, "package p", "package z", 1))
	says("created " + filepath.Join("z", "z_async.go"))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "z")))
	write("x.go", "package p\n")
	says("removed x_async.go")
	fresh()

	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.False(t, lines.Scan(), lines.Text())
	assert.NoError(t, cmd.Wait())
}
