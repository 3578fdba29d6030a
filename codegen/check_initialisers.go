package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// initialisers warns about package-level variables whose initialisers would suspend in a
// machine: a call of a twin, or Await of a job. Function literals in an initialiser run
// later, if at all, and are plain Go.
func (r *run) initialisers(t *target, pkg *source.Package) []source.Diagnostic {
	var found []source.Diagnostic
	for _, path := range t.Meta.GoFiles {
		src := r.sources.Get(path)
		if !load.Owns(t.Meta, path) || src.Syntax == nil || src.Generated {
			continue
		}
		for _, decl := range src.Syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				found = append(found, initialiser(pkg, spec.(*ast.ValueSpec))...)
			}
		}
	}
	return found
}

func initialiser(p *source.Package, spec *ast.ValueSpec) []source.Diagnostic {
	var found []source.Diagnostic
	for _, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if _, suspends := p.Twins.Suspends(n, p.Info); suspends {
					found = append(found, blockingInitialiser(p.Extent(n), spec.Names[0].Name, types.ExprString(n.Fun)))
				}
			}
			return true
		})
	}
	return found
}
