package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// What gc evaluates early.
//
// The language defines the order of calls, receives and logical operators among each other, and
// leaves open when variables, fields and elements are read in between. Programs observe gc's
// order, so a lowered expression must follow it. The compiler moves certain operations, depending
// on kind and type, into statements of their own, one after another in source order
// (cmd/compile/internal/walk/order.go); everything else is evaluated after the last of them.
// Hence:
//
//	x + f()          reads x after f         (a variable stays)
//	len(s) + f()     takes len before f      (len is moved)
//	i.(int) + f()    asserts before f        (moved, unless int were a pointer type)
//	any(m[k]), f()   reads m[k] before f     (moved if it cannot be addressed and
//	                                          its conversion wants an address)
//
// If a suspension follows in the same statement, the operations that gc would have moved are
// evaluated into temporaries here, in the same order; the rest stays in the expression, which gc
// compiles again, after the suspension. It is tempting to save the left operands first, as C#
// does, but then every x + await would read a stale x.

// moves reports whether gc moves e before the expression that holds it.
func (lo *lowering) moves(e ast.Expr) bool {
	if lo.IsConstant(e) {
		return false
	}
	switch e := e.(type) {
	case *ast.CallExpr:
		return lo.movesCall(e)
	case *ast.UnaryExpr:
		return e.Op == token.ARROW
	case *ast.BinaryExpr:
		return e.Op == token.LAND || e.Op == token.LOR
	case *ast.TypeAssertExpr:
		return !lo.isDerived(lo.TypeOf(e)) && !lo.IsDirect(lo.TypeOf(e))
	case *ast.SliceExpr:
		return true
	case *ast.CompositeLit:
		return typeset.MapType(lo.TypeOf(e)) != nil && len(e.Elts) > 0
	case *ast.IndexExpr:
		return lo.movesIndex(e)
	case *ast.SelectorExpr:
		return lo.movesMethodValue(e)
	}
	return false
}

// earlyBuiltins are the predeclared functions that gc moves, like calls.
var earlyBuiltins = map[string]bool{
	"append": true, "cap": true, "complex": true, "copy": true, "imag": true,
	"len": true, "make": true, "max": true, "min": true, "new": true, "real": true, "recover": true,
}

func (lo *lowering) movesCall(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv := lo.Info.Types[fun]; tv.IsType() {
		return lo.movesConversion(tv.Type, call.Args[0])
	}
	if name, ok := lo.Builtin(fun); ok {
		return earlyBuiltins[name]
	}
	return true
}

// movesConversion reports whether gc moves a conversion. Strings are converted to []byte and
// []rune early, and back late. The conversion of a call's uintptr to unsafe.Pointer stays with
// the call.
func (lo *lowering) movesConversion(to types.Type, arg ast.Expr) bool {
	from := lo.TypeOf(arg)
	copies := func(to, from types.Type) bool {
		slice, ok := to.Underlying().(*types.Slice)
		return ok && typeset.IsString(from) && (typeset.IsBasic(slice.Elem(), types.Byte) || typeset.IsBasic(slice.Elem(), types.Rune))
	}
	if lo.forAllPairs(to, from, arg, copies) {
		return true
	}
	_, call := ast.Unparen(arg).(*ast.CallExpr)
	return call && typeset.IsBasic(to, types.UnsafePointer) && typeset.IsBasic(from, types.Uintptr)
}

// wantsTemp reports whether gc copies the operand into a temporary early because of its context.
func (lo *lowering) wantsTemp(o analyse.Operand) bool {
	if lo.IsConstant(o.Expr) || lo.Info.Types[o.Expr].IsNil() || lo.Info.Types[o.Expr].IsType() {
		return false
	}
	t := lo.TypeOf(o.Expr)
	if o.Key != nil {
		return lo.wantsKeyTemp(o)
	}
	if o.Bound {
		return !lo.isName(o.Expr)
	}
	if lo.comparedAsIs(o) {
		return lo.comparedEarly(o)
	}
	return lo.boxes(o) && !lo.addressable(o.Expr) && lo.forAll(t, o.Expr, lo.BoxedByAddress)
}

// comparedAsIs reports whether the operand is compared without being converted to an interface.
func (lo *lowering) comparedAsIs(o analyse.Operand) bool { return o.Compared && !lo.boxes(o) }

// comparedEarly reports whether the operand of a comparison is copied early. Structs and arrays
// are compared by their addresses, so one that is not addressable is copied first.
func (lo *lowering) comparedEarly(o analyse.Operand) bool {
	byAddress := func(t types.Type) bool {
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return lo.converts(o) || !lo.addressable(o.Expr)
		}
		return false
	}
	if t := lo.TypeOf(o.Expr); !typeset.IsParam(t) {
		return byAddress(t)
	}
	return lo.forAll(lo.TypeOf(o.Expr), o.Expr, byAddress)
}

// boxes reports whether the operand becomes a value of an interface type.
func (lo *lowering) boxes(o analyse.Operand) bool {
	return o.To != nil && types.IsInterface(o.To) && !typeset.IsParam(o.To) && (!types.IsInterface(lo.TypeOf(o.Expr)) || typeset.IsParam(lo.TypeOf(o.Expr)))
}

// converts reports whether the operand is implicitly converted to another type. Then it is no
// longer addressable, even if the conversion changes nothing but the name of the type.
func (lo *lowering) converts(o analyse.Operand) bool {
	return o.To != nil && !types.Identical(lo.TypeOf(o.Expr), o.To)
}

// wantsKeyTemp reports whether gc copies a map key. Maps with keys of certain types take the key
// by address, others by value in a register. See mapKeyTemp and mapfast in the compiler.
func (lo *lowering) wantsKeyTemp(o analyse.Operand) bool {
	elem := o.Key.Elem()
	if typeset.MapType(elem) != nil { // a pointer, whatever it contains
		elem = types.Typ[types.Uintptr]
	}
	return lo.forAllPairs(o.Key.Key(), elem, o.Expr, func(key, elem types.Type) bool {
		switch lo.KeyBy(key, elem) {
		case analyse.KeySlow:
			return lo.converts(o) || !lo.addressable(o.Expr)
		case analyse.KeyCast:
			return true
		}
		return false
	})
}

// addressable follows gc's definition: a variable, or a part of one, or anything reached through a
// pointer or a slice.
func (lo *lowering) addressable(e ast.Expr) bool {
	e = ast.Unparen(e)
	if _, ok := lo.evaluated[e]; ok {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		_, ok := lo.Info.Uses[e].(*types.Var)
		return ok
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := lo.Info.Selections[e]
		if s == nil {
			_, ok := lo.Info.Uses[e.Sel].(*types.Var)
			return ok
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || lo.addressable(e.X))
	case *ast.IndexExpr:
		if typeset.Perhaps(lo.TypeOf(e.X), typeset.IsA[*types.Array]) {
			return lo.addressable(e.X)
		}
		return typeset.Always(lo.TypeOf(e.X), func(t types.Type) bool { return typeset.IsA[*types.Slice](t) || typeset.IsA[*types.Pointer](t) })
	}
	return false
}

// movesIndex reports whether gc reads a map element early: it does if the key is converted from
// bytes that a later call could change, but not if the key is also converted to an interface.
func (lo *lowering) movesIndex(e *ast.IndexExpr) bool {
	m := typeset.MapType(lo.TypeOf(e.X))
	if m == nil || lo.boxes(analyse.Operand{Expr: e.Index, To: m.Key()}) {
		return false
	}
	from := lo.bytesInKey(e.Index)
	if from == nil {
		return false
	}
	return lo.forAll(lo.TypeOf(from), e, func(t types.Type) bool { return isBytes(t.Underlying()) })
}

func isBytes(t types.Type) bool {
	slice, ok := t.(*types.Slice)
	return ok && typeset.IsBasic(slice.Elem(), types.Byte)
}

// bytesInKey returns the operand, possibly bytes, that a part of the key is converted from, or
// nil.
func (lo *lowering) bytesInKey(key ast.Expr) ast.Expr {
	switch key := ast.Unparen(key).(type) {
	case *ast.CallExpr:
		tv := lo.Info.Types[ast.Unparen(key.Fun)]
		if tv.IsType() && typeset.IsString(tv.Type) && typeset.Perhaps(lo.TypeOf(key.Args[0]), isBytes) {
			return key.Args[0]
		}
	case *ast.CompositeLit:
		for _, o := range lo.LiteralOperands(key) {
			if from := lo.bytesInKey(o.Expr); from != nil && !lo.boxes(o) {
				return from
			}
		}
	}
	return nil
}

// Orders that depend on type arguments.
//
// gc compiles a generic function once for each shape of its type arguments, and the shape
// determines what it evaluates early: with
//
//	func f[K ~int | ~int8](m map[K]int, …)
//
// it reads k in pair(m[k+1], f()) after f if K is an int, and before f if K is an int8. A machine
// is generic, too, and written only once. That matters only if something can change the operand
// in the meantime; in that case the function is refused.

// forAll reports whether early holds for all types that t stands for. If it holds for some only,
// and e could change between the early and the late read, it refuses e.
func (lo *lowering) forAll(t types.Type, e ast.Expr, early func(types.Type) bool) bool {
	if !typeset.HasParam(t) {
		return early(t)
	}
	var answers []bool
	for _, form := range lo.forms(t) {
		answers = append(answers, early(form))
	}
	return lo.agreed(answers, e, t)
}

// forAllPairs corresponds to forAll for a property of two types.
func (lo *lowering) forAllPairs(t, other types.Type, e ast.Expr, early func(t, other types.Type) bool) bool {
	if !typeset.HasParam(t) && !typeset.HasParam(other) {
		return early(t, other)
	}
	var answers []bool
	for _, form := range lo.forms(t) {
		for _, second := range lo.forms(other) {
			answers = append(answers, early(form, second))
		}
	}
	if !typeset.HasParam(t) {
		t = other
	}
	return lo.agreed(answers, e, t)
}

// agreed returns the common answer for all type arguments.
func (lo *lowering) agreed(answers []bool, e ast.Expr, t types.Type) bool {
	some, all := slices.Contains(answers, true), !slices.Contains(answers, false)
	if some && !all && lo.changeable(e) {
		lo.refuse(unorderedGeneric(lo.Source.Extent(e), t.String()))
	}
	return some && all
}

// forms returns types that t may stand for: one of each kind that the compiler distinguishes.
func (lo *lowering) forms(t types.Type) []types.Type {
	if list := typeset.Of(t); len(list) > 0 && !slices.ContainsFunc(list, typeset.HasParam) {
		return list
	}
	word := types.Typ[types.Uintptr]
	return []types.Type{word, types.Typ[types.String], types.NewPointer(word), types.Typ[types.Bool], types.NewArray(word, 1), types.NewArray(word, 3), types.NewArray(word, analyse.MaxFastElem)}
}

// changeable reports whether anything but the function's own statements may change e. A place
// behind a pointer is assumed not to change: it is read late whatever its type, except for arrays
// and structs of one word.
func (lo *lowering) changeable(e ast.Expr) bool {
	if v := lo.RootVar(e); v != nil {
		return lo.sharedVar(v)
	}
	if lo.addressable(e) {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && !found {
			if _, done := lo.evaluated[x]; done {
				return false
			}
			found = lo.readsElsewhere(x)
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// readsElsewhere reports whether e itself, apart from its operands, reads memory that others may
// change.
func (lo *lowering) readsElsewhere(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := lo.Info.Uses[e].(*types.Var)
		return ok && !v.IsField() && lo.sharedVar(v)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.UnaryExpr:
		return lo.ReadsMemory(e)
	}
	return false
}

// sharedVar reports whether code other than the function's own statements may assign v.
func (lo *lowering) sharedVar(v *types.Var) bool {
	f := lo.UsageOf(v)
	return !analyse.Within(lo.Source.Decl, v.Pos()) || f.Addressed || f.Captured && f.Mutated
}

// isDerived reports whether the identity of t depends on a type parameter, even if its layout does
// not. An assertion to such a type looks up the type at run time. All types declared in a generic
// function are derived.
func (lo *lowering) isDerived(t types.Type) bool {
	return typeset.HasParam(t) || typeset.NamesType(t, func(obj *types.TypeName) bool {
		return typeset.IsParam(obj.Type()) || typeset.IsLocal(obj) && lo.typeArgs() != ""
	})
}
