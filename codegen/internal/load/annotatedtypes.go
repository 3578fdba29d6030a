package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// annotatedTypes finds the annotated types of functions and interfaces in a file, and notes their
// annotations. Those at other types are left for the search for functions, which reports them.
func (f *Finder) annotatedTypes(sc *scope, src *File, found map[*ast.Comment]bool) {
	for _, decl := range src.Syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec)
			doc := spec.Doc
			if !gen.Lparen.IsValid() {
				doc = gen.Doc
			}
			at := source.AnnotationIn(doc)
			if at == nil || strings.TrimSpace(at.Text) != source.DirectiveAsync {
				continue
			}
			switch t := ast.Unparen(spec.Type).(type) {
			case *ast.FuncType:
				found[at] = true
				f.annotatedType(sc, src, spec, source.EnterSuffix, "")
			case *ast.InterfaceType:
				found[at] = true
				f.annotatedType(sc, src, spec, source.PairSuffix, refuseInterface(t))
			}
		}
	}
}

// annotatedType accepts or refuses an annotated type. The two declarations that are generated
// next to it have the suffixes of and OfSuffix. why, if not empty, is a reason to refuse it.
func (f *Finder) annotatedType(sc *scope, src *File, spec *ast.TypeSpec, of, why string) {
	sc.count++
	name, pos := spec.Name.Name, f.ws.Fset.Position(spec.Name.Pos())
	do := "give a method a context as its first parameter"
	if spec.Assign.IsValid() {
		why, do = "an alias is no type of its own", "remove the = after its name"
	}
	if why != "" {
		sc.findings = append(sc.findings, cannotAnnotate(pos, name, why, do))
		return
	}
	for _, made := range []string{name + of, name + source.OfSuffix} {
		if at, taken := sc.declared.Find(made); taken {
			sc.findings = append(sc.findings, functionOfTypeExists(pos, name, made, f.ws.Fset.Position(at)))
			return
		}
	}
	sc.declared.Scope[name+of], sc.declared.Scope[name+source.OfSuffix] = true, true
	src.types = append(src.types, spec)
}

func refuseInterface(t *ast.InterfaceType) (why string) {
	if len(source.PairedMethods(t)) == 0 {
		return "no method that it declares has a context as its first parameter, and a name without Async"
	}
	return ""
}

// stubPair declares the pair of an interface.
func (f *Finder) stubPair(src *File, spec *ast.TypeSpec, t *ast.InterfaceType) string {
	var b strings.Builder
	name, tparams, args := spec.Name.Name, f.slice(src, spec.TypeParams), typeArgs(spec.TypeParams)
	fmt.Fprintf(&b, "type %s%s%s interface {\n%s%s\n", name, source.PairSuffix, tparams, name, args)
	for _, m := range source.PairedMethods(t) {
		fn := m.Type.(*ast.FuncType)
		results, isError := f.resultTexts(src, fn)
		fmt.Fprintf(&b, "%sAsync%s *%s.Job[%s]\n", m.Names[0].Name, f.slice(src, fn.Params), stubJob, stubArgument(valuesOf(results, isError)))
	}
	fmt.Fprintf(&b, "}\nfunc %s%s%s(%s%s) %s%s%s { panic(0) }\n", name, source.OfSuffix, tparams, name, args, name, source.PairSuffix, args)
	return b.String()
}

// stubType declares TEnter and TOf of a function type, the latter of which accepts any entry, or
// the pair of an interface.
func (f *Finder) stubType(src *File, spec *ast.TypeSpec) string {
	if t, ok := ast.Unparen(spec.Type).(*ast.InterfaceType); ok {
		return f.stubPair(src, spec, t)
	}
	fn := ast.Unparen(spec.Type).(*ast.FuncType)
	results, _ := f.resultTexts(src, fn)
	callee := fmt.Sprintf("interface{ Results(*%s.Run) (%s) }", stubMachine, strings.Join(results, ", "))
	name, tparams := spec.Name.Name, f.slice(src, spec.TypeParams)
	value := name + typeArgs(spec.TypeParams)
	enter := fmt.Sprintf("func %s%s%s%s (%s) { panic(0) }\n", name, source.EnterSuffix, tparams,
		withFirst(fn, f.slice(src, fn.Params), "*"+stubMachine+".Run", value), strings.Join(append([]string{callee}, results...), ", "))
	of := fmt.Sprintf("func %s%s%s(%s, interface{}) %s { panic(0) }\n", name, source.OfSuffix, tparams, f.slice(src, fn), value)
	return enter + of
}

// modelType returns an annotated type with its types.
func modelType(pkg *source.Package, file *source.File, spec *ast.TypeSpec) (*source.AnnotatedType, []source.Diagnostic) {
	obj, _ := pkg.Info.Defs[spec.Name].(*types.TypeName)
	t := &source.AnnotatedType{Package: pkg, File: file, Spec: spec, Object: obj}
	if t.Interface() != nil {
		return t, nil
	}
	if params := t.Signature().Params(); params.Len() == 0 || t.Signature().Variadic() && params.Len() == 1 || !source.IsContext(params.At(0).Type()) {
		return nil, []source.Diagnostic{cannotAnnotate(pkg.Position(spec.Name.Pos()), spec.Name.Name,
			"a machine asks a value of this type for its entry by its first parameter, which is no context.Context", "add a context as the first parameter")}
	}
	return t, nil
}
