// Package typeset answers queries about values whose type may be a type parameter. The underlying
// type of a type parameter is an interface, which does not show the operations on the value:
// those follow from the type set. So the functions here check every type in the set. A property
// of all of them holds for the value; a property of some of them may hold.
//
// It is tempting to use t.Underlying() and let type parameters take the default branch. Then an
// array whose type is a parameter seems to have no parts, and stays in the frame although its
// address is known elsewhere.
package typeset

import (
	"go/types"
	"slices"
)

// Of lists the types that a value of type t may have: t alone, or the terms of a type parameter's
// constraint. It returns nil for a type parameter that may stand for any type.
func Of(t types.Type) []types.Type {
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		return termsOf(param.Constraint())
	}
	return []types.Type{t}
}

// termsOf lists the types that a constraint allows; nil: it has no union.
func termsOf(constraint types.Type) []types.Type {
	if union, ok := types.Unalias(constraint).(*types.Union); ok {
		list := []types.Type{}
		for term := range union.Terms() {
			one := termsOf(term.Type())
			if one == nil {
				return nil
			}
			list = append(list, one...)
		}
		return list
	}
	i, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return []types.Type{constraint}
	}
	var list []types.Type
	for embedded := range i.EmbeddedTypes() {
		list = intersection(list, termsOf(embedded))
	}
	return list
}

// intersection returns the types that are in both sets; nil is the set of all types.
func intersection(a, b []types.Type) []types.Type {
	if a == nil || b == nil {
		return append(a, b...)
	}
	return slices.DeleteFunc(a, func(t types.Type) bool {
		return !slices.ContainsFunc(b, func(other types.Type) bool { return types.Identical(t.Underlying(), other.Underlying()) })
	})
}

// Core returns the underlying type of t. For a type parameter it returns the one that all its
// type arguments have in common, or nil if there are several.
func Core(t types.Type) types.Type {
	var core types.Type
	for _, term := range Of(t) {
		one := term.Underlying()
		if core == nil || isSend(core, one) {
			core = one
		} else if !types.Identical(core, one) && !isSend(one, core) {
			return nil
		}
	}
	return core
}

// isSend reports whether two types are channels of the same elements, and the second is
// restricted to one direction.
func isSend(a, b types.Type) bool {
	x, ok := a.(*types.Chan)
	y, also := b.(*types.Chan)
	return ok && also && x.Dir() == types.SendRecv && types.Identical(x.Elem(), y.Elem())
}

// Always reports whether the underlying type of every value of type t satisfies is.
func Always(t types.Type, predicate func(types.Type) bool) bool {
	set := Of(t)
	return len(set) > 0 && !slices.ContainsFunc(set, func(t types.Type) bool { return !predicate(t.Underlying()) })
}

// Perhaps reports whether the underlying type of some value of type t satisfies is.
func Perhaps(t types.Type, predicate func(types.Type) bool) bool {
	return slices.ContainsFunc(Of(t), func(t types.Type) bool { return predicate(t.Underlying()) })
}

// IsA reports whether an underlying type is of the kind T.
func IsA[T types.Type](t types.Type) bool {
	_, ok := t.(T)
	return ok
}

// ChanElem returns the element type of a channel. Channels in a type set may differ in their
// directions.
func ChanElem(t types.Type) types.Type { return Core(t).(*types.Chan).Elem() }
