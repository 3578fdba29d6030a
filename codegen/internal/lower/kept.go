package lower

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Values of marked function types (source/functypes.go).

// suspendKept calls a value. Source, then result:
//
//	page, err = routes[path](ctx, r)
//
//	f.routes1, f.page, f.err = HandlerEnter(r, f.routes[f.path], f.ctx, f.r)
func (lo *lowering) suspendKept(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	lo.spillArgs(call)
	lo.hold(p, calledName(call), lo.anyCallee(lo.TypeOf(call.Fun).Underlying().(*types.Signature)))
	p.Resumed = lo.label("resumed")
	args := lo.arguments(call, lo.value(call.Fun))
	entry := append(ir.Rope{ir.Text(lo.besideType(s.Enter, s.Enter.Name()) + "(")}, join(args)...)
	lo.enterCallee(p, append(entry, ir.Text(")")), dst)
}

// makeKept makes the value of a marked type that e becomes. Source, then result:
//
//	routes["/"] = fetch
//
//	enter1 := func(r *statemachine.Run, …) (…) { … fetchEnter(r, …) … }
//	kept1 := HandlerOf(fetch, enter1)
//	f.routes["/"] = kept1
func (lo *lowering) makeKept(e ast.Expr, to *types.Named) {
	if b := lo.Binds(e); b != nil {
		lo.bindings[e] = &binding{Suspension: b}
	}
	entry, _ := lo.companionFor(e)
	plain := lo.value(e)
	v := lo.temp("kept", to)
	maker := lo.besideType(source.EnterOfType(to), to.Obj().Name()+source.OfSuffix)
	src := append(ir.Rope{ir.Text(maker)}, lo.typeArguments(e, to.TypeArgs())...)
	src = append(append(src, ir.Text("(")), plain...)
	src = append(append(append(src, ir.Text(", ")), entry...), ir.Text(")"))
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: src})
	lo.evaluated[e] = []*ir.Variable{v}
}

// besideType returns the spelling of a function that is declared next to a marked type, as enter
// is.
func (lo *lowering) besideType(enter *types.Func, name string) string {
	if q := lo.Imports.Name(enter.Pkg()); q != "" {
		return q + "." + name
	}
	return name
}
