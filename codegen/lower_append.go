package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Appending in place: when the compiler evaluates the place in m[k] = append(m[k], …)
// only once, and which parts of it come before the appended values.
//
// The compiler first converts k for a call of the runtime (mapKeyTemp), and then copies
// both m and the converted key, unless that still is a name (cheapExpr). So it depends
// on the type of the key whether f's assignment to k in m[k] = append(m[k], f()) is
// seen:
//
//	string, uint32, uint64, unsafe.Pointer   late: the runtime takes them as they are
//	other integers, pointers, channels,      early: k is converted, which makes a
//	named types of those above               new expression of it
//	structs and arrays of 4 or 8 bytes       early: k is read through a temporary
//	all others                               late: the runtime takes the address of k
//
// It is tempting to think that a name is always read late, as it is everywhere else:
// then most maps with integer keys would be assigned another element.

// settleAppend evaluates what gc evaluates before the appended values, once for both
// sides of m[k] = append(m[k], …).
func (u *unit) settleAppend(lhs, rhs ast.Expr) {
	place, from, _ := u.appendToPlace(lhs, rhs)
	if place == nil || u.suspends(place) {
		return
	}
	u.settleOnce(place.X, from.X, u.isName(place.X))
	u.settleOnce(place.Index, from.Index, u.isName(place.Index) && !u.keyNameCopied(place))
}

func (u *unit) settleOnce(e, twin ast.Expr, late bool) {
	e, twin = ast.Unparen(e), ast.Unparen(twin)
	if late || u.isConstant(e) {
		return
	}
	u.settle(e)
	u.hoist(e)
	u.evaluated[twin] = u.evaluated[e]
}

// isName reports whether e is a variable, here or in another package.
func (u *unit) isName(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return u.info.Selections[e] == nil
	}
	return false
}

// keyNameCopied reports whether a key that is a name is copied before the appended
// values.
func (u *unit) keyNameCopied(place *ast.IndexExpr) bool {
	m := mapType(u.typeOf(place.X))
	if u.converts(operandOf{expr: place.Index, to: m.Key()}) {
		return true
	}
	return u.whatever(m.Key(), place.Index, func(key types.Type) bool {
		basic, ok := types.Unalias(key).(*types.Basic)
		switch kind := u.fastKey(key); { // the elements are slices, which are small
		case kind != keyFast:
			return kind == keyCast
		case !ok || isTypeParam(m.Key()):
			return true // of a name of its own, as type arguments are
		}
		return basic.Kind() != types.String && basic.Kind() != types.Uint32 && basic.Kind() != types.Uint64 && basic.Kind() != types.UnsafePointer
	})
}

// appendToPlace takes m[k] = append(m[k], …) apart; all nil if it is anything else.
func (u *unit) appendToPlace(lhs, rhs ast.Expr) (place, from *ast.IndexExpr, call *ast.CallExpr) {
	place, ok := ast.Unparen(lhs).(*ast.IndexExpr)
	if !ok || mapType(u.typeOf(place.X)) == nil {
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
		if !ok || !u.isConversion(call) || !u.isNop(u.typeOf(call), call.Args[0]) {
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

func (u *unit) isConversion(call *ast.CallExpr) bool {
	return u.info.Types[ast.Unparen(call.Fun)].IsType()
}

// isNumeric reports whether call is a conversion between numbers.
func (u *unit) isNumeric(call *ast.CallExpr) bool {
	if !u.isConversion(call) {
		return false
	}
	to, ok := u.typeOf(call).Underlying().(*types.Basic)
	from, also := u.typeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && also && to.Info()&from.Info()&types.IsNumeric != 0
}
