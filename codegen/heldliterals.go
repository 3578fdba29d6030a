package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// HeldLiterals returns the function literals of the annotated function decl that become machines
// because a variable holds them that is known to hold nothing else (funcvars.go). It is for
// tools that look at source as the generator does; info has to be that of the whole file,
// with the twins of its functions.
func HeldLiterals(fset *token.FileSet, pkg *types.Package, info *types.Info, file *ast.File, decl *ast.FuncDecl) []*ast.FuncLit {
	object, ok := info.Defs[decl.Name].(*types.Func)
	if !ok {
		return nil
	}
	p := &Package{Path: pkg.Path(), Name: pkg.Name(), Fset: fset, Types: pkg, Info: info, Twins: &Twins{}}
	f := &File{Syntax: file}
	fn := &Function{Package: p, File: f, Decl: decl, Object: object}
	f.Functions = []*Function{fn}
	u := newUnit(fn, newImports(p, f))
	u.analyse()
	var list []*ast.FuncLit
	for _, held := range u.literals.vars {
		for _, e := range held.values {
			if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
				list = append(list, lit)
			}
		}
	}
	return list
}
