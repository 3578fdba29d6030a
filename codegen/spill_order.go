package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
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
	if u.IsConstant(e) {
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
		return !u.isDerived(u.TypeOf(e)) && !u.IsDirect(u.TypeOf(e))
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return typeset.MapType(u.TypeOf(e)) != nil && len(e.Elts) > 0
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
	if tv := u.Info.Types[fun]; tv.IsType() {
		return u.movesConversion(tv.Type, call.Args[0])
	}
	if name, ok := u.Builtin(fun); ok {
		return earlyBuiltins[name]
	}
	return true
}

// movesConversion: strings are copied to []byte and []rune early, the way back
// late. The conversion of a call's uintptr to unsafe.Pointer stays with the call.
func (u *unit) movesConversion(to types.Type, arg ast.Expr) bool {
	from := u.TypeOf(arg)
	copies := func(to, from types.Type) bool {
		slice, ok := to.Underlying().(*types.Slice)
		return ok && typeset.IsString(from) && (typeset.IsBasic(slice.Elem(), types.Byte) || typeset.IsBasic(slice.Elem(), types.Rune))
	}
	if u.whateverBoth(to, from, arg, copies) {
		return true
	}
	_, call := ast.Unparen(arg).(*ast.CallExpr)
	return call && typeset.IsBasic(to, types.UnsafePointer) && typeset.IsBasic(from, types.Uintptr)
}

// wantsTemp reports whether gc copies the operand into a temporary early because
// of where it is.
func (u *unit) wantsTemp(o analyse.Operand) bool {
	if u.IsConstant(o.Expr) || u.Info.Types[o.Expr].IsNil() || u.Info.Types[o.Expr].IsType() {
		return false
	}
	t := u.TypeOf(o.Expr)
	if o.Key != nil {
		return u.wantsKeyTemp(o)
	}
	if o.Bound {
		return !u.isName(o.Expr)
	}
	if u.comparedAsIs(o) {
		return u.comparedEarly(o)
	}
	return u.boxes(o) && !u.addressable(o.Expr) && u.whatever(t, o.Expr, u.BoxedByAddress)
}

// comparedAsIs reports whether the operand is one of a comparison and is not converted
// to an interface for it.
func (u *unit) comparedAsIs(o analyse.Operand) bool { return o.Compared && !u.boxes(o) }

// comparedEarly: structs and arrays are compared by their addresses. One that is no
// place is copied to have one.
func (u *unit) comparedEarly(o analyse.Operand) bool {
	byAddress := func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return u.converts(o) || !u.addressable(o.Expr)
		}
		return false
	}
	if t := u.TypeOf(o.Expr); !typeset.IsParam(t) {
		return byAddress(t)
	}
	return u.whatever(u.TypeOf(o.Expr), o.Expr, byAddress)
}

// boxes reports whether the operand becomes a value of an interface type.
func (u *unit) boxes(o analyse.Operand) bool {
	return o.To != nil && types.IsInterface(o.To) && !typeset.IsParam(o.To) && (!types.IsInterface(u.TypeOf(o.Expr)) || typeset.IsParam(u.TypeOf(o.Expr)))
}

// converts reports whether the operand is implicitly converted to another type where it
// is: then it is no longer a place, even if the conversion changes nothing but the name
// of the type.
func (u *unit) converts(o analyse.Operand) bool {
	return o.To != nil && !types.Identical(u.TypeOf(o.Expr), o.To)
}

// wantsKeyTemp: maps with keys of certain types take the key by address, the others
// by value in a register. See mapKeyTemp and mapfast in the compiler.
func (u *unit) wantsKeyTemp(o analyse.Operand) bool {
	elem := o.Key.Elem()
	if typeset.MapType(elem) != nil { // a pointer, whatever is in it
		elem = types.Typ[types.Uintptr]
	}
	return u.whateverBoth(o.Key.Key(), elem, o.Expr, func(key, elem types.Type) bool {
		switch u.KeyBy(key, elem) {
		case analyse.KeySlow:
			return u.converts(o) || !u.addressable(o.Expr)
		case analyse.KeyCast:
			return true
		}
		return false
	})
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
		_, ok := u.Info.Uses[e].(*types.Var)
		return ok
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := u.Info.Selections[e]
		if s == nil {
			_, ok := u.Info.Uses[e.Sel].(*types.Var)
			return ok
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || u.addressable(e.X))
	case *ast.IndexExpr:
		if typeset.Perhaps(u.TypeOf(e.X), typeset.IsA[*types.Array]) {
			return u.addressable(e.X)
		}
		return typeset.Always(u.TypeOf(e.X), func(t types.Type) bool { return typeset.IsA[*types.Slice](t) || typeset.IsA[*types.Pointer](t) })
	}
	return false
}

// movesIndex: a map is read early if its key is converted from bytes that a later call
// could change. A key that is also converted to an interface is none of these.
func (u *unit) movesIndex(e *ast.IndexExpr) bool {
	m := typeset.MapType(u.TypeOf(e.X))
	if m == nil || u.boxes(analyse.Operand{Expr: e.Index, To: m.Key()}) {
		return false
	}
	from := u.bytesInKey(e.Index)
	if from == nil {
		return false
	}
	return u.whatever(u.TypeOf(from), e, func(t types.Type) bool { return isBytes(t.Underlying()) })
}

func isBytes(t types.Type) bool {
	slice, ok := t.(*types.Slice)
	return ok && typeset.IsBasic(slice.Elem(), types.Byte)
}

// bytesInKey is what may be bytes that a part of the key is converted from, or nil.
func (u *unit) bytesInKey(key ast.Expr) ast.Expr {
	switch key := ast.Unparen(key).(type) {
	case *ast.CallExpr:
		tv := u.Info.Types[ast.Unparen(key.Fun)]
		if tv.IsType() && typeset.IsString(tv.Type) && typeset.Perhaps(u.TypeOf(key.Args[0]), isBytes) {
			return key.Args[0]
		}
	case *ast.CompositeLit:
		for _, o := range u.LiteralOperands(key) {
			if from := u.bytesInKey(o.Expr); from != nil && !u.boxes(o) {
				return from
			}
		}
	}
	return nil
}
