package load

import (
	"go/ast"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// The search uses only syntax, before any type is known, so that the twins can be declared before
// types are checked.

// annotated is a function with a valid annotation.
type annotated struct {
	decl   *ast.FuncDecl
	names  source.Names
	stream *ast.FuncLit // nil if it is none
	root   bool         // see rootOnly

	stub string // of another kind: its declarations
}

// scope is one package scope of a folder that may contain annotations: all files with one package
// clause, whatever the build configuration. The variants with and without tests are type-checked
// separately, but names are chosen here, once for all variants.
type scope struct {
	pkgPath, dir string
	sources      []*File // the files of this configuration, tests included
	declared     *typetext.Declared
	mentioned    mentions
	count        int // annotated functions and types
	findings     []source.Diagnostic

	mu sync.Mutex // of the stubs, while companions are added
}

// Finder finds the annotated functions of a workspace.
type Finder struct {
	ws      *Workspace
	sources *Sources
	scopes  map[string]*scope // by package path
	names   map[source.FuncKey]source.Names
	other   Kind
	others  bool // there is a function of that kind

	unmatched map[string]bool // for Elsewhere; nil: not known yet
}

// Find parses all local packages, searches them for annotations, and declares the future twins.
// The directives of asynchronous functions are its own; it passes the others to the other kind.
func Find(ws *Workspace, srcs *Sources, other Kind) *Finder {
	f := &Finder{ws: ws, sources: srcs, scopes: map[string]*scope{}, names: map[source.FuncKey]source.Names{}, other: other}
	locals := ws.Locals()
	srcs.prepare(locals)
	mentioned := map[string]bool{} // by package path
	for _, p := range locals {
		mentioned[p.PkgPath] = mentioned[p.PkgPath] || srcs.mayAnnotate(p.GoFiles)
	}
	seen := map[string]bool{}
	for _, p := range locals {
		if mentioned[p.PkgPath] {
			f.gather(p, seen)
		}
	}
	for _, p := range locals {
		if sc := f.scopes[p.PkgPath]; sc != nil && sc.declared == nil {
			f.examine(sc, p)
		}
	}
	for _, sc := range f.scopes {
		f.addStubs(sc)
	}
	return f
}

// gather adds the files of one variant to its scope.
func (f *Finder) gather(p *packages.Package, seen map[string]bool) {
	sc := f.scopes[p.PkgPath]
	if sc == nil {
		sc = &scope{pkgPath: p.PkgPath, dir: Folder(p)}
		f.scopes[p.PkgPath] = sc
	}
	for _, path := range p.GoFiles {
		if !seen[path] {
			seen[path] = true
			sc.sources = append(sc.sources, f.sources.Get(path))
		}
	}
}

// examine reads the annotations of a scope and chooses the names.
func (f *Finder) examine(sc *scope, p *packages.Package) {
	sc.declared, sc.mentioned = typetext.NewDeclared(), newMentions()
	f.declare(sc, p.Name)
	sc.mentioned.findNested()
	var sources []*File
	for _, src := range sc.sources {
		if src.Syntax != nil && !src.Generated {
			sources = append(sources, src)
		}
	}
	types := map[*ast.Comment]bool{}
	for _, src := range sources {
		f.annotatedTypes(sc, src, types) // their names are fixed, so they come first
	}
	for _, src := range sources {
		f.annotations(sc, src, types)
	}
}

// declare records the declarations of the folder in the scope of the package called name. It
// reads the whole folder: if names depended on whether tests or files for other systems are
// loaded, they would differ between runs.
func (f *Finder) declare(sc *scope, name string) {
	paths, err := f.ws.InFolder(sc.dir)
	if err != nil {
		sc.findings = append(sc.findings, source.Unreadable(sc.dir, err))
	}
	for _, path := range paths {
		if src := f.sources.Get(path); src.Syntax != nil && !src.Generated && src.Syntax.Name.Name == name {
			sc.declared.AddFile(src.Syntax)
			sc.mentioned.add(src.Syntax)
		}
	}
}

// annotations reads the annotations of functions in one file. The given ones are those of types.
func (f *Finder) annotations(sc *scope, src *File, ofTypes map[*ast.Comment]bool) {
	byComment := map[*ast.Comment]*ast.FuncDecl{}
	for _, decl := range src.Syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil {
			for _, c := range fn.Doc.List {
				byComment[c] = fn
			}
		}
	}
	done := map[*ast.FuncDecl]bool{}
	for _, d := range source.Directives(src.Syntax) {
		pos := f.ws.Fset.Position(d.Comment.Pos())
		decl := byComment[d.Comment]
		switch {
		case source.IsExcuse(d.Text) || ofTypes[d.Comment]:
		case !strings.HasPrefix(d.Text, source.DirectivePrefix):
			if decl != nil || !source.HasSpace(d.Text) { // otherwise it may be prose
				sc.findings = append(sc.findings, misspeltDirective(pos, d.Text))
			}
		case !source.IsAsync(d.Text):
			a := &Annotation{
				Directive: d, Package: sc.pkgPath, Dir: sc.dir, File: src.Syntax, Decl: decl, Declared: sc.declared,
				finder: f, scope: sc, src: src, done: done,
			}
			if !f.other.Read(a) {
				sc.findings = append(sc.findings, unknownDirective(pos, d.Text))
			}
		case decl == nil:
			sc.findings = append(sc.findings, misplacedDirective(pos, source.Whereabouts(src.Syntax, d.Comment.Pos())))
		case done[decl]:
			sc.findings = append(sc.findings, repeatedDirective(pos, decl.Name.Name))
		default:
			done[decl] = true
			f.function(sc, src, decl)
		}
	}
}

// function accepts or refuses one annotated function.
func (f *Finder) function(sc *scope, src *File, decl *ast.FuncDecl) {
	sc.count++
	pos := f.ws.Fset.Position(decl.Name.Pos())
	if why, do := refusal(src, decl); why != "" {
		sc.findings = append(sc.findings, cannotAnnotate(pos, decl.Name.Name, why, do))
		return
	}
	if other, taken := sc.declared.FindTaken(decl); taken {
		at := f.ws.Fset.Position(other)
		sc.findings = append(sc.findings, twinExists(pos, decl.Name.Name, at))
		return
	}
	fn := &annotated{decl: decl, names: sc.declared.Choose(decl), stream: source.StreamLiteral(decl)}
	fn.root = sc.mentioned.rootOnly(fn)
	if !fn.root && fn.stream == nil && sc.mentioned.nests(decl) {
		fn.names.Nested = sc.declared.ChooseNested(decl)
	}
	src.Functions = append(src.Functions, fn)
	f.names[source.NewKey(sc.pkgPath, source.ReceiverName(decl), decl.Name.Name)] = fn.names
}

// refusal returns why a function cannot have a generated twin, judging by its signature alone.
func refusal(src *File, decl *ast.FuncDecl) (why, do string) {
	name := decl.Name.Name
	switch {
	case decl.Body == nil:
		return "it has no body to make a machine of", "annotate the Go function that calls it"
	case name == "_":
		return "it cannot be called", "name it or remove the annotation"
	case decl.Recv == nil && name == "init":
		return "the Go runtime calls init and waits for it", "move the work to a function that init or main starts"
	case decl.Recv == nil && name == "main" && src.Syntax.Name.Name == "main":
		return "the Go runtime calls main and the program ends with it",
			"move the work to a function and wait for its job in main"
	case decl.Recv == nil && strings.HasSuffix(src.path, "_test.go") && isTestName(name):
		return "go test would take " + name + "Async for a test too", "move the work to a function that the test calls"
	case countValues(decl) > source.MaxValues:
		return "a job carries at most sixteen values and an error", "return a struct"
	case decl.Recv != nil && source.ReceiverName(decl) == "":
		return "its receiver names no type", "correct the receiver"
	}
	return "", ""
}

// isTestName follows the go command's rule for the names of tests.
func isTestName(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(rest); rest == "" || !unicode.IsLower(r) {
			return true
		}
	}
	return false
}

// countValues counts the results, without a last error.
func countValues(decl *ast.FuncDecl) int {
	types, isError := source.ResultTypes(decl.Type)
	if isError {
		return len(types) - 1
	}
	return len(types)
}
