package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Stubs are declarations of twins that are still to be generated, so that code that calls them
// type-checks before they exist. For
//
//	//movenext:async
//	func fetch(ctx context.Context, url string) (int, error) { … }
//
// the stubs are
//
//	func fetchAsync(ctx context.Context, url string) *job.Job[int] { panic(0) }
//	func fetchEnter(
//		r *statemachine.Run, ctx context.Context, url string,
//	) (*fetchFrame, int, error) { panic(0) }
//	func fetchNested(…) (*fetchFrame, int, error) { panic(0) } // only if it has one
//	type fetchFrame struct{ statemachine.Frame }
//	func (*fetchFrame) MoveNext(*statemachine.Run) bool { panic(0) }
//	func (*fetchFrame) Results(*statemachine.Run) (int, error) { panic(0) }
//
// The parameters are the source text of fetch itself, and the stubs are added to the very file
// that declares it. That makes them correct without type information: every name in them means
// the same as in fetch, including dot imports and renamed imports. (A separate stub file, the
// obvious solution, would have to repeat the imports, and Go rejects imports that a stub does not
// use.)
//
// The frame of a method of a generic type needs that type's parameters with their constraints, so
// its stub is added to the file that declares the type.
//
// Only the companions of an entry (source.Companion) depend on types: whether the type called
// Handler is that of functions. So a first check of the package, without the bodies of functions,
// finds out how many there are (companions.go).
//
// Previously generated files are ignored, since they may be stale.

// The qualifiers in stubs: names that no source uses.
const (
	stubJob     = "movenext_stub_job"
	stubMachine = "movenext_stub_statemachine"
	stubTypes   = "movenext_stub_gentypes"
)

// stubFile is the file name in the positions of stubs.
const stubFile = "generated declarations"

// stub contains declarations for the annotated functions of one file, owner, that go into the file
// that holds the stub.
type stub struct {
	owner *File
	decls []ast.Decl
}

// addStubs adds stubs to every file of a scope.
func (f *Finder) addStubs(sc *scope) {
	for _, src := range sc.sources {
		if src.err != nil {
			continue // Its package is not type-checked.
		}
		text := map[*File]*strings.Builder{}
		in := func(home *File) *strings.Builder {
			if text[home] == nil {
				text[home] = new(strings.Builder)
			}
			return text[home]
		}
		for _, fn := range src.Functions {
			f.stubFunctions(in(src), src, fn)
			home, params := src, f.slice(src, fn.decl.Type.TypeParams)
			if fn.decl.Recv != nil {
				home, params = f.typeParamsOf(sc, src, source.ReceiverName(fn.decl))
			}
			fmt.Fprintf(in(home), "type %s%s struct { %s.Frame }\n", fn.names.Frame, params, stubMachine)
		}
		for _, spec := range src.types {
			in(src).WriteString(f.stubType(src, spec))
		}
		for home, text := range text {
			f.attach(home, src, text.String())
		}
		if len(src.Others) > 0 {
			text := fmt.Sprintf("import %s %q\n", StubRuntime, f.other.Runtime())
			for _, fn := range src.Others {
				text += fn.stub
			}
			f.attach(src, src, text)
		}
	}
	for _, src := range sc.sources {
		src.checked = src.withStubs(nil)
	}
}

// stubFunctions declares FAsync and FEnter.
func (f *Finder) stubFunctions(w *strings.Builder, src *File, fn *annotated) {
	decl := fn.decl
	recv, frameArgs := "", typeArgs(decl.Type.TypeParams)
	if decl.Recv != nil {
		recv, frameArgs = f.receiver(src, decl)
	}
	params := f.slice(src, decl.Type.Params)
	list, isError := f.resultTexts(src, decl.Type)
	values := valuesOf(list, isError)
	head := "func " + recv
	tparams := f.slice(src, decl.Type.TypeParams)
	if fn.stream != nil {
		w.WriteString(f.streamStub(src, fn, head, tparams, params))
		return
	}
	fmt.Fprintf(w, "%s%s%s%s *%s.Job[%s] { panic(0) }\n", head, fn.names.Async, tparams, params, stubJob, stubArgument(values))

	frame := "*" + fn.names.Frame + frameArgs
	run, results := "*"+stubMachine+".Run", strings.Join(append([]string{frame}, list...), ", ")
	fmt.Fprintf(w, "%s%s%s%s (%s) { panic(0) }\n", head, fn.names.Enter, tparams, withFirst(decl.Type, params, run), results)
	if fn.names.Nested != "" {
		before := withFirst(decl.Type, params, run, "*"+stubMachine+".Frame", "*"+frame, "int32")
		fmt.Fprintf(w, "%s%s%s%s (%s) { panic(0) }\n", head, fn.names.Nested, tparams, before, results)
	}
	fmt.Fprintf(w, "func (%s) MoveNext(*%s.Run) bool { panic(0) }\n", frame, stubMachine)
	fmt.Fprintf(w, "func (%s) Results(*%s.Run) (%s) { panic(0) }\n", frame, stubMachine, strings.Join(list, ", "))
}

// resultTexts returns the types of the results as the source writes them, one for each, and
// reports whether the last one is written "error".
func (f *Finder) resultTexts(src *File, fn *ast.FuncType) (list []string, isError bool) {
	types, isError := source.ResultTypes(fn)
	for _, t := range types {
		list = append(list, f.slice(src, t))
	}
	return list, isError
}

// valuesOf returns results without a last error.
func valuesOf(results []string, isError bool) []string {
	if isError {
		return results[:len(results)-1]
	}
	return results
}

// withFirst puts parameters of the given types before a parameter list, with names if the others
// have names.
func withFirst(fn *ast.FuncType, params string, first ...string) string {
	list := fn.Params.List
	if len(list) > 0 && len(list[0].Names) > 0 {
		for i := range first {
			first[i] = "_ " + first[i]
		}
	}
	if len(list) > 0 {
		first = append(first, params[1:])
		return "(" + strings.Join(first, ", ")
	}
	return "(" + strings.Join(first, ", ") + ")"
}

func stubArgument(values []string) string {
	switch len(values) {
	case 0:
		return stubJob + ".Void"
	case 1:
		return values[0]
	}
	home := stubJob
	if source.TuplePath(len(values)) == source.GentypesPath {
		home = stubTypes
	}
	return fmt.Sprintf("%s.Tuple%d[%s]", home, len(values), strings.Join(values, ", "))
}

// typeArgs returns type parameters as arguments: [K, V] for [K comparable, V any].
func typeArgs(params *ast.FieldList) string {
	if params == nil {
		return ""
	}
	var names []string
	for _, field := range params.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// receiver returns the text of a receiver, and its type parameters as arguments:
// "(m *Map[K, V]) " and "[K, V]". Blank parameters are given names, since the stubs have to
// pass them on.
func (f *Finder) receiver(src *File, decl *ast.FuncDecl) (text, args string) {
	text = f.slice(src, decl.Recv)
	start := decl.Recv.Pos()
	var names []string
	for _, id := range slices.Backward(source.ReceiverParams(decl)) {
		name := id.Name
		if name == "_" {
			name = fmt.Sprintf("movenext_stub_P%d", len(names))
			at := int(id.Pos() - start)
			text = text[:at] + name + text[at+1:]
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return text + " ", ""
	}
	slices.Reverse(names)
	return text + " ", "[" + strings.Join(names, ", ") + "]"
}

// typeParamsOf finds the declaration of a type in a scope, and the text of its type parameters.
func (f *Finder) typeParamsOf(sc *scope, fallback *File, name string) (*File, string) {
	for _, src := range sc.sources {
		if src.Syntax == nil || src.Generated {
			continue
		}
		if spec := typeSpec(src.Syntax, name); spec != nil {
			return src, f.slice(src, spec.TypeParams)
		}
	}
	return fallback, ""
}

func typeSpec(file *ast.File, name string) *ast.TypeSpec {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.Name == name {
				return spec
			}
		}
	}
	return nil
}

// slice returns the source text of a node, or "" for none.
func (f *Finder) slice(src *File, node ast.Node) string {
	switch n := node.(type) {
	case *ast.FieldList:
		if n == nil {
			return ""
		}
	case nil:
		return ""
	}
	file := f.ws.Fset.File(node.Pos())
	return string(src.data[file.Offset(node.Pos()):file.Offset(node.End())])
}

// attach adds the declarations in text to home. They are parsed separately: types of nodes shared
// with the source would be recorded twice, the second time for the stub.
func (f *Finder) attach(home, owner *File, text string) {
	file, err := parser.ParseFile(f.ws.Fset, stubFile, "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		// The signature of an annotated function does not parse by itself; the type checker
		// reports why.
		return
	}
	if home.stubImports == nil {
		home.stubImports = f.stubImports()
	}
	home.stubs = append(home.stubs, stub{owner, file.Decls})
}

// stubImports declares the qualifiers of stubs, and uses each of them.
func (f *Finder) stubImports() []ast.Decl {
	text := fmt.Sprintf("package p\nimport (\n%s %q\n%s %q\n%s %q\n)\ntype _ = %s.Void\ntype _ = %s.Run\ntype _ = %s.Int\n",
		stubJob, source.JobPath, stubMachine, source.StatemachinePath, stubTypes, source.GentypesPath,
		stubJob, stubMachine, stubTypes)
	file, err := parser.ParseFile(f.ws.Fset, stubFile, text, parser.SkipObjectResolution)
	if err != nil {
		panic("codegen: internal error: " + err.Error())
	}
	return file.Decls
}

// withStubs returns the user's file with its stubs, except those of the owners in without. The
// user's syntax itself stays unchanged, since it will be lowered.
func (s *File) withStubs(without map[*File]bool) *ast.File {
	if len(s.stubs) == 0 {
		return s.Syntax
	}
	file := *s.Syntax
	file.Decls = append(slices.Clip(file.Decls), s.stubImports...)
	for _, stub := range s.stubs {
		if !without[stub.owner] {
			file.Decls = append(file.Decls, stub.decls...)
		}
	}
	return &file
}

// streamStub declares the twin of a stream.
func (f *Finder) streamStub(src *File, fn *annotated, head, tparams, params string) string {
	return fmt.Sprintf("%s%s%s%s *%s.Stream[%s] { panic(0) }\n", head, fn.names.Async, tparams, params, stubJob, f.slice(src, source.YieldedType(fn.stream)))
}
