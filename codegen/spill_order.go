package codegen

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// What gc evaluates early.
//
// The language orders calls, receives and logical operators among each other
// and leaves open when variables, fields and elements are read beside them.
// Programs see what gc does, so that is what a lowered expression has to do. The
// compiler moves certain operations, by kind and by type, into statements of
// their own, one after another as they stand in the source
// (cmd/compile/internal/walk/order.go); everything else is evaluated after
// the last of them. Hence:
//
//	x + f()          reads x after f         (a variable stays)
//	len(s) + f()     takes len before f      (len is moved)
//	i.(int) + f()    asserts before f        (moved, unless int were a pointer type)
//	any(m[k]), f()   reads m[k] before f     (moved if it cannot be addressed and
//	                                          its conversion wants an address)
//
// If a suspension follows in the same statement, what gc would have moved is
// evaluated into temporaries here, in the same order; the rest stays in the
// expression, which is compiled by gc again, after the suspension. It is
// tempting to save the left operands first, as C# does: then every x + await
// reads an x that is too old.

// moves reports whether gc moves e in front of the expression that holds it.
func (u *unit) moves(e ast.Expr) bool {
	if u.isConstant(e) {
		return false
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		return u.movesCall(e)
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR
	case *ast.TypeAssertExpr:
		return !hasTypeParam(u.typeOf(e)) && !u.isDirect(u.typeOf(e))
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return isMap(u.typeOf(e)) && len(e.Elts) > 0
	case *ast.IndexExpr:
		return isMap(u.typeOf(e.X)) && u.keyFromBytes(e.Index)
	}
	return false
}

// earlyBuiltins are the predeclared functions that gc moves like calls.
var earlyBuiltins = map[string]bool{
	"append": true, "cap": true, "complex": true, "copy": true, "imag": true,
	"len": true, "make": true, "max": true, "min": true, "new": true, "real": true, "recover": true,
}

func (u *unit) movesCall(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := u.info.Types[fun]; tv.IsType() {
		return u.movesConversion(tv.Type, call.Args[0])
	}
	if name, ok := u.builtin(fun); ok {
		return earlyBuiltins[name]
	}
	return true
}

// builtin is the name of the predeclared function that fun denotes. Those of
// package unsafe have a prefix.
func (u *unit) builtin(fun ast.Expr) (string, bool) {
	var id *ast.Ident
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return "", false
	}
	b, ok := u.info.Uses[id].(*types.Builtin)
	if !ok {
		return "", false
	}
	if b.Pkg() != nil {
		return "unsafe." + b.Name(), true
	}
	return b.Name(), true
}

// movesConversion: strings are copied to []byte and []rune early, the way back
// late. The conversion of a call's uintptr to unsafe.Pointer stays with the call.
func (u *unit) movesConversion(to types.Type, arg ast.Expr) bool {
	from := u.typeOf(arg)
	if slice, ok := to.Underlying().(*types.Slice); ok && isString(from) {
		elem, ok := slice.Elem().Underlying().(*types.Basic)
		return ok && (elem.Kind() == types.Byte || elem.Kind() == types.Rune)
	}
	_, call := ast.Unparen(arg).(*ast.CallExpr)
	return call && isBasic(to, types.UnsafePointer) && isBasic(from, types.Uintptr)
}

// wantsTemp reports whether gc copies the operand into a temporary early because
// of where it stands.
func (u *unit) wantsTemp(o operandOf) bool {
	if u.isConstant(o.expr) || u.info.Types[o.expr].IsNil() || u.info.Types[o.expr].IsType() {
		return false
	}
	t := u.typeOf(o.expr)
	if o.key != nil {
		return u.wantsKeyTemp(o)
	}
	if o.compared && (o.to == nil || !types.IsInterface(o.to)) {
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return u.converts(o) || !u.addressable(o.expr)
		}
	}
	return u.boxes(o) && !u.addressable(o.expr) && u.whatever(t, o.expr, u.boxedByAddress)
}

// boxes reports whether the operand becomes a value of an interface type.
func (u *unit) boxes(o operandOf) bool {
	return o.to != nil && types.IsInterface(o.to) && !isTypeParam(o.to) && (!types.IsInterface(u.typeOf(o.expr)) || isTypeParam(u.typeOf(o.expr)))
}

// converts reports whether the operand is implicitly converted to another type where it stands:
// then it is no place any more, even if the conversion changes nothing but the name of the type.
func (u *unit) converts(o operandOf) bool {
	return o.to != nil && !types.Identical(u.typeOf(o.expr), o.to)
}

// wantsKeyTemp: maps with keys of certain types take the key by address, the others
// by value in a register. See mapKeyTemp and mapfast in the compiler.
func (u *unit) wantsKeyTemp(o operandOf) bool {
	return u.whatever(o.key.Key(), o.expr, func(key types.Type) bool {
		switch u.keyBy(o.key, key) {
		case keySlow:
			return u.converts(o) || !u.addressable(o.expr)
		case keyCast:
			return true
		}
		return false
	})
}

// keyBy says how maps of type m are given their keys, if those are of type key.
func (u *unit) keyBy(m *types.Map, key types.Type) keyKind {
	const maxFastElem = 128
	if !hasTypeParam(m.Elem()) && u.sizes.Sizeof(m.Elem()) > maxFastElem {
		return keySlow
	}
	return u.fastKey(key)
}

// addressable is gc's notion: a variable or what is reached from one, or
// through a pointer or a slice.
func (u *unit) addressable(e ast.Expr) bool {
	e = ast.Unparen(e)
	if _, ok := u.evaluated[e]; ok {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		_, ok := u.info.Uses[e].(*types.Var)
		return ok
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := u.info.Selections[e]
		if s == nil {
			_, ok := u.info.Uses[e.Sel].(*types.Var)
			return ok
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || u.addressable(e.X))
	case *ast.IndexExpr:
		switch u.typeOf(e.X).Underlying().(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return u.addressable(e.X)
		}
	}
	return false
}

func (u *unit) isConstant(e ast.Expr) bool {
	v := u.info.Types[e].Value
	return v != nil && v.Kind() != constant.Unknown
}

// keyFromBytes: a map is read early if its key is converted from bytes that a
// later call could change.
func (u *unit) keyFromBytes(key ast.Expr) bool {
	switch key := ast.Unparen(key).(type) {
	case *ast.CallExpr:
		tv := u.info.Types[ast.Unparen(key.Fun)]
		if !tv.IsType() || !isString(tv.Type) || len(key.Args) != 1 {
			return false
		}
		slice, ok := u.typeOf(key.Args[0]).Underlying().(*types.Slice)
		return ok && isBasic(slice.Elem(), types.Byte)
	case *ast.CompositeLit:
		for _, e := range key.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			if u.keyFromBytes(e) {
				return true
			}
		}
	}
	return false
}
