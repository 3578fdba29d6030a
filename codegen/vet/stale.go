package vet

import (
	"go/ast"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/stale"
)

// staleTwins reports generated code that is not of the source as it is now. It compares files as
// they are on disk, also where the rest of vet works with what would be generated.
func staleTwins(r *reporter, _ *survey) {
	if m := r.pass.Module; m != nil && m.Version != "" {
		return // a dependency, which whoever uses it cannot generate
	}
	p := &stale.Package{Fset: r.pass.Fset, Excluded: r.pass.IgnoredFiles, Read: reading(r.pass)}
	for _, f := range r.pass.Files {
		p.Files = append(p.Files, pathOf(r.pass.Fset, f))
	}
	for _, f := range p.Check() {
		r.report(place{f.Pos, f.End}, outOfDate(f.What, f.Why, f.Do))
	}
}

// place is the position of a finding.
type place struct{ pos, end token.Pos }

func (p place) Pos() token.Pos { return p.pos }
func (p place) End() token.Pos { return p.end }

// pathOf returns the path of a file; for one with cgo, that of the file which cgo has translated.
func pathOf(fset *token.FileSet, f *ast.File) string {
	path := fset.File(f.FileStart).Name()
	if strings.HasSuffix(path, ".cgo1.go") {
		path = fset.Position(f.Package).Filename
	}
	return path
}

// reading returns a function that reads a file of a package. The pass knows texts that an editor
// has not saved, but neither the source of a file with cgo nor whether other files exist.
func reading(pass *analysis.Pass) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if data, err := pass.ReadFile(path); err == nil {
			return data, nil
		}
		return os.ReadFile(path)
	}
}
