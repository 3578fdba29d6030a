package vet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/vet"
	"github.com/movenext/movenext/internal/testmodule"
)

// sources are the files of a module, each with a function.
var sources = map[string]string{
	"a.go":       "package p\n\n//movenext:async\nfunc A() int { return 1 }\n",
	"b.go":       "package p\n\n//movenext:async\nfunc B() {}\n",
	"gone.go":    "package p\n\n//movenext:async\nfunc Gone() {}\n",
	"a_test.go":  "package p\n\n//movenext:async\nfunc test() {}\n",
	"x_test.go":  "package p_test\n\n//movenext:async\nfunc external() {}\n",
	"tagged.go":  "//go:build special\n\npackage p\n\n//movenext:async\nfunc Tagged() {}\n",
	"excused.go": "package p\n\n//movenext:async\nfunc Excused() {}\n",
	"d/d.go":     "package d\n\nimport (\n\t\"context\"\n\n\t_ \"github.com/movenext/movenext/durable\"\n)\n\n//movenext:durable name=D\nfunc D(ctx context.Context) error { return nil }\n",
}

// TestStaleTwinsAreReported edits the source of a module after it was generated. Checks that work
// with what would be generated must not hide what is there.
func TestStaleTwinsAreReported(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	for name, text := range sources {
		testmodule.Write(t, filepath.Join(dir, name), []byte(text))
	}
	for _, tags := range [][]string{nil, {"special"}} {
		result, err := codegen.Generate(codegen.Config{Dir: dir, Tags: tags}, "./...")
		require.NoError(t, err)
		require.Empty(t, result.Diagnostics)
	}
	assert.Empty(t, findings(t, codegen.Config{Dir: dir}, dir))

	edit := func(name, from, to string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
	}
	edit("a.go", "return 1", "return 2")
	edit("b.go", "func B", "func C")
	edit("a_test.go", "{}", "{ println() }")
	edit("x_test.go", "{}", "{ println() }")
	edit("tagged.go", "{}", "{ println() }")
	edit("excused.go", "Excused() {}", "Excused() { println() } //movenext:allow stale it is a test")
	edit("d/d.go", "return nil", "return ctx.Err()")
	require.NoError(t, os.Rename(filepath.Join(dir, "gone.go"), filepath.Join(dir, "new.go")))
	want := []string{
		"a.go:4:6: the twin of A is stale",
		"a_test.go:4:6: the twin of test is stale",
		"b.go:1:9: b_async.go still has the twin of B, which is not annotated in this file",
		"b.go:4:6: C has no twin in b_async.go",
		"d/d.go:10:6: D: its source has changed since it was accepted",
		"d/d.go:10:6: the twin of D is stale",
		"gone_async.go:1:1: gone_async.go was generated from gone.go, which is gone",
		"new.go:4:6: Gone has no twin, since new_async.go is missing",
		"tagged.go:6:6: the twin of Tagged is stale",
		"x_test.go:4:6: the twin of external is stale",
	}
	assert.Equal(t, want, findings(t, codegen.Config{Dir: dir}, dir))

	saved := map[string][]byte{filepath.Join(dir, "a.go"): []byte(sources["a.go"])}
	assert.Equal(t, want[1:], findings(t, codegen.Config{Dir: dir, Overlay: saved}, dir), "in an editor that has not saved a.go")
}

// findings returns the first parts of all findings of vet in a module.
func findings(t *testing.T, cfg codegen.Config, dir string) (all []string) {
	t.Helper()
	found, err := vet.Packages(cfg, "./...")
	require.NoError(t, err)
	for _, d := range found {
		what, _, _ := strings.Cut(strings.TrimPrefix(d.String(), dir+string(filepath.Separator)), ";")
		all = append(all, filepath.ToSlash(what))
	}
	return all
}

// TestADependencyMayBeStale checks a module that another one has vendored: its user cannot
// generate it.
func TestADependencyMayBeStale(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte("package p\n\nimport _ \"example.com/q\"\n"))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	q := t.TempDir()
	testmodule.Write(t, filepath.Join(q, "go.mod"), []byte("module example.com/q\n\ngo 1.26.0\n"))
	testmodule.Write(t, filepath.Join(q, "q.go"), []byte("package q\n\n//movenext:async\nfunc F() {}\n"))
	testmodule.Write(t, filepath.Join(dir, "go.mod"), append(mod, "\nrequire example.com/q v1.0.0\n\nreplace example.com/q => "+q+"\n"...))
	found, err := vet.Packages(codegen.Config{Dir: dir}, "example.com/q")
	require.NoError(t, err)
	assert.Empty(t, found)
}
