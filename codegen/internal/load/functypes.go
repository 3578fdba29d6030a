package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// functionTypes finds the annotated function types of a file, and notes their annotations. Those at
// other types are left for the search for functions, which reports them.
func (f *Finder) functionTypes(sc *scope, src *File, found map[*ast.Comment]bool) {
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
			if at := source.AnnotationIn(doc); at != nil && isFunctionType(spec) && strings.TrimSpace(at.Text) == source.DirectiveAsync {
				found[at] = true
				f.functionType(sc, src, spec)
			}
		}
	}
}

func isFunctionType(spec *ast.TypeSpec) bool {
	_, ok := ast.Unparen(spec.Type).(*ast.FuncType)
	return ok
}

// functionType accepts or refuses an annotated function type.
func (f *Finder) functionType(sc *scope, src *File, spec *ast.TypeSpec) {
	sc.count++
	name, pos := spec.Name.Name, f.ws.Fset.Position(spec.Name.Pos())
	if spec.Assign.IsValid() {
		sc.findings = append(sc.findings, cannotAnnotate(pos, name, "an alias is no type of its own", "remove the = after its name"))
		return
	}
	for _, made := range []string{name + source.EnterSuffix, name + source.OfSuffix} {
		if at, taken := sc.declared.Find(made); taken {
			sc.findings = append(sc.findings, functionOfTypeExists(pos, name, made, f.ws.Fset.Position(at)))
			return
		}
	}
	sc.declared.Scope[name+source.EnterSuffix], sc.declared.Scope[name+source.OfSuffix] = true, true
	src.types = append(src.types, spec)
}

// stubType declares TEnter and TOf of a function type. The latter accepts any entry.
func (f *Finder) stubType(src *File, spec *ast.TypeSpec) string {
	fn := ast.Unparen(spec.Type).(*ast.FuncType)
	var results []string
	list, _ := source.ResultTypes(&ast.FuncDecl{Type: fn})
	for _, r := range list {
		results = append(results, f.slice(src, r))
	}
	callee := fmt.Sprintf("interface{ Results(*%s.Run) (%s) }", stubMachine, strings.Join(results, ", "))
	name, tparams := spec.Name.Name, f.slice(src, spec.TypeParams)
	value := name + typeArgs(spec.TypeParams)
	first := []string{"*" + stubMachine + ".Run", value}
	if len(fn.Params.List) > 0 && len(fn.Params.List[0].Names) > 0 {
		first[0], first[1] = "_ "+first[0], "_ "+first[1]
	}
	params := strings.TrimPrefix(f.slice(src, fn.Params), "(")
	enter := fmt.Sprintf("func %s%s%s(%s, %s (%s) { panic(0) }\n", name, source.EnterSuffix, tparams,
		strings.Join(first, ", "), params, strings.Join(append([]string{callee}, results...), ", "))
	of := fmt.Sprintf("func %s%s%s(%s, interface{}) %s { panic(0) }\n", name, source.OfSuffix, tparams, f.slice(src, fn), value)
	return enter + of
}

// modelType returns an annotated function type with its types.
func modelType(pkg *source.Package, file *source.File, spec *ast.TypeSpec) (*source.FuncType, []source.Diagnostic) {
	obj, _ := pkg.Info.Defs[spec.Name].(*types.TypeName)
	t := &source.FuncType{Package: pkg, File: file, Spec: spec, Object: obj}
	if params := t.Signature().Params(); params.Len() == 0 || t.Signature().Variadic() && params.Len() == 1 || !source.IsContext(params.At(0).Type()) {
		return nil, []source.Diagnostic{cannotAnnotate(pkg.Position(spec.Name.Pos()), spec.Name.Name,
			"a machine asks a value of this type for its entry by its first parameter, which is no context.Context", "add a context as the first parameter")}
	}
	return t, nil
}
