package lower

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Statements that are taken apart although nothing in them suspends. Package analyse finds
// them (tuple.go).

// tuple makes the assignments of a decomposed tuple: to the left-hand sides, or to the results if
// there are none.
func (lo *lowering) tuple(lhs, rhs []ast.Expr, dst func(int) ir.Dest) {
	evaluated := func(e ast.Expr) bool {
		_, done := lo.evaluated[e]
		return done
	}
	t := lo.Tuple(evaluated)
	for i, e := range rhs {
		if lhs != nil {
			for _, part := range lo.placeParts(lhs[i]) {
				lo.settleIn(t, part)
			}
		}
		lo.settleIn(t, e)
		t.Assign(lhs, i)
	}
	for i, e := range rhs {
		d := dst(i)
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && d.V != nil && lhs == nil && lo.variableOf(id) == d.V {
			continue // return x, where x is the result
		}
		lo.add(&ir.Assign{Dst: []ir.Dest{d}, Src: lo.value(e), Typed: true})
	}
}

// settleIn evaluates the affected operands early.
func (lo *lowering) settleIn(t *analyse.TupleOrder, e ast.Expr) {
	if t.Affected(e) {
		lo.copyOut(ast.Unparen(e))
	}
}

// placeParts returns the operands that determine the place of a left-hand side.
func (lo *lowering) placeParts(lhs ast.Expr) []ast.Expr {
	switch e := ast.Unparen(lhs).(type) {
	case *ast.IndexExpr:
		if _, ok := typeset.Core(lo.TypeOf(e.X)).(*types.Array); ok {
			return append([]ast.Expr{e.Index}, lo.placeParts(e.X)...)
		}
		return []ast.Expr{e.X, e.Index}
	case *ast.StarExpr:
		return []ast.Expr{e.X}
	case *ast.SelectorExpr:
		if s := lo.Info.Selections[e]; s != nil && typeset.IsPointer(lo.TypeOf(e.X)) {
			return []ast.Expr{e.X}
		} else if s != nil {
			return lo.placeParts(e.X)
		}
	}
	return nil
}

// Appending in place: when the compiler evaluates the place in m[k] = append(m[k], …)
// only once, and which parts of it come before the appended values.
//
// The compiler first converts k for a call of the runtime (mapKeyTemp), and then copies both m and
// the converted key, unless that is still a name (cheapExpr). So the type of the key determines
// whether an assignment to k by f is seen in m[k] = append(m[k], f()):
//
//	string, uint32, uint64, unsafe.Pointer   late: the runtime takes them as they are
//	other integers, pointers, channels,      early: k is converted, which makes a
//	named types of those above               new expression of it
//	structs and arrays of 4 or 8 bytes       early: k is read through a temporary
//	all others                               late: the runtime takes the address of k
//
// It is tempting to assume that a name is always read late, as it is everywhere else. But then
// most maps with integer keys would have the wrong element assigned.

// settleAppend evaluates the parts that gc evaluates before the appended values, once for both
// sides of m[k] = append(m[k], …).
func (lo *lowering) settleAppend(lhs, rhs ast.Expr) {
	place, from, _ := lo.AppendToPlace(lhs, rhs)
	if place == nil || lo.Suspends(place) {
		return
	}
	lo.settleOnce(place.X, from.X, lo.isName(place.X))
	lo.settleOnce(place.Index, from.Index, lo.isName(place.Index) && !lo.keyNameCopied(place))
}

func (lo *lowering) settleOnce(e, twin ast.Expr, late bool) {
	e, twin = ast.Unparen(e), ast.Unparen(twin)
	if late || lo.IsConstant(e) {
		return
	}
	lo.settle(e)
	lo.copyOut(e)
	lo.evaluated[twin] = lo.evaluated[e]
}

// isName reports whether e is a variable, of this or another package.
func (lo *lowering) isName(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return lo.Info.Selections[e] == nil
	}
	return false
}

// keyNameCopied reports whether a key that is a name is copied before the appended
// values.
func (lo *lowering) keyNameCopied(place *ast.IndexExpr) bool {
	m := typeset.MapType(lo.TypeOf(place.X))
	if lo.converts(analyse.Operand{Expr: place.Index, To: m.Key()}) {
		return true
	}
	return lo.forAll(m.Key(), place.Index, func(key types.Type) bool {
		basic, ok := types.Unalias(key).(*types.Basic)
		switch kind := lo.FastKey(key); { // the elements are slices, which are small
		case kind != analyse.KeyFast:
			return kind == analyse.KeyCast
		case !ok || typeset.IsParam(m.Key()):
			return true // its type has a name, as type arguments do
		}
		return basic.Kind() != types.String && basic.Kind() != types.Uint32 && basic.Kind() != types.Uint64 && basic.Kind() != types.UnsafePointer
	})
}
