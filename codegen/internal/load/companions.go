package load

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
)

// addCompanions adds the companions to the stubs of the entries of p. Their types are of no
// interest before the entries exist, so each stub accepts any value.
//
// Variants of a package share the stubs. A variant changes only those of its own files that no
// other one has changed, before it is checked.
func (c *Checker) addCompanions(p *packages.Package) {
	sc := c.finder.scopes[p.PkgPath]
	if sc == nil || sc.count == 0 {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	var pkg *types.Package
	for _, path := range p.GoFiles {
		src := c.sources.Get(path)
		if src.entered || len(src.Functions) == 0 {
			continue
		}
		if src.entered = true; pkg == nil {
			pkg = c.declared(p)
		}
		for _, fn := range src.Functions {
			if obj := lookup(pkg, source.ReceiverName(fn.decl), fn.decl.Name.Name); obj != nil && fn.stream == nil {
				n := len(source.CompanionsIn(pkg, obj.Signature()))
				src.acceptCompanions(fn.decl, fn.names.Enter, 1, n)
				src.acceptCompanions(fn.decl, fn.names.Nested, nestedFirst, n)
			}
		}
	}
}

// declared returns the declarations of p. Only the list's imports are checked for it: it has no
// cycle, where the files may.
func (c *Checker) declared(p *packages.Package) *types.Package {
	imports := c.ws.Imports(p)
	pkg, _ := c.checkWith(p, func(path string) (*types.Package, error) { return c.importPackage(imports, path) }, nil, nil)
	return pkg
}

// nestedFirst is the number of parameters of a nested entry before the companions.
const nestedFirst = 4

// acceptCompanions adds n companions to the stub of an entry of decl, after its first parameters.
func (s *File) acceptCompanions(decl *ast.FuncDecl, enter string, first, n int) {
	for _, stub := range s.stubs {
		for _, d := range stub.decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != enter || source.ReceiverName(fn) != source.ReceiverName(decl) {
				continue
			}
			params := fn.Type.Params
			run := params.List[0]
			list := slices.Clone(params.List[:first])
			for range n {
				companion := &ast.Field{Type: &ast.InterfaceType{Interface: run.Pos(), Methods: &ast.FieldList{}}}
				if len(run.Names) > 0 {
					companion.Names = []*ast.Ident{{NamePos: run.Pos(), Name: "_"}}
				}
				list = append(list, companion)
			}
			params.List = append(list, params.List[first:]...)
		}
	}
}

// lookup returns a function of pkg, or a method if recv is not empty, or nil.
func lookup(pkg *types.Package, recv, name string) *types.Func {
	obj := pkg.Scope().Lookup(name)
	if named := pkg.Scope().Lookup(recv); recv != "" && named != nil {
		obj, _, _ = types.LookupFieldOrMethod(types.NewPointer(named.Type()), true, pkg, name)
	}
	fn, _ := obj.(*types.Func)
	return fn
}
