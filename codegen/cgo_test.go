package codegen_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

const (
	usesC = `package main

// static int twice(int n) { return 2 * n; }
import "C"

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
)

type handle struct {
	c C.int
	n int
}

func double(n int) int { return int(C.twice(C.int(n))) }

func raw() C.int { return C.twice(4) }

func newHandle() *handle { return &handle{raw(), 3} }

//movenext:async
func doubled(ctx context.Context, n int) (int, error) {
	err := job.Sleep(ctx, time.Millisecond)
	h := newHandle()
	job.Yield()
	return double(n) + h.n + h.sum(), err
}

func (h *handle) sum() int { return int(h.c) + h.n }
`
	beside = `package main

import (
	"context"
	"fmt"
)

//movenext:async
func both(ctx context.Context) (int, error) {
	n, err := doubled(ctx, 1)
	if err != nil {
		return 0, err
	}
	return doubled(ctx, n)
}

func main() {
	fmt.Println(both(context.Background()))
	fmt.Println(bothAsync(context.Background()).Wait(context.Background()))
}
`
	callsC = `

//movenext:async
func calls(ctx context.Context) (int, error) {
	n := int(C.twice(3))
	return n, job.Sleep(ctx, time.Millisecond)
}

//movenext:async
func holds(ctx context.Context) (bool, error) {
	n := raw()
	return n == 8, job.Sleep(ctx, time.Millisecond)
}

//movenext:async
func copies(ctx context.Context) (int, error) {
	h := *newHandle()
	return h.n, job.Sleep(ctx, time.Millisecond)
}

//movenext:async
func takes(ctx context.Context, n C.int) error {
	return job.Sleep(ctx, time.Millisecond)
}
`
)

// hasC reports whether there is a C compiler; without one, the go command ignores such files.
func hasC(t *testing.T) bool {
	output, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(output)) == "1"
}

func TestAFunctionThatLeavesCAloneMayStandInAFileWithCgo(t *testing.T) {
	dir := testmodule.New(t, "example.com/withc")
	testmodule.Write(t, filepath.Join(dir, "c.go"), []byte(usesC))
	testmodule.Write(t, filepath.Join(dir, "main.go"), []byte(beside))
	result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	if !hasC(t) {
		require.NotEmpty(t, result.Diagnostics, "doubled is not there")
		return
	}
	require.Empty(t, result.Diagnostics)
	require.Len(t, result.Files, 2)
	assert.Contains(t, string(result.Files[0].Data), "//go:build cgo")
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	output, err := run.CombinedOutput()
	require.NoError(t, err, string(output))
	assert.Equal(t, "46 <nil>\n46 <nil>\n", string(output))

	result, err = codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	assert.Empty(t, result.Stale())
}

func TestAFunctionThatHasToDoWithCIsRefused(t *testing.T) {
	dir := testmodule.New(t, "example.com/withc")
	testmodule.Write(t, filepath.Join(dir, "c.go"), []byte(usesC+callsC))
	testmodule.Write(t, filepath.Join(dir, "main.go"), []byte(beside))
	result, err := codegen.Generate(codegen.Config{Dir: dir}, "./...")
	require.NoError(t, err)
	lines := map[int]bool{}
	for _, d := range result.Diagnostics {
		if hasC(t) {
			assert.Equal(t, "an annotated function cannot use package C", d.What)
		}
		lines[d.Pos.Line] = true
	}
	if hasC(t) {
		assert.Equal(t, map[int]bool{37: true, 43: true, 49: true, 54: true}, lines)
	}
	assert.Empty(t, result.Files)
}
