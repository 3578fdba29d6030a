package codegen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

func (u *unit) deferStatement(s *ast.DeferStmt) {
	if u.Suspends(s) {
		u.spillAll(u.CallOperands(s.Call), false)
	}
	u.add(u.deferring(s))
}

// deferring is the instruction of a defer statement whose suspension points, if
// any, have been evaluated.
func (u *unit) deferring(s *ast.DeferStmt) *ir.Deferral {
	d := &ir.Deferral{Node: s, Late: u.HasCall(s.Call.Fun), Plain: !u.mayRecover(s.Call)}
	if p := u.Deferred[s]; p != nil {
		u.deferringPoint(d, s, p)
	} else {
		d.Call = u.deferredCall(d, s.Call, nil)
	}
	return d
}

// deferredCall is the call with what has been evaluated in its places. Arguments that
// the source does not have come first, except for the receiver of a method expression.
func (u *unit) deferredCall(d *ir.Deferral, call *ast.CallExpr, method *types.Selection, more ...ir.Rope) ir.Rope {
	(&mentionScan{u: u}).runner(call)
	fun := u.deferredFunc(d, call)
	args := u.keptArguments(d, call)
	at := 0
	if method != nil && method.Kind() == types.MethodExpr {
		at = 1
	}
	args = slices.Insert(args, at, more...)
	return append(append(append(fun, ir.Text("(")), joined(args)...), ir.Text(")"))
}

func (u *unit) keptArguments(d *ir.Deferral, call *ast.CallExpr) []ir.Rope {
	var args []ir.Rope
	for _, arg := range call.Args {
		if tuple, ok := u.TypeOf(arg).(*types.Tuple); ok {
			return u.forward(d, arg, tuple)
		}
		args = append(args, u.keptValue(d, arg))
	}
	return spread(call, args)
}

// deferredFunc is the callee: a function by its name, a literal, or a value that is
// evaluated now.
func (u *unit) deferredFunc(d *ir.Deferral, call *ast.CallExpr) ir.Rope {
	fun := ast.Unparen(call.Fun)
	if _, ok := fun.(*ast.FuncLit); ok {
		return u.inLiteral(fun)
	}
	if _, ok := u.Builtin(fun); ok {
		return u.inLiteral(fun)
	}
	if fn, _, sel := source.Callee(call, u.Info); fn != nil && (sel == nil || sel.Kind() == types.MethodExpr || u.BindsItself(fun, sel)) {
		return u.inLiteral(fun)
	}
	if u.IsStable(fun) {
		return u.inLiteral(fun)
	}
	return u.evaluatedNow(d, calledName(call), u.value(fun))
}

// keptValue is an argument as the kept call passes it.
func (u *unit) keptValue(d *ir.Deferral, arg ast.Expr) ir.Rope {
	switch e := ast.Unparen(arg); {
	case u.IsConstant(e), u.Info.Types[e].IsNil(), u.Info.Types[e].IsType():
		return u.inLiteral(e)
	case u.IsStable(e):
		return u.inLiteral(e)
	}
	val := u.value(arg)
	if _, done := u.evaluated[ast.Unparen(arg)]; !done && u.needsType(ast.Unparen(arg)) {
		val = u.convertedTo(u.TypeOf(arg), val, arg)
	}
	return u.evaluatedNow(d, "arg", val)
}

// forward is for f(g()): the results of g become arguments.
func (u *unit) forward(d *ir.Deferral, arg ast.Expr, tuple *types.Tuple) []ir.Rope {
	var list []ir.Rope
	for range tuple.Len() {
		name := u.names.Fresh("arg")
		d.Tuple = append(d.Tuple, name)
		list = append(list, ir.Rope{ir.Text(name)})
	}
	d.Forwarded = u.value(arg)
	return list
}

func (u *unit) evaluatedNow(d *ir.Deferral, stem string, val ir.Rope) ir.Rope {
	name := u.names.Fresh(stem)
	d.Names, d.Vals = append(d.Names, name), append(d.Vals, val)
	return ir.Rope{ir.Text(name)}
}

// inLiteral is node as it is spelled inside of a function literal.
func (u *unit) inLiteral(node ast.Node) ir.Rope {
	s := &mentionScan{u: u, root: node, literals: 1}
	s.walk(node)
	return ir.Rope{{Span: s.span()}}
}

// Deferred calls that cannot recover, and are kept as they are.

// mayRecover reports whether a deferred call may be one of a function that calls
// recover itself. Only a literal and a function of the file show that they do not.
func (u *unit) mayRecover(call *ast.CallExpr) bool {
	if name, ok := u.Builtin(call.Fun); ok {
		return name == "recover"
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return u.CallsRecover(lit.Body)
	}
	fn, _, _ := source.Callee(call, u.Info)
	if fn == nil {
		return true
	}
	decl := u.Source.File.DeclarationAt(fn.Origin().Pos())
	return decl == nil || decl.Body == nil || u.CallsRecover(decl.Body)
}
