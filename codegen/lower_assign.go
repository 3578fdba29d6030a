package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// assignment lowers =, := and the assignments with an operator.
func (u *unit) assignment(s *ast.AssignStmt) {
	if !u.onlyCalled(s.Lhs) {
		u.assignValues(s)
	}
	u.companions(s.Lhs, s.Rhs, s.Tok == token.DEFINE)
}

func (u *unit) assignValues(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		if u.Suspends(s) {
			u.spillAll([]analyse.Operand{{Expr: s.Lhs[0], Assigned: true}, {Expr: s.Rhs[0]}}, false)
		}
		u.keepRest(s)
		return
	}
	dst := func() []ir.Dest { return u.lefts(s.Lhs) }
	if !u.Suspends(s) {
		u.add(u.assigning(dst(), s.Rhs, s))
		return
	}
	var ops []analyse.Operand
	for _, lhs := range s.Lhs {
		ops = append(ops, analyse.Operand{Expr: lhs, Assigned: true})
	}
	if call := u.onlyPoint(s.Rhs); call != nil {
		u.spillAll(ops, true)
		u.suspendInto(call, dst())
		return
	}
	if len(s.Lhs) == 1 {
		u.settleAppend(s.Lhs[0], s.Rhs[0])
	}
	for i, rhs := range s.Rhs {
		o := analyse.Operand{Expr: rhs}
		if len(s.Lhs) == len(s.Rhs) {
			o.To = u.LeftType(s.Lhs[i])
		}
		ops = append(ops, o)
	}
	if u.Forced[s] && len(s.Lhs) == 1 {
		_, _, call := u.AppendToPlace(s.Lhs[0], s.Rhs[0])
		u.spillAll(u.CallOperands(call)[1:], true)
	}
	if u.Forced[s] && len(s.Rhs) > 1 {
		u.spillAll(ops, true)
		u.tuple(s.Lhs, s.Rhs, func(i int) ir.Dest { return u.left(s.Lhs[i]) })
		return
	}
	u.spillAll(ops, false)
	u.add(u.assigning(dst(), s.Rhs, s))
}

// onlyPoint is the suspension point that is all of the right-hand side, or nil.
func (u *unit) onlyPoint(rhs []ast.Expr) *ast.CallExpr {
	if len(rhs) != 1 {
		return nil
	}
	call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr)
	if !ok || u.Points[call] == nil {
		return nil
	}
	return call
}

// suspendInto gives the values of a suspension point to dst: at once, or after
// everything has been evaluated.
func (u *unit) suspendInto(call *ast.CallExpr, dst []ir.Dest) {
	for _, t := range dst {
		if !u.direct(call, t) {
			u.evaluate(call)
			u.add(&ir.Assign{Dst: dst, Src: mentions(u.evaluated[call])})
			return
		}
	}
	u.suspend(call, dst)
}

// direct reports whether a point may assign t by itself. An entry that suspends returns
// zero values first, so its targets must not be visible elsewhere; and the left-hand
// side must be evaluated after the suspension.
func (u *unit) direct(call *ast.CallExpr, t ir.Dest) bool {
	switch {
	case t.V == nil:
		return t.Place == nil
	case t.Declares:
		return true
	}
	// visible to deferred calls, or to the caller after a panic
	kept := t.V.Shared() || t.V.Result && u.Defers
	return !kept || !u.Points[call].Kind.Enters()
}

// lefts are the targets for left-hand sides.
func (u *unit) lefts(list []ast.Expr) []ir.Dest {
	var dst []ir.Dest
	for _, lhs := range list {
		dst = append(dst, u.left(lhs))
	}
	return dst
}

func (u *unit) left(lhs ast.Expr) ir.Dest {
	id, ok := ast.Unparen(lhs).(*ast.Ident)
	if !ok {
		return ir.Dest{Place: u.expr(lhs)}
	}
	if id.Name == "_" {
		return ir.Dest{}
	}
	if obj := u.Info.Defs[id]; obj != nil {
		return ir.Dest{V: u.declare(obj), Declares: true}
	}
	if v := u.variableOf(id); v != nil {
		return ir.Dest{V: v}
	}
	return ir.Dest{Place: u.expr(id)}
}

// join is a list of expressions as one rope.
func (u *unit) join(list []ast.Expr) ir.Rope {
	var r ir.Rope
	for i, e := range list {
		if i > 0 {
			r = append(r, ir.Text(", "))
		}
		r = append(r, u.value(e)...)
	}
	return r
}

// assigning is the assignment of a list of values. Some targets may turn out to be of
// no use; a constant, and nil more so, needs the type of its target then.
func (u *unit) assigning(dst []ir.Dest, list []ast.Expr, whole ast.Node) *ir.Assign {
	i := &ir.Assign{Dst: dst}
	for n, e := range list {
		if n > 0 {
			i.Src = append(i.Src, ir.Text(", "))
		}
		value := u.value(e)
		if len(list) > 1 && dst[n].V != nil && (u.IsConstant(e) || u.Info.Types[ast.Unparen(e)].IsNil()) {
			value = converted(value, dst[n])
		}
		i.Src = append(i.Src, value...)
	}
	i.Whole = u.scan(whole)
	return i
}

// converted is a constant or nil for a target, which may turn out to be of no use.
func converted(value ir.Rope, to ir.Dest) ir.Rope {
	r := ir.Rope{ir.OnlyIdle(to, ir.Text("(")), ir.OnlyIdle(to, ir.Opened(ir.TypeOfVariable{V: to.V})), ir.OnlyIdle(to, ir.Text(")("))}
	r = append(r, value...)
	return append(r, ir.OnlyIdle(to, ir.Text(")")))
}

// Expressions that need a type, whether it can be named or not. Where it cannot, a
// function of the runtime infers it from a like (package unnamed).

// convertedTo is the conversion of val to t.
func (u *unit) convertedTo(t types.Type, val ir.Rope, at ast.Node) ir.Rope {
	return withType(t, val, "Typed", ir.Rope{ir.Text("("), ir.TypeText(t, at), ir.Text(")(")}, ir.Rope{ir.Text(")")})
}

// asserted is the assertion that val, an interface, is of type t.
func (u *unit) asserted(t types.Type, val ir.Rope, at ast.Node) ir.Rope {
	return withType(t, val, "Asserted", nil, ir.Rope{ir.Text(".("), ir.TypeText(t, at), ir.Text(")")})
}

// withType is val between before and behind or, if t has no name, as the argument of a
// function of the runtime.
func withType(t types.Type, val ir.Rope, function string, before, behind ir.Rope) ir.Rope {
	head := ir.IfNamed{Type: t, Named: before, Unnamed: ir.Rope{ir.StatemachineName, ir.Text("." + function + "(")}}
	tail := ir.IfNamed{Type: t, Named: behind, Unnamed: ir.Rope{ir.Text(", "), ir.Opened(ir.LikeOf{Type: t}), ir.Text(")")}}
	return append(append(ir.Rope{ir.Opened(head)}, val...), ir.Opened(tail))
}

// typeArgument is a list of type arguments, in brackets. It is left out, to be
// inferred, if one cannot be named.
func (u *unit) typeArgument(at ast.Node, list ...types.Type) ir.Piece {
	return ir.Opened(ir.TypeArgs{List: list, At: at})
}

// parts are the operands of a left-hand side that are evaluated before the assignment.
func (u *unit) parts(lhs ast.Expr) []analyse.Operand {
	return u.Operands(ast.Unparen(lhs))
}
