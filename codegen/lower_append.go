package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Appending in place: when the compiler takes m[k] = append(m[k], …) for one place
// that is evaluated once.

// appendToPlace takes m[k] = append(m[k], …) apart; all nil if it is anything else.
func (u *unit) appendToPlace(lhs, rhs ast.Expr) (place, from *ast.IndexExpr, call *ast.CallExpr) {
	place, ok := ast.Unparen(lhs).(*ast.IndexExpr)
	if !ok || !isMap(u.typeOf(place.X)) {
		return nil, nil, nil
	}
	call, ok = ast.Unparen(rhs).(*ast.CallExpr)
	if !ok {
		return nil, nil, nil
	}
	if name, _ := u.builtin(call.Fun); name != "append" {
		return nil, nil, nil
	}
	from, ok = ast.Unparen(call.Args[0]).(*ast.IndexExpr)
	if !ok || !u.sameSafe(place, from) {
		return nil, nil, nil
	}
	return place, from, call
}

// sameSafe is gc's SameSafeExpr: the two mean the same place and can be
// evaluated once for both.
func (u *unit) sameSafe(a, b ast.Expr) bool {
	a, b = u.underNops(a), u.underNops(b)
	if u.isConstant(a) || u.isConstant(b) {
		x, y := u.info.Types[a], u.info.Types[b]
		return x.Value != nil && y.Value != nil && x.Value.ExactString() == y.Value.ExactString() && types.Identical(x.Type, y.Type)
	}
	switch a := a.(type) {
	case *ast.Ident:
		b, ok := b.(*ast.Ident)
		return ok && u.info.ObjectOf(a) == u.info.ObjectOf(b)
	case *ast.SelectorExpr:
		b, ok := b.(*ast.SelectorExpr)
		return ok && u.info.ObjectOf(a.Sel) == u.info.ObjectOf(b.Sel) && (u.info.Selections[a] == nil || u.sameSafe(a.X, b.X))
	case *ast.StarExpr:
		b, ok := b.(*ast.StarExpr)
		return ok && u.sameSafe(a.X, b.X)
	case *ast.IndexExpr:
		b, ok := b.(*ast.IndexExpr)
		return ok && u.sameSafe(a.X, b.X) && u.sameSafe(a.Index, b.Index)
	case *ast.UnaryExpr:
		b, ok := b.(*ast.UnaryExpr)
		return ok && a.Op == b.Op && a.Op != token.AND && a.Op != token.ARROW && u.sameSafe(a.X, b.X)
	case *ast.CallExpr:
		b, ok := b.(*ast.CallExpr)
		return ok && u.isNumeric(a) && u.isNumeric(b) && types.Identical(u.typeOf(a), u.typeOf(b)) && u.sameSafe(a.Args[0], b.Args[0])
	case *ast.BinaryExpr:
		b, ok := b.(*ast.BinaryExpr)
		return ok && a.Op == b.Op && isArithmetic(a.Op) && u.sameSafe(a.X, b.X) && u.sameSafe(a.Y, b.Y)
	}
	return false
}

func isArithmetic(op token.Token) bool { return op >= token.ADD && op <= token.AND_NOT }

// underNops is e without parentheses and conversions that change no bits, which the
// compiler looks through here.
func (u *unit) underNops(e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !u.info.Types[ast.Unparen(call.Fun)].IsType() || !u.isNop(u.typeOf(call), call.Args[0]) {
			return e
		}
		e = call.Args[0]
	}
}

func (u *unit) isNop(to types.Type, arg ast.Expr) bool {
	if u.info.Types[arg].IsNil() {
		return true
	}
	from := u.typeOf(arg)
	if types.IdenticalIgnoreTags(from.Underlying(), to.Underlying()) {
		return !hasTypeParam(from) && !hasTypeParam(to)
	}
	x, ok := from.Underlying().(*types.Basic)
	y, also := to.Underlying().(*types.Basic)
	const signed = types.IsInteger | types.IsUnsigned
	return ok && also && x.Info()&y.Info()&types.IsInteger != 0 && x.Info()&signed == y.Info()&signed && u.sizes.Sizeof(x) == u.sizes.Sizeof(y)
}

// isNumeric reports whether call is a conversion between numbers.
func (u *unit) isNumeric(call *ast.CallExpr) bool {
	if !u.info.Types[ast.Unparen(call.Fun)].IsType() {
		return false
	}
	to, ok := u.typeOf(call).Underlying().(*types.Basic)
	from, also := u.typeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && also && to.Info()&from.Info()&types.IsNumeric != 0
}
