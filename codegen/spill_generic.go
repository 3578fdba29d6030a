package codegen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Orders that depend on type arguments.
//
// gc compiles a generic function once for each shape of its type arguments, and what it
// evaluates early follows from the shape: with
//
//	func f[K ~int | ~int8](m map[K]int, …)
//
// it reads k in pair(m[k+1], f()) after f if K is an int and before it if K is an int8.
// A machine is generic, too, and written once. That matters only if something can
// change what is read in the meantime; there, the function is refused.

// whatever reports whether early holds for all types that t stands for. If it holds for
// some only, and e could change between early and late, it refuses e.
func (u *unit) whatever(t types.Type, e ast.Expr, early func(types.Type) bool) bool {
	if !typeset.HasParam(t) {
		return early(t)
	}
	var answers []bool
	for _, form := range u.forms(t) {
		answers = append(answers, early(form))
	}
	return u.agreed(answers, e, t)
}

// whateverBoth is whatever for something that depends on two types.
func (u *unit) whateverBoth(t, other types.Type, e ast.Expr, early func(t, other types.Type) bool) bool {
	if !typeset.HasParam(t) && !typeset.HasParam(other) {
		return early(t, other)
	}
	var answers []bool
	for _, form := range u.forms(t) {
		for _, second := range u.forms(other) {
			answers = append(answers, early(form, second))
		}
	}
	if !typeset.HasParam(t) {
		t = other
	}
	return u.agreed(answers, e, t)
}

// agreed is the answer that all type arguments give.
func (u *unit) agreed(answers []bool, e ast.Expr, t types.Type) bool {
	some, all := slices.Contains(answers, true), !slices.Contains(answers, false)
	if some && !all && u.changeable(e) {
		u.refuse(unorderedGeneric(u.Source.Extent(e), t.String()))
	}
	return some && all
}

// forms are types that t may stand for: one of each kind that the compiler tells apart.
func (u *unit) forms(t types.Type) []types.Type {
	if list := typeset.Of(t); len(list) > 0 && !slices.ContainsFunc(list, typeset.HasParam) {
		return list
	}
	word := types.Typ[types.Uintptr]
	return []types.Type{word, types.Typ[types.String], types.NewPointer(word), types.Typ[types.Bool], types.NewArray(word, 1), types.NewArray(word, 3), types.NewArray(word, analyse.MaxFastElem)}
}

// changeable reports whether anything but the function's own statements may change e. A
// place behind a pointer is assumed not to change: it is read late whatever its type,
// except for arrays and structs of one word.
func (u *unit) changeable(e ast.Expr) bool {
	if v := u.RootVar(e); v != nil {
		return u.sharedVar(v)
	}
	if u.addressable(e) {
		return false
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && !found {
			if _, done := u.evaluated[x]; done {
				return false
			}
			found = u.readsElsewhere(x)
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// readsElsewhere reports whether e itself, not an operand of it, reads memory that
// others may change.
func (u *unit) readsElsewhere(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := u.Info.Uses[e].(*types.Var)
		return ok && !v.IsField() && u.sharedVar(v)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.UnaryExpr:
		return u.ReadsMemory(e)
	}
	return false
}

// sharedVar reports whether others than the function's own statements may assign v.
func (u *unit) sharedVar(v *types.Var) bool {
	f := u.UsageOf(v)
	return !analyse.Within(u.Source.Decl, v.Pos()) || f.Addressed || f.Captured && f.Mutated
}

// isDerived reports whether the identity of t depends on a type parameter, even if its
// layout does not. An assertion to such a type looks the type up at run time. All types
// that a generic function declares are among them.
func (u *unit) isDerived(t types.Type) bool {
	return typeset.HasParam(t) || typeset.NamesType(t, func(obj *types.TypeName) bool {
		return typeset.IsParam(obj.Type()) || typeset.IsLocal(obj) && u.typeArgs() != ""
	})
}
