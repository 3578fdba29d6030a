package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/testmodule"
)

// The bounds for each hostile input. The memory limit is Go's own; a run that needs more
// would not end in time. The time limit allows for a machine under heavy load.
const (
	hostileTime   = 5 * time.Minute
	hostileMemory = "GOMEMLIMIT=1GiB"
)

// hostile are malicious inputs, or the leftovers of a crash: the files of a module, and
// the status and output with which the command must end instead of panicking.
var hostile = []struct {
	name   string
	files  map[string]string
	status int
	says   string
}{
	{"an empty source", map[string]string{"x.go": ""}, exitOK, ""},
	{"zeros", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() {}\x00\x00"}, exitFindings, "x.go:"},
	{"a byte order mark", map[string]string{"x.go": "\ufeff" + annotatedSource}, exitOK, ""},
	{"a byte order mark inside", map[string]string{"x.go": annotatedSource + "\ufeff"}, exitFindings, "x.go:"},
	{"bytes that are not text", map[string]string{"x.go": annotatedSource + "var s = \"\xff\xfe\"\n"}, exitFindings, "x.go:"},
	{"a source that is cut", map[string]string{"x.go": annotatedSource[:len(annotatedSource)-3]}, exitFindings, "x.go:"},
	{"a merge conflict", map[string]string{"x.go": "<<<<<<< HEAD\n" + annotatedSource + "=======\n>>>>>>> x\n"}, exitFindings, "x.go:1:1: "},
	{"a line of a million bytes", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() string { return \"" + strings.Repeat("x", 1e6) + "\" }\n"}, exitOK, ""},
	{"parentheses", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() int { return " + strings.Repeat("(", 5_000) + "1" + strings.Repeat(")", 5_000) + " }\n"}, exitOK, ""},
	{"too many parentheses", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() int { return " + strings.Repeat("(", 200_000) + "1 }\n"}, exitFindings, "x.go:"},
	{"blocks", map[string]string{"x.go": suspending("func F() {" + strings.Repeat("{", 2_000) + "job.Yield()" + strings.Repeat("}", 2_000) + "}")}, exitOK, ""},
	{"conditions", map[string]string{"x.go": suspending("func F(b bool) {" + strings.Repeat("if b { job.Yield();", 200) + strings.Repeat("}", 200) + "}")}, exitOK, ""},
	{"literals", map[string]string{"x.go": suspending("func F() {" + strings.Repeat("func() { job.Yield();", 300) + strings.Repeat("}()", 300) + "}")}, exitOK, ""},
	{"literals of which each holds the next", map[string]string{"x.go": suspending("func F() int { return " + strings.Repeat("func() int { job.Yield(); return 1 + ", 300) + "1" + strings.Repeat("}()", 300) + " }")}, exitOK, ""},
	{"arrays of nothing", map[string]string{"x.go": suspending("func F(v T) { w := v; job.Yield(); m := map[T]bool{w: w == v}; job.Yield(); _ = m }\ntype T " + strings.Repeat("[0]", 2_000) + "int")}, exitOK, ""},
	{"an array of 2^800 elements of no size", map[string]string{"x.go": suspending("func F() { var w " + strings.Repeat("[1 << 20]", 40) + "struct{}; job.Yield(); for i, v := range w { job.Yield(); _, _ = i, v } }")}, exitOK, ""},
	{"structures of which each has the next three times", map[string]string{"x.go": suspending("func F(v *T25, w T3) { u := w; job.Yield(); _, _ = u, *v; job.Yield(); x := v; job.Yield(); _ = x }\n" + thrice(25))}, exitOK, ""},
	{"a long sum", map[string]string{"x.go": "package p\n//movenext:async\nfunc F(a int) int { return a" + strings.Repeat("+a", 10_000) + " }\n"}, exitOK, ""},
	{"generic types", map[string]string{"x.go": suspending("func F(v " + deep("N[%s]", 60) + ") { w := v; job.Yield(); _ = w }\n" +
		"type N[T any] struct { f func(a, b T) T; m map[string]T; a T }")}, exitOK, ""},
	{"generic pointers", map[string]string{"x.go": suspending("func F(v " + deep("N[%s]", 60) + ") { w := v; job.Yield(); _ = w }\ntype N[T any] struct { a, b *T }")}, exitOK, ""},
	{"a generic type without an end", map[string]string{"x.go": suspending("func F(v N[int]) { w := v; job.Yield(); _ = w }\ntype N[T any] struct { next *N[[]T] }")}, exitFindings, "cycle"},
	{"a type of itself", map[string]string{"x.go": suspending("func F(v T) { w := v; job.Yield(); _ = w }\ntype T struct { a T }")}, exitFindings, "invalid recursive type"},
	{"a cycle of imports", map[string]string{"x.go": "package p\nimport _ \"example.com/p/q\"\n//movenext:async\nfunc F() {}\n", "q/q.go": "package q\nimport _ \"example.com/p\"\n"}, exitFindings, "cycle"},
	{"two packages", map[string]string{"x.go": annotatedSource, "y.go": "package q\n"}, exitFindings, "found packages"},
	{"a go.mod that is none", map[string]string{"go.mod": "<<<<<<< HEAD\n", "x.go": annotatedSource}, exitUsage, "go.mod"},
}

// suspending returns a file with an annotated function that names package job.
func suspending(function string) string {
	return "package p\n\nimport \"github.com/movenext/movenext/job\"\n\n//movenext:async\n" + function + "\n"
}

// thrice declares structs, each of which contains the previous one in three ways.
func thrice(levels int) string {
	text := "type T0 struct { n int }\ntype P[X any] struct { x *X }\n"
	for i := range levels {
		text += fmt.Sprintf("type T%[2]d struct { a P[T%[1]d]; b P[*T%[1]d]; c [2]T%[1]d }\n", i, i+1)
	}
	return text
}

func deep(form string, levels int) string {
	t := "int"
	for range levels {
		t = fmt.Sprintf(form, t)
	}
	return t
}

func TestHostileInputEndsWithinBoundsAndSaysWhatIsWrong(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "movenext.exe")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			dir := folder(t, h.files)
			ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
			defer cancel()
			cmd := exec.CommandContext(ctx, tool, "-cache=off", "./...")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), hostileMemory)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			_ = cmd.Run() // its status tells more
			assert.Equal(t, h.status, cmd.ProcessState.ExitCode(), stderr.String())
			assert.Contains(t, stderr.String(), h.says)
			assert.NotContains(t, stderr.String(), "panic")
			assert.NotContains(t, stderr.String(), "defect of movenext")
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			require.NoError(t, err)
			assert.Empty(t, left, "nothing is left half-written")
		})
	}
}

func TestObstaclesWhereAFileIsToBeWritten(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	out := filepath.Join(dir, "x_async.go")
	require.NoError(t, os.Mkdir(out, 0o755))
	status, _, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x_async.go: this cannot be replaced by a generated file: not a regular file")
	require.NoError(t, os.Remove(out))

	require.NoError(t, os.Symlink(os.DevNull, out))
	status, _, stderr = movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "is a named pipe or a device, and to read it may never end; rename or remove it")
	require.NoError(t, os.Remove(out))

	for _, name := range []string{".x_async.go.123", ".x_async.go.2147483646-1"} {
		testmodule.Write(t, filepath.Join(dir, name), []byte("half"))
	}
	running := filepath.Join(dir, fmt.Sprintf(".x_async.go.%d-1", os.Getpid()))
	testmodule.Write(t, running, []byte("half"))
	status, _, stderr = movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitOK, status, stderr)
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	assert.Equal(t, []string{running}, left, "what a run at the same time is about to need stays")
}

func TestADamagedFileIsOverwrittenIfThatIsAsked(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource, "x_async.go": ""})
	status, _, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "this generated file is damaged: it is empty")
	status, stdout, _ := movenext("check", "-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stdout, "damaged ")
	status, _, stderr = movenext("-mode=plain", "-overwrite", "-C", dir)
	assert.Equal(t, exitOK, status, stderr)
}

func TestACommandThatThereIsNot(t *testing.T) {
	status, _, stderr := movenext("generat", "./...")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, `movenext: unknown command "generat": want generate, check`)
}

func TestExplainSaysWhenAFunctionOnlyPassesResultsOn(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": suspending("func F() { job.Yield() }\n\n//movenext:async\nfunc G() int { return H() }\n\n//movenext:async\nfunc H() int { job.Yield(); return 1 }")})
	status, stdout, stderr := movenext("explain", "-C", dir, ".", "G")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "no frame but that of H: it returns what is returned there, and suspends nowhere else\n")
}
