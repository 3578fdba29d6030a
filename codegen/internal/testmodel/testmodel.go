// Package testmodel builds the model of a source for tests of phases: a package of one file,
// type-checked without the go command.
package testmodel

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Package returns the model of a package example.com/p, in which all functions and methods count
// as annotated. It may import the standard library and the packages whose texts follow; their
// paths are those of their import comments, or example.com/ and their names. Package panics if a
// text is not valid Go, since texts are constants of tests.
func Package(text string, others ...string) *source.Package {
	known := beside{}
	for _, other := range others {
		p := check("", other, known)
		known[p.Path] = p.Types
	}
	return check("example.com/p", text, known)
}

// Function returns the function or method of a package with the given name. It panics if there is
// none.
func Function(p *source.Package, name string) *source.Function {
	for _, fn := range p.Files[0].Functions {
		if fn.Object.Name() == name {
			return fn
		}
	}
	panic("testmodel: no function " + name)
}

func check(path, text string, known beside) *source.Package {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	must(err)
	if path == "" {
		path = "example.com/" + file.Name.Name
		if _, own, ok := strings.Cut(text, "// import \""); ok {
			path, _, _ = strings.Cut(own, "\"")
		}
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{},
	}
	pkg, err := (&types.Config{Importer: known}).Check(path, fset, []*ast.File{file}, info)
	must(err)
	p := &source.Package{Path: path, Name: file.Name.Name, Fset: fset, Types: pkg, Info: info, Names: map[string]bool{}, Twins: source.NewTwins(nil)}
	for _, name := range pkg.Scope().Names() {
		p.Names[name] = true
	}
	f := &source.File{Path: "p.go", Syntax: file, Source: []byte(text)}
	for _, decl := range file.Decls {
		if decl, ok := decl.(*ast.FuncDecl); ok {
			f.Functions = append(f.Functions, &source.Function{Package: p, File: f, Decl: decl, Object: info.Defs[decl.Name].(*types.Func), Names: names(decl.Name.Name)})
		}
	}
	p.Files = []*source.File{f}
	return p
}

// names returns the names of a function's declarations if none of them is taken.
func names(fn string) source.Names {
	return source.Names{Async: fn + "Async", Enter: fn + "Enter", Frame: fn + "Frame", Locals: fn + "Locals", Args: fn + "Args", Machine: fn + "Machine", Stem: fn}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// beside imports its own packages, by path, and those of the standard library.
type beside map[string]*types.Package

var standard = importer.Default()

// Import implements [types.Importer].
func (b beside) Import(path string) (*types.Package, error) {
	if pkg, ok := b[path]; ok {
		return pkg, nil
	}
	return standard.Import(path)
}
