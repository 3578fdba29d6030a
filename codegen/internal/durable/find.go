package durable

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
)

// The search for durable functions and their steps, by syntax alone. The names of points are
// inside function bodies, and are read when a function is translated.

// migration is a function that converts what a durable function has saved with another layout.
type migration struct {
	function string // the name of the durable function
	from     string // the layout
	to       string // the layout that it produces, once it is known
	goName   string
	pos      token.Position
	dir      string // of its file
}

// Read reads a directive about durable functions.
func (k *Kind) Read(a *load.Annotation) bool {
	pos := a.Comment.Pos()
	place := func() string { return a.Text + " " + source.Whereabouts(a.File, pos) }
	if function, from, ok := migrationOf(a.Text); ok {
		switch {
		case a.Decl == nil || a.Decl.Recv != nil:
			a.Report(pos, place(), "only a function can be a migration, not a method", "put it into the doc comment of a function")
		case function == "" || from == "":
			a.Report(pos, a.Text+" does not say what it migrates", "instances have the name of their function and the layout that they were saved with", "write "+source.DirectiveMigrate+" name=NAME from=LAYOUT")
		default:
			k.migrations[a.Package] = append(k.migrations[a.Package], migration{
				function: function, from: from, goName: a.Decl.Name.Name, pos: a.Position(a.Decl.Name.Pos()), dir: a.Dir,
			})
		}
		return true
	}
	name, isDurable := nameIn(a.Text)
	_, isPoint := pointName(a.Text)
	switch {
	case isPoint:
		if !insideDurable(a.File, pos) {
			a.Report(pos, place(), "it names a point of a durable function", "put it above a statement of one")
		}
	case a.Text == source.DirectiveStep && a.Decl != nil:
		k.steps[key(a)] = true
	case a.Text == source.DirectiveStep || isDurable && a.Decl == nil:
		a.Report(pos, place(), "only a function or a method with a body can be annotated so", "put it into the doc comment of the function")
	case isDurable && name == "":
		a.Report(pos, a.Text+" has no name", "instances are stored under it, whatever the function is called later", "write "+source.DirectiveDurable+" name=NAME")
	case isDurable && !a.Claim():
		a.Report(pos, a.Decl.Name.Name+" is annotated twice", "a durable function is not an asynchronous one: each step is saved", "remove one of the annotations")
	case isDurable:
		k.readFunction(a, name)
	default:
		return false
	}
	return true
}

func key(a *load.Annotation) source.FuncKey {
	return source.NewKey(a.Package, source.ReceiverName(a.Decl), a.Decl.Name.Name)
}

// insideDurable reports whether a position is in the body of a durable function.
func insideDurable(file *ast.File, pos token.Pos) bool {
	return slices.ContainsFunc(file.Decls, func(decl ast.Decl) bool {
		fn, ok := decl.(*ast.FuncDecl)
		return ok && fn.Body != nil && fn.Body.Pos() < pos && pos < fn.Body.End() && IsDurable(fn)
	})
}

// readFunction accepts or refuses a durable function.
func (k *Kind) readFunction(a *load.Annotation, name string) {
	if why, do := notDurable(a.Decl); why != "" {
		a.CannotAnnotate(why, do)
		return
	}
	names, other, ok := a.Declared.ChooseVariable(a.Decl, "Durable", "Saved")
	if !ok {
		a.Report(a.Decl.Name.Pos(), fmt.Sprintf("%s is already declared at line %d", names.Async, a.Position(other).Line),
			"the durable function "+a.Decl.Name.Name+" would declare it again", "rename one")
		return
	}
	a.Accept(names, stub(a, names.Async))
	k.names[key(a)] = name
}

// notDurable returns why a function cannot be durable, judging by its signature alone.
func notDurable(decl *ast.FuncDecl) (why, do string) {
	results, isError := source.ResultTypes(decl.Type)
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

// stub declares the variable of a durable function, as its generated file will do. For
//
//	func (s *Shop) Order(ctx context.Context, o Request) (Receipt, error)
//
// that variable is
//
//	var OrderDurable durable.Function[*Shop, Request, Receipt]
func stub(a *load.Annotation, variable string) string {
	recv, request, result := "struct{}", "struct{}", "struct{}"
	if a.Decl.Recv != nil {
		recv = a.Source(a.Decl.Recv.List[0].Type)
	}
	list := a.Decl.Type.Params.List
	if last := list[len(list)-1]; len(list) > 1 || len(last.Names) > 1 {
		request = a.Source(last.Type)
	}
	if results, _ := source.ResultTypes(a.Decl.Type); len(results) == 2 {
		result = a.Source(results[0])
	}
	return fmt.Sprintf("var %s %s.Function[%s, %s, %s]\n", variable, load.StubRuntime, recv, request, result)
}

// isDeclared reports whether any file of a folder declares a durable function with a name,
// including files that this run does not build.
func (k *Kind) isDeclared(dir, name string) bool {
	paths, err := k.ws.InFolder(dir)
	return err != nil || slices.ContainsFunc(paths, func(path string) bool {
		src := k.sources.Get(path)
		return !strings.HasSuffix(path, "_test.go") && src.Syntax != nil && slices.ContainsFunc(source.Directives(src.Syntax), func(d source.Directive) bool {
			is, ok := nameIn(d.Text)
			return ok && is == name
		})
	})
}
