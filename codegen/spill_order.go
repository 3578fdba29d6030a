package codegen

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// What gc evaluates early.
//
// The language orders calls, receives and logical operators among each other and leaves
// open when variables, fields and elements are read in between. Programs see gc's
// order, so a lowered expression must follow it. The compiler moves certain operations,
// by kind and by type, into statements of their own, one after another as they stand in
// the source (cmd/compile/internal/walk/order.go); everything else is evaluated after
// the last of them. Hence:
//
//	x + f()          reads x after f         (a variable stays)
//	len(s) + f()     takes len before f      (len is moved)
//	i.(int) + f()    asserts before f        (moved, unless int were a pointer type)
//	any(m[k]), f()   reads m[k] before f     (moved if it cannot be addressed and
//	                                          its conversion wants an address)
//
// If a suspension follows in the same statement, the operations that gc would have
// moved are evaluated into temporaries here, in the same order; the rest stays in the
// expression, which gc compiles again, after the suspension. It is tempting to save the
// left operands first, as C# does: then every x + await reads a stale x.

// moves reports whether gc moves e before the expression that holds it.
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
		return !u.isDerived(u.typeOf(e)) && !u.isDirect(u.typeOf(e))
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return isMap(u.typeOf(e)) && len(e.Elts) > 0
	case *ast.IndexExpr:
		return u.movesIndex(e)
	case *ast.SelectorExpr:
		return u.movesMethodValue(e)
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
	copies := func(to, from types.Type) bool {
		slice, ok := to.Underlying().(*types.Slice)
		return ok && isString(from) && (isBasic(slice.Elem(), types.Byte) || isBasic(slice.Elem(), types.Rune))
	}
	if u.whateverBoth(to, from, arg, copies) {
		return true
	}
	_, call := ast.Unparen(arg).(*ast.CallExpr)
	return call && isBasic(to, types.UnsafePointer) && isBasic(from, types.Uintptr)
}

// wantsTemp reports whether gc copies the operand into a temporary early because
// of where it is.
func (u *unit) wantsTemp(o operandOf) bool {
	if u.isConstant(o.expr) || u.info.Types[o.expr].IsNil() || u.info.Types[o.expr].IsType() {
		return false
	}
	t := u.typeOf(o.expr)
	if o.key != nil {
		return u.wantsKeyTemp(o)
	}
	if o.bound {
		return !u.isName(o.expr)
	}
	if u.comparedAsIs(o) {
		return u.comparedEarly(o)
	}
	return u.boxes(o) && !u.addressable(o.expr) && u.whatever(t, o.expr, u.boxedByAddress)
}

// comparedAsIs reports whether the operand is one of a comparison and is not converted
// to an interface for it.
func (u *unit) comparedAsIs(o operandOf) bool { return o.compared && !u.boxes(o) }

// comparedEarly: structs and arrays are compared by their addresses. One that is no
// place is copied to have one.
func (u *unit) comparedEarly(o operandOf) bool {
	byAddress := func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return u.converts(o) || !u.addressable(o.expr)
		}
		return false
	}
	if t := u.typeOf(o.expr); !isTypeParam(t) {
		return byAddress(t)
	}
	return u.whatever(u.typeOf(o.expr), o.expr, byAddress)
}

// boxes reports whether the operand becomes a value of an interface type.
func (u *unit) boxes(o operandOf) bool {
	return o.to != nil && types.IsInterface(o.to) && !isTypeParam(o.to) && (!types.IsInterface(u.typeOf(o.expr)) || isTypeParam(u.typeOf(o.expr)))
}

// converts reports whether the operand is implicitly converted to another type where it
// is: then it is no longer a place, even if the conversion changes nothing but the name
// of the type.
func (u *unit) converts(o operandOf) bool {
	return o.to != nil && !types.Identical(u.typeOf(o.expr), o.to)
}

// wantsKeyTemp: maps with keys of certain types take the key by address, the others
// by value in a register. See mapKeyTemp and mapfast in the compiler.
func (u *unit) wantsKeyTemp(o operandOf) bool {
	elem := o.key.Elem()
	if isMap(elem) { // a pointer, whatever is in it
		elem = types.Typ[types.Uintptr]
	}
	return u.whateverBoth(o.key.Key(), elem, o.expr, func(key, elem types.Type) bool {
		switch u.keyBy(key, elem) {
		case keySlow:
			return u.converts(o) || !u.addressable(o.expr)
		case keyCast:
			return true
		}
		return false
	})
}

// keyBy says how maps of keys and elements are given their keys.
func (u *unit) keyBy(key, elem types.Type) keyKind {
	if u.sizes.Sizeof(elem) > maxFastElem {
		return keySlow
	}
	return u.fastKey(key)
}

// maxFastElem is the size in bytes of the largest elements that do not decide how a map
// is given its keys.
const maxFastElem = 128

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
		if typeset.Perhaps(u.typeOf(e.X), typeset.IsA[*types.Array]) {
			return u.addressable(e.X)
		}
		return typeset.Always(u.typeOf(e.X), func(t types.Type) bool { return typeset.IsA[*types.Slice](t) || typeset.IsA[*types.Pointer](t) })
	}
	return false
}

func (u *unit) isConstant(e ast.Expr) bool {
	v := u.info.Types[e].Value
	return v != nil && v.Kind() != constant.Unknown
}

// movesIndex: a map is read early if its key is converted from bytes that a later call
// could change. A key that is also converted to an interface is none of these.
func (u *unit) movesIndex(e *ast.IndexExpr) bool {
	m := mapType(u.typeOf(e.X))
	if m == nil || u.boxes(operandOf{expr: e.Index, to: m.Key()}) {
		return false
	}
	from := u.bytesInKey(e.Index)
	if from == nil {
		return false
	}
	return u.whatever(u.typeOf(from), e, func(t types.Type) bool { return isBytes(t.Underlying()) })
}

func isBytes(t types.Type) bool {
	slice, ok := t.(*types.Slice)
	return ok && isBasic(slice.Elem(), types.Byte)
}

// bytesInKey is what may be bytes that a part of the key is converted from, or nil.
func (u *unit) bytesInKey(key ast.Expr) ast.Expr {
	switch key := ast.Unparen(key).(type) {
	case *ast.CallExpr:
		tv := u.info.Types[ast.Unparen(key.Fun)]
		if tv.IsType() && isString(tv.Type) && typeset.Perhaps(u.typeOf(key.Args[0]), isBytes) {
			return key.Args[0]
		}
	case *ast.CompositeLit:
		for _, o := range u.literalOperands(key) {
			if from := u.bytesInKey(o.expr); from != nil && !u.boxes(o) {
				return from
			}
		}
	}
	return nil
}
