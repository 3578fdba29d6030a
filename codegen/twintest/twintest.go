// Package twintest is for tests in modules with generated code.
//
// The go command does not notice that a function has changed since its machine was generated: it
// builds and tests the old machine. One test in a module tells:
//
//	func TestGeneratedCodeIsFresh(t *testing.T) { twintest.Fresh(t) }
package twintest

import (
	"go/build"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/stale"
)

// Fresh fails the test with a line for each annotated function in the module of the test whose
// generated code is missing or older than the function, and for each function whose generated code
// is still there after it was renamed or removed. It goes on after a failure.
//
// It compares texts: it starts no program and generates nothing. The findings are those of the
// check stale of package codegen/vet, with all build tags. It leaves out vendored packages,
// folders called testdata, and modules inside of this one. The test fails if its folder, which go
// test makes the current one, is in no module.
func Fresh(t testing.TB) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatalf("twintest: cannot find the module of the test: %v", err)
	}
	folders, err := packagesBelow(root)
	if err != nil {
		t.Fatalf("twintest: cannot read the module of the test: %v", err)
	}
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		p := &stale.Package{Fset: token.NewFileSet(), Read: os.ReadFile}
		for _, path := range folders[dir] {
			if built, err := build.Default.MatchFile(dir, filepath.Base(path)); err == nil && built {
				p.Files = append(p.Files, path)
			} else {
				p.Excluded = append(p.Excluded, path)
			}
		}
		for _, f := range p.Check() {
			t.Error(source.Diagnostic{Pos: p.Fset.Position(f.Pos), What: f.What, Why: f.Why, Do: f.Do})
		}
	}
}

// moduleRoot returns the folder of the module that contains the current folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil || dir == filepath.Dir(dir) {
			return dir, err
		}
		dir = filepath.Dir(dir)
	}
}

// packagesBelow returns the Go files of a module by their folders.
func packagesBelow(root string) (map[string][]string, error) {
	folders := map[string][]string{}
	return folders, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && leftOut(path):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go"):
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
		return nil
	})
}

// leftOut reports whether the pattern ./... does not match what is in a folder.
func leftOut(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
