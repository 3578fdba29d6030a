package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Durable functions and their steps, by syntax alone. The names of points are inside function
// bodies, and are read when a function is translated.

// forDurable handles a directive about durable functions, and reports whether d is one.
func (f *Finder) forDurable(sc *scope, src *File, d source.Directive, decl *ast.FuncDecl, done map[*ast.FuncDecl]bool) bool {
	pos := f.ws.Fset.PositionFor(d.Comment.Pos(), false)
	refuse := func(what, why, do string) {
		sc.findings = append(sc.findings, source.Diagnostic{Pos: pos, Category: source.CategoryAnnotation, What: what, Why: why, Do: do})
	}
	if name, from, ok := source.MigrationOf(d.Text); ok {
		switch {
		case decl == nil || decl.Recv != nil:
			refuse(d.Text+" "+source.Whereabouts(src.Syntax, d.Comment.Pos()), "only a function can be a migration, not a method", "put it into the doc comment of a function")
		case name == "" || from == "":
			refuse(d.Text+" does not say what it migrates", "instances have the name of their function and the layout that they were saved with", "write "+source.DirectiveMigrate+" name=NAME from=LAYOUT")
		default:
			f.migrations[sc.pkgPath] = append(f.migrations[sc.pkgPath], source.Migration{Function: name, From: from, Func: decl.Name.Name, Pos: f.ws.Fset.PositionFor(decl.Name.Pos(), false)})
		}
		return true
	}
	name, isDurable := source.DurableName(d.Text)
	_, isPoint := source.PointName(d.Text)
	switch {
	case isPoint:
		if !insideDurable(src.Syntax, d.Comment.Pos()) {
			refuse(d.Text+" "+source.Whereabouts(src.Syntax, d.Comment.Pos()), "it names a point of a durable function", "put it above a statement of one")
		}
	case d.Text == source.DirectiveStep && decl != nil:
		f.steps[source.NewKey(sc.pkgPath, source.ReceiverName(decl), decl.Name.Name)] = true
	case d.Text == source.DirectiveStep || isDurable && decl == nil:
		refuse(d.Text+" "+source.Whereabouts(src.Syntax, d.Comment.Pos()), "only a function or a method with a body can be annotated so", "put it into the doc comment of the function")
	case isDurable && name == "":
		refuse(d.Text+" has no name", "instances are stored under it, whatever the function is called later", "write "+source.DirectiveDurable+" name=NAME")
	case isDurable && done[decl]:
		refuse(decl.Name.Name+" is annotated twice", "a durable function is not an asynchronous one: each step is saved", "remove one of the annotations")
	case isDurable:
		done[decl] = true
		f.durable(sc, src, decl, name)
	default:
		return false
	}
	return true
}

// insideDurable reports whether a position is in the body of a durable function.
func insideDurable(file *ast.File, pos token.Pos) bool {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && fn.Body != nil && fn.Doc != nil && fn.Body.Pos() < pos && pos < fn.Body.End() {
			return slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
				_, ok := source.DurableName(strings.TrimRight(c.Text, " \t\r"))
				return ok
			})
		}
	}
	return false
}

// durable accepts or refuses a durable function.
func (f *Finder) durable(sc *scope, src *File, decl *ast.FuncDecl, name string) {
	sc.count++
	pos := f.ws.Fset.PositionFor(decl.Name.Pos(), false)
	if why, do := notDurable(decl); why != "" {
		sc.findings = append(sc.findings, cannotAnnotate(pos, decl.Name.Name, why, do))
		return
	}
	names, other, ok := sc.declared.ChooseDurable(decl)
	if !ok {
		sc.findings = append(sc.findings, source.Diagnostic{
			Pos: pos, Category: source.CategoryAnnotation,
			What: fmt.Sprintf("%s is already declared at line %d", names.Async, f.ws.Fset.PositionFor(other, false).Line),
			Why:  "the durable function " + decl.Name.Name + " would declare it again",
			Do:   "rename one",
		})
		return
	}
	src.Durables = append(src.Durables, &annotated{decl: decl, names: names, durable: name})
	f.durables[source.NewKey(sc.pkgPath, source.ReceiverName(decl), decl.Name.Name)] = true
}

// notDurable returns why a function cannot be durable, judging by its signature alone.
func notDurable(decl *ast.FuncDecl) (why, do string) {
	results, isError := resultTypes(decl)
	params := 0
	variadic := false
	for _, field := range decl.Type.Params.List {
		params += max(1, len(field.Names))
		_, variadic = field.Type.(*ast.Ellipsis)
	}
	switch {
	case decl.Body == nil:
		return "it has no body", "annotate a Go function"
	case decl.Name.Name == "_" || decl.Name.Name == "init" && decl.Recv == nil:
		return "it cannot be called", "give it another name"
	case decl.Type.TypeParams != nil || decl.Recv != nil && len(source.ReceiverParams(decl)) > 0:
		return "generic functions are not durable yet", "write it for one type"
	case decl.Recv != nil && source.ReceiverName(decl) == "":
		return "its receiver names no type", "correct the receiver"
	case params == 0 || params > 2 || variadic:
		return "it needs a context and at most one other parameter, the request", "put the parameters into a struct"
	case !isError || len(results) > 2:
		return "it needs the results (T, error) or error", "put the results into a struct, and add an error"
	}
	return "", ""
}

// durableStubs declares the variables of the durable functions of a file, as their generated
// file will do. For
//
//	func (s *Shop) Order(ctx context.Context, o Request) (Receipt, error)
//
// that variable is
//
//	var OrderDurable durable.Function[*Shop, Request, Receipt]
func (f *Finder) durableStubs(src *File) string {
	const pkg = "movenext_stub_durable"
	var b strings.Builder
	fmt.Fprintf(&b, "import %s %q\n", pkg, source.DurablePath)
	for _, fn := range src.Durables {
		recv, request, result := "struct{}", "struct{}", "struct{}"
		if fn.decl.Recv != nil {
			recv = f.slice(src, fn.decl.Recv.List[0].Type)
		}
		list := fn.decl.Type.Params.List
		if last := list[len(list)-1]; len(list) > 1 || len(last.Names) > 1 {
			request = f.slice(src, last.Type)
		}
		if results, _ := resultTypes(fn.decl); len(results) == 2 {
			result = f.slice(src, results[0])
		}
		fmt.Fprintf(&b, "var %s %s.Function[%s, %s, %s]\n", fn.names.Async, pkg, recv, request, result)
	}
	return b.String()
}

// NamesDurable reports whether a file has a durable function with a name, whatever the build
// constraints of the file.
func (s *Sources) NamesDurable(path, name string) bool {
	src := s.Get(path)
	return src.Syntax != nil && slices.ContainsFunc(source.Directives(src.Syntax), func(d source.Directive) bool {
		is, ok := source.DurableName(d.Text)
		return ok && is == name
	})
}

// OwnsDurables reports whether durable functions are generated from a variant.
func (s *Sources) OwnsDurables(v *Variant) bool {
	return slices.ContainsFunc(v.Meta.GoFiles, func(path string) bool { return Owns(v.Meta, path) && len(s.Get(path).Durables) > 0 })
}

// HasDurables reports whether there is a durable function.
func (f *Finder) HasDurables() bool { return len(f.durables) > 0 }
