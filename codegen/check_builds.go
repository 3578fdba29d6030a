package codegen

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/types"
	"path/filepath"

	"github.com/movenext/movenext/codegen/internal/source"
)

// otherBuilds warns about calls in annotated functions of a function that is declared once for
// each of several builds, and is annotated only in some of them. The caller's machine suspends
// there in one build, and blocks in the other. Both have one generated file, and what a run for
// one of them writes is stale for the other. A run sees only its own build, so this looks into all
// files of the folder.
func (r *run) otherBuilds(p *source.Package) []source.Diagnostic {
	declared := r.declarations(p)
	if len(declared) == 0 {
		return nil
	}
	var found []source.Diagnostic
	warned := map[source.FuncKey]bool{}
	for _, file := range p.Files {
		here := source.BuildConstraint(file)
		for _, fn := range file.Functions {
			ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				callee, ok := p.Info.Uses[id].(*types.Func)
				if !ok {
					return true
				}
				key := source.KeyOf(callee.Origin())
				if warned[key] {
					return true
				}
				if with, without := differing(declared[key], here); with != nil {
					warned[key] = true
					found = append(found, markedElsewhere(p.Extent(id), id.Name, fn.Decl.Name.Name, with.String(), without.String()))
				}
				return true
			})
		}
	}
	return found
}

// declaration is where a function is declared for some builds.
type declaration struct {
	path      string
	builds    constraint.Expr // nil: all
	annotated bool
}

// String returns the name of the file and its condition.
func (d *declaration) String() string {
	return fmt.Sprintf("%s (%s)", filepath.Base(d.path), d.builds)
}

// declarations returns the functions and methods that files with a build constraint declare.
func (r *run) declarations(p *source.Package) map[source.FuncKey][]*declaration {
	list := map[source.FuncKey][]*declaration{}
	paths, err := r.ws.InFolder(p.Dir)
	if err != nil {
		return nil // the search for annotations has reported it
	}
	for _, path := range paths {
		src := r.sources.Get(path)
		if src.Syntax == nil || src.Generated || src.Syntax.Name.Name != p.Name {
			continue
		}
		builds := source.BuildConstraint(&source.File{Path: path, Syntax: src.Syntax})
		if builds == nil {
			continue
		}
		for _, decl := range src.Syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				key := source.NewKey(p.Path, source.ReceiverName(fn), fn.Name.Name)
				list[key] = append(list[key], &declaration{path, builds, source.IsAnnotated(fn)})
			}
		}
	}
	return list
}

// differing returns two declarations, one of them annotated, that a file which is built under the
// condition here may be built with.
func differing(list []*declaration, here constraint.Expr) (with, without *declaration) {
	for _, with := range list {
		for _, without := range list {
			if with.annotated && !without.annotated && source.CanBeBuilt(here, with.builds) && source.CanBeBuilt(here, without.builds) {
				return with, without
			}
		}
	}
	return nil, nil
}
