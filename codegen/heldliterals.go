package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// HeldFunctions returns the variables of the annotated function decl that are known to
// hold only suspending functions (vars; see funcvars.go) and those that hold functions
// for the runtime to call (given; see heldruns.go), and the function literals among
// them, which become machines if they suspend. It is for tools that look at source as
// the generator does; info must cover the whole file, with the twins of its functions.
func HeldFunctions(fset *token.FileSet, pkg *types.Package, info *types.Info, file *ast.File, decl *ast.FuncDecl) (list []*ast.FuncLit, vars, given []*types.Var) {
	object, ok := info.Defs[decl.Name].(*types.Func)
	if !ok {
		return nil, nil, nil
	}
	p := &source.Package{Path: pkg.Path(), Name: pkg.Name(), Fset: fset, Types: pkg, Info: info, Twins: &source.Twins{}}
	f := &source.File{Syntax: file}
	fn := &source.Function{Package: p, File: f, Decl: decl, Object: object}
	f.Functions = []*source.Function{fn}
	u := newUnit(fn, typetext.New(p, f))
	u.analyse()
	for v, held := range u.literals.vars {
		vars = append(vars, v)
		for _, e := range held.values {
			if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
				list = append(list, lit)
			}
		}
	}
	for v, value := range u.literals.given {
		given = append(given, v)
		if lit, ok := value.(*ast.FuncLit); ok {
			list = append(list, lit)
		}
	}
	return list, vars, given
}
