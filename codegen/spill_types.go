package codegen

import (
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// The facts about types that determine gc's order.

type keyKind int

const (
	keySlow keyKind = iota // by address
	keyCast                // by value, through a temporary of another type
	keyFast                // by value
)

func (u *unit) fastKey(t types.Type) keyKind {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return keyFast
		case t.Info()&types.IsInteger != 0 && u.sizes.Sizeof(t) >= 4, t.Kind() == types.UnsafePointer:
			return keyFast
		}
	case *types.Pointer, *types.Chan:
		return keyFast
	case *types.Struct, *types.Array:
		if kind := u.soleComponent(t); kind != nil {
			if u.fastKey(kind) != keySlow {
				return keyCast
			}
			return keySlow
		}
		if size := u.sizes.Sizeof(t); (size == 4 || size == 8) && u.plainMemory(t) {
			return keyCast
		}
	}
	return keySlow
}

// soleComponent is the type of the only thing in a struct or array, or nil.
func (u *unit) soleComponent(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		if t.NumFields() == 1 {
			return t.Field(0).Type()
		}
	case *types.Array:
		if t.Len() == 1 {
			return t.Elem()
		}
	}
	return nil
}

// plainMemory reports whether values of t are equal exactly if their bytes are.
func (u *unit) plainMemory(t types.Type) bool { return eachOnce(t, true, u.isPlainMemory) }

func (u *unit) isPlainMemory(t types.Type, part func(types.Type) bool) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return part(t.Elem())
	case *types.Struct:
		var sum int64
		for f := range t.Fields() {
			if f.Name() == "_" || !part(f.Type()) {
				return false
			}
			sum += u.sizes.Sizeof(f.Type())
		}
		return sum == u.sizes.Sizeof(t)
	}
	return false
}

// boxedByAddress reports whether converting a t to an interface needs its
// address: all but small numbers, strings and slices (dataWordFuncName).
func (u *unit) boxedByAddress(t types.Type) bool {
	size, align := u.sizes.Sizeof(t), u.sizes.Alignof(t)
	switch {
	case size == 2 && align == 2:
		return false
	case size == 4 && align == 4 && !hasPointers(t):
		return false
	case size == 8 && align == u.sizes.Alignof(types.Typ[types.Uint64]) && !hasPointers(t):
		return false
	}
	for sole := t; sole != nil; sole = u.soleComponent(sole) {
		if _, ok := sole.Underlying().(*types.Slice); ok || isString(sole) {
			return false
		}
	}
	return true
}

// isDirect reports whether an interface holds a t itself and not its address:
// types that are one pointer.
func (u *unit) isDirect(t types.Type) bool {
	if types.IsInterface(t) || u.sizes.Sizeof(t) != u.sizes.Sizeof(types.Typ[types.Uintptr]) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range t.Fields() {
			if u.sizes.Sizeof(f.Type()) > 0 {
				return u.isDirect(f.Type())
			}
		}
	case *types.Array:
		return t.Len() == 1 && u.isDirect(t.Elem())
	}
	return false
}

func hasPointers(t types.Type) bool { return eachOnce(t, false, isOrHasPointers) }

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

// hasTypeParam reports whether t depends on a type parameter, so that its layout is not
// known. Generated code is generic then, and gc orders it as for unknown types, too.
func hasTypeParam(t types.Type) bool { return dependsOnParam(t, nil) }

// isDerived reports whether the identity of t depends on a type parameter, even if its
// layout does not. An assertion to such a type looks the type up at run time. All types
// that a generic function declares are among them.
func (u *unit) isDerived(t types.Type) bool {
	return hasTypeParam(t) || namesType(t, func(obj *types.TypeName) bool {
		return isTypeParam(obj.Type()) || typetext.IsLocal(obj) && u.typeArgs() != ""
	})
}

// dependsOnParam is hasTypeParam except for the local types in seen. A type that a
// function declares depends on the function's parameters without naming them, and may
// mention itself.
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
		if typetext.IsLocal(t.Obj()) && !slices.Contains(seen, t.Origin()) {
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
