// Package testmodule creates temporary modules for tests of the generator: foreign modules that
// depend on this one.
package testmodule

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const runtimeModule = "github.com/movenext/movenext"

// New creates a module called path in a temporary folder and returns the folder. The module
// requires what this module requires, so that nothing has to be fetched, and this module itself
// from its own folder. New fails the test if something cannot be read or written.
func New(t testing.TB, path string) string {
	t.Helper()
	StartsPrograms(t)
	root := moduleRoot(t)
	data := must[[]byte](t)(os.ReadFile(filepath.Join(root, "go.mod")))
	_, requirements, found := strings.Cut(string(data), "\nrequire (")
	if !found {
		t.Fatal("testmodule: go.mod has no block of requirements")
	}
	requirements, _, _ = strings.Cut(requirements, "\ntool ")
	mod := "module " + path + "\n\ngo 1.26.0\n\n" +
		"require " + runtimeModule + " v0.0.0\n\n" +
		"replace " + runtimeModule + " => " + root + "\n\n" +
		"require (" + requirements
	// The go command reports positions under the folder's true name.
	dir := must[string](t)(filepath.EvalSymlinks(t.TempDir()))
	Write(t, filepath.Join(dir, "go.mod"), []byte(mod))
	Write(t, filepath.Join(dir, "go.sum"), must[[]byte](t)(os.ReadFile(filepath.Join(root, "go.sum"))))
	return dir
}

// StartsPrograms skips a test with -short: the test runs the go command, or binaries that it
// builds, and takes seconds.
func StartsPrograms(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts the go command")
	}
}

// CollectLess makes this process, and the programs that it starts, collect garbage less often.
// They hold the types of whole modules and end soon: it is a quarter of their time.
func CollectLess() {
	debug.SetGCPercent(400)
	if err := os.Setenv("GOGC", "400"); err != nil {
		panic(err)
	}
}

// Write writes a file, and creates its folders.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// Age sets the times of all files below a path to the past, so that readers do not consider them
// files that may still change.
func Age(t testing.TB, path string) {
	t.Helper()
	past := time.Now().Add(-time.Hour).Truncate(time.Hour)
	if err := filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, past, past)
	}); err != nil {
		t.Fatal(err)
	}
}

// moduleRoot returns the folder of this module, which is above the test's folder.
func moduleRoot(t testing.TB) string {
	t.Helper()
	dir := must[string](t)(os.Getwd())
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("testmodule: no go.mod above the test")
		}
		dir = parent
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
