package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// assignment lowers =, := and assignments with an operator.
func (lo *lowering) assignment(s *ast.AssignStmt) {
	lo.bindAssigned(s.Lhs, s.Rhs)
	if !lo.onlyCalled(s.Lhs) {
		lo.assignValues(s)
	}
	lo.companions(s.Lhs, s.Rhs, s.Tok == token.DEFINE)
}

func (lo *lowering) assignValues(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		if lo.Suspends(s) {
			lo.spillAll([]analyse.Operand{{Expr: s.Lhs[0], Assigned: true}, {Expr: s.Rhs[0]}}, false)
		}
		lo.keepRest(s)
		return
	}
	dst := func() []ir.Dest { return lo.lefts(s.Lhs) }
	if !lo.Suspends(s) {
		lo.add(lo.assigning(dst(), s.Rhs, s))
		return
	}
	var ops []analyse.Operand
	for _, lhs := range s.Lhs {
		ops = append(ops, analyse.Operand{Expr: lhs, Assigned: true})
	}
	if call := lo.onlyPoint(s.Rhs); call != nil {
		lo.spillAll(ops, true)
		lo.suspendInto(call, dst())
		return
	}
	if len(s.Lhs) == 1 {
		lo.settleAppend(s.Lhs[0], s.Rhs[0])
	}
	for i, rhs := range s.Rhs {
		o := analyse.Operand{Expr: rhs}
		if len(s.Lhs) == len(s.Rhs) {
			o.To = lo.LeftType(s.Lhs[i])
		}
		ops = append(ops, o)
	}
	if lo.Decomposed[s] && len(s.Lhs) == 1 {
		_, _, call := lo.AppendToPlace(s.Lhs[0], s.Rhs[0])
		lo.spillAll(lo.CallOperands(call)[1:], true)
	}
	if lo.Decomposed[s] && len(s.Rhs) > 1 {
		lo.spillAll(ops, true)
		lo.tuple(s.Lhs, s.Rhs, func(i int) ir.Dest { return lo.dest(s.Lhs[i]) })
		return
	}
	lo.spillAll(ops, false)
	lo.add(lo.assigning(dst(), s.Rhs, s))
}

// onlyPoint returns the suspension point that is the whole right-hand side, or nil.
func (lo *lowering) onlyPoint(rhs []ast.Expr) *ast.CallExpr {
	if len(rhs) != 1 {
		return nil
	}
	call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr)
	if !ok || lo.Points[call] == nil {
		return nil
	}
	return call
}

// suspendInto assigns the values of a suspension point to dst: directly, or after everything has
// been evaluated.
func (lo *lowering) suspendInto(call *ast.CallExpr, dst []ir.Dest) {
	for _, t := range dst {
		if !lo.direct(call, t) {
			lo.evaluate(call)
			lo.add(&ir.Assign{Dst: dst, Src: mentions(lo.evaluated[call])})
			return
		}
	}
	lo.suspend(call, dst)
}

// direct reports whether a point may itself assign t. An entry that suspends first returns zero
// values, so its targets must not be visible elsewhere; and the left-hand side must be evaluated
// after the suspension.
func (lo *lowering) direct(call *ast.CallExpr, t ir.Dest) bool {
	switch {
	case t.V == nil:
		return t.Place == nil
	case t.Declares:
		return true
	}
	// visible to deferred calls, or to the caller after a panic
	kept := t.V.Shared() || t.V.Result && lo.Defers
	return !kept || !lo.Points[call].Kind.Enters()
}

// lefts returns the assignment targets for left-hand sides.
func (lo *lowering) lefts(list []ast.Expr) []ir.Dest {
	var dst []ir.Dest
	for _, lhs := range list {
		dst = append(dst, lo.dest(lhs))
	}
	return dst
}

func (lo *lowering) dest(lhs ast.Expr) ir.Dest {
	id, ok := ast.Unparen(lhs).(*ast.Ident)
	if !ok {
		return ir.Dest{Place: lo.expr(lhs)}
	}
	if id.Name == "_" {
		return ir.Dest{}
	}
	if obj := lo.Info.Defs[id]; obj != nil {
		return ir.Dest{V: lo.declare(obj), Declares: true}
	}
	if v := lo.variableOf(id); v != nil {
		return ir.Dest{V: v}
	}
	return ir.Dest{Place: lo.expr(id)}
}

// join returns a list of expressions as one rope.
func (lo *lowering) join(list []ast.Expr) ir.Rope {
	var r ir.Rope
	for i, e := range list {
		if i > 0 {
			r = append(r, ir.Text(", "))
		}
		r = append(r, lo.value(e)...)
	}
	return r
}

// assigning returns the assignment of a list of values. Some targets may turn out to be unused;
// a constant, and even more so nil, then needs the type of its target.
func (lo *lowering) assigning(dst []ir.Dest, list []ast.Expr, whole ast.Node) *ir.Assign {
	i := &ir.Assign{Dst: dst}
	for n, e := range list {
		if n > 0 {
			i.Src = append(i.Src, ir.Text(", "))
		}
		value := lo.value(e)
		if len(list) > 1 && dst[n].V != nil && (lo.IsConstant(e) || lo.Info.Types[ast.Unparen(e)].IsNil()) {
			value = convertConstant(value, dst[n])
		}
		i.Src = append(i.Src, value...)
	}
	i.Whole = lo.scan(whole)
	return i
}

// convertConstant returns a constant or nil for a target, which may turn out to be unused.
func convertConstant(value ir.Rope, to ir.Dest) ir.Rope {
	r := ir.Rope{ir.OnlyIdle(to, ir.Text("(")), ir.OnlyIdle(to, ir.OpenPiece(ir.TypeOfVariable{V: to.V})), ir.OnlyIdle(to, ir.Text(")("))}
	r = append(r, value...)
	return append(r, ir.OnlyIdle(to, ir.Text(")")))
}

// Expressions that need a type, even one that cannot be named. In that case a function of the
// runtime infers the type from a witness (package unnamed).

// convertedTo returns the conversion of val to t.
func (lo *lowering) convertedTo(t types.Type, val ir.Rope, pos ast.Node) ir.Rope {
	return withType(t, val, "Typed", ir.Rope{ir.Text("("), ir.TypeText(t, pos), ir.Text(")(")}, ir.Rope{ir.Text(")")})
}

// assertType returns an assertion that the interface value val has type t.
func (lo *lowering) assertType(t types.Type, val ir.Rope, pos ast.Node) ir.Rope {
	return withType(t, val, "Asserted", nil, ir.Rope{ir.Text(".("), ir.TypeText(t, pos), ir.Text(")")})
}

// withType returns val between before and behind or, if t has no name, as the argument of a
// function of the runtime.
func withType(t types.Type, val ir.Rope, function string, before, behind ir.Rope) ir.Rope {
	head := ir.IfNamed{Type: t, Named: before, Unnamed: ir.Rope{ir.GentypesName, ir.Text("." + function + "(")}}
	tail := ir.IfNamed{Type: t, Named: behind, Unnamed: ir.Rope{ir.Text(", "), ir.OpenPiece(ir.WitnessOf{Type: t}), ir.Text(")")}}
	return append(append(ir.Rope{ir.OpenPiece(head)}, val...), ir.OpenPiece(tail))
}

// typeArgument returns a list of type arguments in brackets, or nothing, so that they are
// inferred, if one of them cannot be named.
func (lo *lowering) typeArgument(pos ast.Node, list ...types.Type) ir.Piece {
	return ir.OpenPiece(ir.TypeArgs{List: list, At: pos})
}

// typeArguments returns the type arguments of an instance in brackets, or nothing.
func (lo *lowering) typeArguments(pos ast.Node, list *types.TypeList) ir.Rope {
	if list.Len() == 0 {
		return nil
	}
	return ir.Rope{lo.typeArgument(pos, slices.Collect(list.Types())...)}
}

// parts returns the operands of a left-hand side that are evaluated before the assignment.
func (lo *lowering) parts(lhs ast.Expr) []analyse.Operand {
	return lo.Operands(ast.Unparen(lhs))
}
