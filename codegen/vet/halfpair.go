package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/source"
)

// halfPairs reports types that have the two forms of a pair of twins from different places: the
// plain form and the asynchronous one would be different programs.
func halfPairs(r *reporter, s *survey) {
	source.EachHalfPair(s.pass.Pkg, func(h source.HalfPair) {
		if h.By != "" {
			name := h.Type.Obj()
			r.report(&ast.Ident{NamePos: name.Pos(), Name: name.Name()}, halfMixed(h))
		} else if decl := s.decls[h.Method]; decl != nil {
			r.report(decl.Name, halfOverridden(h), s.otherForm(decl, h.Method, h.Missing))
		}
	})
}

// otherForm adds the missing form: with the annotation, or as a method that awaits the job
// of the existing form.
func (s *survey) otherForm(decl *ast.FuncDecl, m *types.Func, missing string) analysis.SuggestedFix {
	p := s.patch(decl.Pos())
	if strings.HasSuffix(missing, asyncSuffix) {
		p.annotate(decl)
		return p.fix("annotate it")
	}
	obj, _, _ := types.LookupFieldOrMethod(m.Signature().Recv().Type(), true, s.pass.Pkg, missing)
	promoted, ok := obj.(*types.Func)
	if !ok || len(decl.Recv.List[0].Names) == 0 {
		return analysis.SuggestedFix{}
	}
	var args []string
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			args = append(args, name.Name)
		}
	}
	call := fmt.Sprintf("%s.%s(%s).Await()", decl.Recv.List[0].Names[0].Name, m.Name(), strings.Join(args, ", "))
	var results, body string
	list := promoted.Signature().Results()
	switch {
	case len(args) != decl.Type.Params.NumFields() || promoted.Signature().Variadic():
		return analysis.SuggestedFix{}
	case list.Len() == 2 && isErrorType(list.At(1).Type()):
		results, body = fmt.Sprintf("(%s, error)", p.typeString(list.At(0).Type())), "return "+call
	case list.Len() == 1 && isErrorType(list.At(0).Type()):
		results, body = "error", "_, err := "+call+"\n\treturn err"
	default:
		return analysis.SuggestedFix{}
	}
	p.insert(decl.End(), fmt.Sprintf("\n\n// %s waits for the job of %s.\nfunc %s %s%s %s {\n\t%s\n}",
		missing, m.Name(), p.text(decl.Recv), missing, p.text(decl.Type.Params), results, body))
	return p.fix("declare " + missing + " too")
}

func isErrorType(typ types.Type) bool {
	return types.Identical(typ, types.Universe.Lookup("error").Type())
}
