package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Building fixes: text edits that compile wherever they are applied. The tool that applies
// them removes declarations that are no longer used, imports in particular.

// patch is a fix under construction, for one position.
type patch struct {
	s       *survey
	pos     token.Pos
	edits   []analysis.TextEdit
	imports map[string]string // path -> qualifier
	failed  bool
}

func (s *survey) patch(pos token.Pos) *patch {
	return &patch{s: s, pos: pos, imports: map[string]string{}}
}

func (p *patch) replace(pos ast.Node, text string) {
	p.edits = append(p.edits, analysis.TextEdit{Pos: pos.Pos(), End: pos.End(), NewText: []byte(text)})
}

func (p *patch) insert(pos token.Pos, text string) {
	p.edits = append(p.edits, analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)})
}

// fix returns the finished fix, without edits if it could not be built.
func (p *patch) fix(message string) analysis.SuggestedFix {
	if p.failed {
		return analysis.SuggestedFix{}
	}
	return analysis.SuggestedFix{Message: message, TextEdits: p.edits}
}

// piece is a range of positions that is not a node of the syntax tree.
type piece struct{ from, to token.Pos }

// Pos returns the beginning of the range.
func (p piece) Pos() token.Pos { return p.from }

// End returns the position after the range.
func (p piece) End() token.Pos { return p.to }

// file returns the file around the position.
func (s *survey) file(pos token.Pos) *ast.File {
	for _, f := range s.files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// qualifier returns the name of a package at the position, and imports it if necessary.
func (p *patch) qualifier(importPath string) string {
	if name, ok := p.imports[importPath]; ok {
		return name
	}
	name := p.importName(importPath)
	if name == "" {
		name = path.Base(importPath)
		// A name with another meaning here cannot qualify a package.
		if _, obj := p.scope().LookupParent(name, p.pos); obj != nil {
			p.failed = true
		}
		p.addImport(importPath)
	}
	p.imports[importPath] = name
	return name
}

func (p *patch) scope() *types.Scope { return p.s.pass.Pkg.Scope().Innermost(p.pos) }

// importName returns the name under which the file imports a package, or "" if it does not or
// if the name has another meaning at the position.
func (p *patch) importName(importPath string) string {
	for _, spec := range p.s.file(p.pos).Imports {
		if name := p.s.info.PkgNameOf(spec); name != nil && name.Imported().Path() == importPath {
			if _, obj := p.scope().LookupParent(name.Name(), p.pos); obj == name {
				return name.Name()
			}
		}
	}
	return ""
}

func (p *patch) addImport(importPath string) {
	file := p.s.file(p.pos)
	quoted := strconv.Quote(importPath)
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.IMPORT {
			break
		}
		if gen.Rparen.IsValid() {
			p.insert(gen.Rparen, "\t"+quoted+"\n")
			return
		}
	}
	p.insert(file.Name.End(), "\n\nimport "+quoted)
}

// context returns an expression for the context at the position: the function's own, or one
// that never ends.
func (p *patch) context() string {
	for scope := p.scope(); scope != nil && scope != p.s.pass.Pkg.Scope(); scope = scope.Parent() {
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || !source.IsContext(v.Type()) || v.Pos() >= p.pos || name == "_" {
				continue
			}
			if _, visible := p.scope().LookupParent(name, p.pos); visible == v {
				return name
			}
		}
	}
	return p.qualifier("context") + ".Background()"
}

// typeString returns typ as it is written at the position.
func (p *patch) typeString(typ types.Type) string {
	return types.TypeString(typ, func(pkg *types.Package) string {
		if pkg == p.s.pass.Pkg {
			return ""
		}
		return p.qualifier(pkg.Path())
	})
}

// text returns the source of a node.
func (p *patch) text(n ast.Node) string {
	file := p.s.pass.Fset.File(n.Pos())
	data, err := p.s.pass.ReadFile(file.Name())
	if err != nil || file.Offset(n.End()) > len(data) {
		p.failed = true
		return ""
	}
	return string(data[file.Offset(n.Pos()):file.Offset(n.End())])
}

// annotate inserts the annotation of a function.
func (p *patch) annotate(decl *ast.FuncDecl) {
	if decl.Name.Name == "init" || decl.Name.Name == "main" && p.s.pass.Pkg.Name() == "main" ||
		strings.HasSuffix(p.s.pass.Fset.Position(decl.Pos()).Filename, "_test.go") {
		p.failed = true
		return
	}
	text := "//movenext:async\n"
	if decl.Doc != nil && !strings.HasPrefix(decl.Doc.List[len(decl.Doc.List)-1].Text, "//go:") {
		text = "//\n" + text
	}
	p.insert(decl.Type.Func, text)
}
