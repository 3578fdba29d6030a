package load

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Kind is a kind of annotated functions other than the asynchronous ones.
type Kind interface {
	// Read reads a directive, and reports whether it is one of this kind. If it annotates a
	// function, Read accepts or refuses the function. The calls come one after another.
	Read(*Annotation) bool

	// Runtime returns the import path of the package that the generated code names.
	Runtime() string
}

// Runtime returns the import paths of the packages that the generated code names.
func (f *Finder) Runtime() []string {
	list := slices.Clone(source.StubPaths)
	if f.others {
		list = append(list, f.other.Runtime())
	}
	return list
}

// StubRuntime is the qualifier of [Kind.Runtime] in stubs.
const StubRuntime = "movenext_stub_runtime"

// Annotation is a directive in a source file.
type Annotation struct {
	source.Directive
	Package  string // import path
	Dir      string // of the file
	File     *ast.File
	Decl     *ast.FuncDecl      // whose doc comment has the directive; nil: none
	Declared *typetext.Declared // names of the package

	finder *Finder
	scope  *scope
	src    *File
	done   map[*ast.FuncDecl]bool
}

// Position returns the position of pos in the file that the user edits.
func (a *Annotation) Position(pos token.Pos) token.Position { return a.finder.ws.Fset.Position(pos) }

// Report adds a finding about the annotation.
func (a *Annotation) Report(pos token.Pos, what, why, do string) {
	a.scope.findings = append(a.scope.findings, source.Diagnostic{Pos: a.Position(pos), Category: source.CategoryAnnotation, What: what, Why: why, Do: do})
}

// CannotAnnotate refuses the function.
func (a *Annotation) CannotAnnotate(why, do string) {
	a.scope.findings = append(a.scope.findings, cannotAnnotate(a.Position(a.Decl.Name.Pos()), a.Decl.Name.Name, why, do))
}

// Claim makes the directive the annotation of its function. It reports whether it is the only one.
func (a *Annotation) Claim() bool {
	only := !a.done[a.Decl]
	a.done[a.Decl] = true
	return only
}

// Source returns the text of a node of the file.
func (a *Annotation) Source(n ast.Node) string { return a.finder.slice(a.src, n) }

// Accept adds the function to those for which code is generated. stub declares what the source may
// name before that code exists.
func (a *Annotation) Accept(names source.Names, stub string) {
	a.finder.others = true
	a.src.Others = append(a.src.Others, &annotated{decl: a.Decl, names: names, stub: stub})
}
