package typeset

import (
	"go/token"
	"go/types"
	"slices"
)

// locker is interface{ Lock(); Unlock() }.
var locker = func() *types.Interface {
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	return types.NewInterfaceType([]*types.Func{
		types.NewFunc(token.NoPos, nil, "Lock", sig),
		types.NewFunc(token.NoPos, nil, "Unlock", sig),
	}, nil).Complete()
}()

// HoldsLock reports whether values of t must not be copied, by the rule of vet's copylocks: the
// value is or contains something that only a pointer can lock. This matters because a frame is
// copied when it is promoted.
func HoldsLock(t types.Type) bool { return EachOnce(t, false, isOrHoldsLock) }

func isOrHoldsLock(t types.Type, part func(types.Type) bool) bool {
	if t == nil || IsParam(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return part(u.Elem())
	case *types.Struct:
		if types.Implements(types.NewPointer(t), locker) && !types.Implements(t, locker) {
			return true
		}
		for f := range u.Fields() {
			if part(f.Type()) {
				return true
			}
		}
	}
	return false
}

// EachOnce calls is for t, which calls part for the types inside t. For a type that was already
// visited, part returns repeated. Otherwise 60 types that each contain the next one twice would
// take 2⁶⁰ calls.
func EachOnce(t types.Type, repeated bool, predicate func(t types.Type, part func(types.Type) bool) bool) bool {
	seen := map[types.Type]bool{}
	var ask func(types.Type) bool
	ask = func(t types.Type) bool {
		if seen[t] {
			return repeated
		}
		seen[t] = true
		return predicate(t, ask)
	}
	return ask(t)
}

// NamesType reports whether the text of t names a declared type that satisfies is.
func NamesType(t types.Type, predicate func(*types.TypeName) bool) bool {
	some := func(list ...types.Type) bool {
		return slices.ContainsFunc(list, func(t types.Type) bool { return NamesType(t, predicate) })
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return predicate(t.Obj())
	case *types.Named:
		return predicate(t.Obj()) || some(slices.Collect(t.TypeArgs().Types())...)
	case *types.Alias:
		return predicate(t.Obj()) || some(types.Unalias(t))
	case *types.Map:
		return some(t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return some(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if some(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return some(t.Params(), t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if some(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if some(m.Type()) {
				return true
			}
		}
		return some(slices.Collect(t.EmbeddedTypes())...)
	case *types.Union:
		for term := range t.Terms() {
			if some(term.Type()) {
				return true
			}
		}
	}
	return false
}

// HasPointers reports whether values of t contain pointers that the garbage collector follows.
func HasPointers(t types.Type) bool { return EachOnce(t, false, isOrHasPointers) }

func isOrHasPointers(t types.Type, part func(types.Type) bool) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer
	case *types.Array:
		return t.Len() > 0 && part(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if part(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// IsParam reports whether t is a type parameter.
func IsParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// HasParam reports whether t depends on a type parameter, so that its layout is unknown.
// Generated code is then also generic, and gc orders it as for unknown types, too.
func HasParam(t types.Type) bool { return dependsOnParam(t, nil) }

// dependsOnParam corresponds to HasParam, but ignores the local types in seen. A type declared in
// a function depends on the function's type parameters without naming them, and may mention
// itself.
func dependsOnParam(t types.Type, seen []*types.Named) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if dependsOnParam(arg, seen) {
				return true
			}
		}
		if IsLocal(t.Obj()) && !slices.Contains(seen, t.Origin()) {
			return dependsOnParam(t.Underlying(), append(seen, t.Origin()))
		}
	case *types.Array:
		return dependsOnParam(t.Elem(), seen)
	case *types.Map:
		return dependsOnParam(t.Key(), seen) || dependsOnParam(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if dependsOnParam(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// IsLocal reports whether the type is declared in a function.
func IsLocal(obj *types.TypeName) bool {
	return obj.Pkg() != nil && obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope()
}

// IsString reports whether all types that t stands for are strings.
func IsString(t types.Type) bool { return IsBasicInfo(t, types.IsString) }

// IsBasicInfo reports whether all types that t stands for are basic and have one of the
// properties.
func IsBasicInfo(t types.Type, info types.BasicInfo) bool {
	return Always(t, func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&info != 0
	})
}

// IsBasic reports whether all types that t stands for are the basic type of a kind.
func IsBasic(t types.Type, kind types.BasicKind) bool {
	return Always(t, func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Kind() == kind
	})
}

// MapType returns the map that a value of type t is, or nil.
func MapType(t types.Type) *types.Map {
	m, _ := Core(t).(*types.Map)
	return m
}

// IsPointer reports whether all types that t stands for are pointers.
func IsPointer(t types.Type) bool {
	return Always(t, IsA[*types.Pointer])
}
