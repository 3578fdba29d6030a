package vet

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// droppedContexts reports two ways to lose a context. The first is a machine that has a
// context but passes on one that never ends: the callee runs on another scheduler, and no
// cancellation reaches it. The second is a job's function that uses the surrounding context:
// that context does not end with the job, and does not know which worker the job runs on.
func droppedContexts(r *reporter, s *survey) {
	for _, region := range s.regions {
		own := contextParam(s.info, region.typ)
		if own == nil || region.runner != machine && region.runner != job {
			continue
		}
		region.walk(func(n ast.Node, _ []ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			for _, arg := range call.Args {
				if typ := s.info.TypeOf(arg); typ != nil && source.IsContext(typ) {
					s.contextArgument(r, region, own, arg)
				}
			}
		})
	}
}

// contextParam returns the first parameter of a function if it is a context, or nil.
func contextParam(info *types.Info, typ *ast.FuncType) *ast.Field {
	if len(typ.Params.List) == 0 {
		return nil
	}
	first := typ.Params.List[0]
	if t := info.TypeOf(first.Type); t == nil || !source.IsContext(t) {
		return nil
	}
	return first
}

func (s *survey) contextArgument(r *reporter, region *region, own *ast.Field, arg ast.Expr) {
	name := ""
	if len(own.Names) > 0 && own.Names[0].Name != "_" {
		name = own.Names[0].Name
	}
	p := s.patch(arg.Pos())
	switch arg := ast.Unparen(arg).(type) {
	case *ast.CallExpr:
		fn := s.callee(arg)
		// The two functions of package context without parameters both return a context that
		// never ends.
		if name == "" || fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "context" || fn.Signature().Params().Len() > 0 {
			return
		}
		p.replace(arg, name)
		r.report(arg, contextNotPassed(name), p.fix("pass "+name))
	case *ast.Ident:
		v, ok := s.info.Uses[arg].(*types.Var)
		if !ok || region.call == nil || !s.isAround(region, v) {
			return
		}
		switch {
		case name != "":
			p.replace(arg, name)
		case len(own.Names) > 0:
			p.replace(own.Names[0], arg.Name)
		default:
			p.insert(own.Type.Pos(), arg.Name+" ")
		}
		r.report(arg, contextOfAnother(arg.Name), p.fix("use the job's context"))
	}
}

// isAround reports whether v is a context of a function around the region's literal.
func (s *survey) isAround(r *region, v *types.Var) bool {
	return v.Parent() != s.pass.Pkg.Scope() && (v.Pos() < r.lit.Pos() || v.Pos() >= r.lit.End())
}
