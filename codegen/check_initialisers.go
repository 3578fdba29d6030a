package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// initialisers warns of package-level variables whose initialisers would suspend in a
// machine: a call of a twin, or Await of a job. Function literals in them run later,
// if at all, and are plain Go.
func (r *run) initialisers(t *target, pkg *Package) []Diagnostic {
	var found []Diagnostic
	for _, path := range t.meta.GoFiles {
		src := r.sources.get(path)
		if !owns(t.meta, path) || src.syntax == nil || src.generated {
			continue
		}
		for _, decl := range src.syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				found = append(found, pkg.initialiser(spec.(*ast.ValueSpec))...)
			}
		}
	}
	return found
}

func (p *Package) initialiser(spec *ast.ValueSpec) []Diagnostic {
	var found []Diagnostic
	for _, value := range spec.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				if _, suspends := p.Twins.Suspends(n, p.Info); suspends {
					at := extent{p.Position(n.Pos()), p.Position(n.End())}
					found = append(found, blockingInitialiser(at, spec.Names[0].Name, types.ExprString(n.Fun)))
				}
			}
			return true
		})
	}
	return found
}
