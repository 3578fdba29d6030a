package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// What a panic inside of an assignment leaves assigned.

// fragileTuple marks assignments and returns of a function with deferred calls in
// which a result is assigned, and a later operand divides. gc evaluates that operand
// first, so that a panic leaves the result alone; but only because the result is one
// of the function's own, which a field is not.
func (u *unit) fragileTuple(s ast.Stmt, lhs, rhs []ast.Expr, around []ast.Node) {
	if !u.defers || len(rhs) < 2 || lhs != nil && len(lhs) != len(rhs) || !u.assignsResult(lhs) {
		return
	}
	for _, e := range rhs[1:] {
		if u.dividesOrShifts(e) {
			u.force(s, around)
			return
		}
	}
}

// assignsResult reports whether one but the last of the left-hand sides is a result. A
// return statement, which has none, assigns them all.
func (u *unit) assignsResult(lhs []ast.Expr) bool {
	if lhs == nil {
		return true
	}
	for _, e := range lhs[:len(lhs)-1] {
		if v := u.rootVar(e); v != nil {
			for _, r := range u.signatureResults() {
				if r == v {
					return true
				}
			}
		}
	}
	return false
}

// settleTuple evaluates the operands of a forced tuple that are evaluated before
// its first assignment.
func (u *unit) settleTuple(s ast.Stmt, ops []operandOf, rhs []ast.Expr) {
	if !u.forced[s] || len(rhs) < 2 {
		return
	}
	u.spillAll(ops, true)
	for _, e := range rhs[1:] {
		if u.dividesOrShifts(e) {
			u.hoist(ast.Unparen(e))
		}
	}
}

// dividesOrShifts reports whether e holds an operation on values that panics.
func (u *unit) dividesOrShifts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || u.isConstant(b) {
			return !found
		}
		switch b.Op {
		case token.QUO, token.REM:
			found = found || isBasicInfo(u.typeOf(b), types.IsInteger) && !u.isConstant(b.Y)
		case token.SHL, token.SHR:
			found = found || !isBasicInfo(u.typeOf(b.Y), types.IsUnsigned) && !u.isConstant(b.Y)
		}
		return !found
	})
	return found
}
