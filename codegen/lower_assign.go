package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
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
		if u.suspends(s) {
			u.spillAll([]operandOf{{expr: s.Lhs[0], assigned: true}, {expr: s.Rhs[0]}}, false)
		}
		u.keepRest(s)
		return
	}
	dst := func() []dest { return u.lefts(s.Lhs) }
	if !u.suspends(s) {
		u.add(u.assigning(dst(), s.Rhs, s))
		return
	}
	var ops []operandOf
	for _, lhs := range s.Lhs {
		ops = append(ops, operandOf{expr: lhs, assigned: true})
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
		o := operandOf{expr: rhs}
		if len(s.Lhs) == len(s.Rhs) {
			o.to = u.leftType(s.Lhs[i])
		}
		ops = append(ops, o)
	}
	if u.forced[s] && len(s.Lhs) == 1 {
		_, _, call := u.appendToPlace(s.Lhs[0], s.Rhs[0])
		u.spillAll(u.callOperands(call)[1:], true)
	}
	if u.forced[s] && len(s.Rhs) > 1 {
		u.spillAll(ops, true)
		u.tuple(s.Lhs, s.Rhs, func(i int) dest { return u.left(s.Lhs[i]) })
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
	if !ok || u.points[call] == nil {
		return nil
	}
	return call
}

// suspendInto gives the values of a suspension point to dst: at once, or after
// everything has been evaluated.
func (u *unit) suspendInto(call *ast.CallExpr, dst []dest) {
	for _, t := range dst {
		if !u.direct(call, t) {
			u.evaluate(call)
			u.add(&assign{dst: dst, src: mentions(u.evaluated[call])})
			return
		}
	}
	u.suspend(call, dst)
}

// direct reports whether a point may assign t by itself. An entry that suspends returns
// zero values first, so its targets must not be visible elsewhere; and the left-hand
// side must be evaluated after the suspension.
func (u *unit) direct(call *ast.CallExpr, t dest) bool {
	switch {
	case t.v == nil:
		return t.place == nil
	case t.declares:
		return true
	}
	// visible to deferred calls, or to the caller after a panic
	kept := t.v.shared() || t.v.result && u.defers
	return !kept || !u.points[call].Kind.Enters()
}

// shared reports whether others than the function's own statements may see v, or it is
// reached like one that they see.
func (v *variable) shared() bool {
	return v.addressed || v.captured && v.mutated || v.unnamed || holdsLock(v.typ)
}

// lefts are the targets for left-hand sides.
func (u *unit) lefts(list []ast.Expr) []dest {
	var dst []dest
	for _, lhs := range list {
		dst = append(dst, u.left(lhs))
	}
	return dst
}

func (u *unit) left(lhs ast.Expr) dest {
	id, ok := ast.Unparen(lhs).(*ast.Ident)
	if !ok {
		return dest{place: u.expr(lhs)}
	}
	if id.Name == "_" {
		return dest{}
	}
	if obj := u.info.Defs[id]; obj != nil {
		return dest{v: u.declare(obj), declares: true}
	}
	if v := u.variableOf(id); v != nil {
		return dest{v: v}
	}
	return dest{place: u.expr(id)}
}

// leftType is the type that a value is converted to by assigning it to lhs.
func (u *unit) leftType(lhs ast.Expr) types.Type {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return u.typeOf(lhs)
	}
	if obj := u.info.ObjectOf(id); obj != nil && id.Name != "_" {
		return obj.Type()
	}
	return nil
}

// join is a list of expressions as one rope.
func (u *unit) join(list []ast.Expr) rope {
	var r rope
	for i, e := range list {
		if i > 0 {
			r = append(r, text(", "))
		}
		r = append(r, u.value(e)...)
	}
	return r
}

// assigning is the assignment of a list of values. Some targets may turn out to be of
// no use; a constant, and nil more so, needs the type of its target then.
func (u *unit) assigning(dst []dest, list []ast.Expr, whole ast.Node) *assign {
	i := &assign{dst: dst}
	for n, e := range list {
		if n > 0 {
			i.src = append(i.src, text(", "))
		}
		value := u.value(e)
		if len(list) > 1 && dst[n].v != nil && (u.isConstant(e) || u.info.Types[ast.Unparen(e)].IsNil()) {
			value = converted(value, dst[n])
		}
		i.src = append(i.src, value...)
	}
	i.whole = u.scan(whole)
	return i
}

// converted is a constant or nil for a target, which may turn out to be of no use. The
// value stays a part of the rope, not of what is printed late: the size of a variable
// is a constant too, and mentions it.
func converted(value rope, to dest) rope {
	ifIdle := func(write func(*printer) string) piece {
		return late(func(p *printer) string {
			if to.idle() {
				return write(p)
			}
			return ""
		})
	}
	r := rope{ifIdle(func(p *printer) string { return "(" + p.typeOf(to.v) + ")(" })}
	r = append(r, value...)
	return append(r, ifIdle(func(*printer) string { return ")" }))
}
