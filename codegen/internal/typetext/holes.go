package typetext

import (
	"go/types"
	"slices"
)

// IsOpen reports whether t cannot be named here because a part of it cannot. It imports nothing,
// since most of the types checked are never written.
func (im *Imports) IsOpen(t types.Type) bool {
	some := func(list ...types.Type) bool { return slices.ContainsFunc(list, im.IsOpen) }
	if t == nil || im.IsHole(t) {
		return t != nil
	}
	switch t := t.(type) {
	case *types.Named:
		return some(slices.Collect(t.TypeArgs().Types())...)
	case *types.Alias:
		if t.Obj().Pkg() == nil || im.unreachable(t.Obj()) == "" {
			return some(slices.Collect(t.TypeArgs().Types())...)
		}
		return some(t.Rhs())
	case *types.Map:
		return some(t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return some(t.Elem())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return some(v.Type()) })
	case *types.Signature:
		return some(t.Params(), t.Results())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return some(f.Type()) })
	case *types.Interface:
		return slices.ContainsFunc(slices.Collect(t.ExplicitMethods()), func(m *types.Func) bool { return some(m.Type()) })
	}
	return false
}

// IsHole reports whether t itself cannot be named, regardless of its parts. Types that this
// package declares in functions can be named: see liftType.
func (im *Imports) IsHole(t types.Type) bool {
	foreign := func(obj types.Object) bool {
		return !obj.Exported() && obj.Pkg() != nil && obj.Pkg().Path() != im.self.Path()
	}
	switch t := t.(type) {
	case *types.Named:
		obj := t.Obj()
		return obj.Pkg() != nil && obj.Pkg().Path() != im.self.Path() && im.unreachable(obj) != ""
	case *types.Struct:
		for f := range t.Fields() {
			if foreign(f) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if foreign(m) {
				return true
			}
		}
		for e := range t.EmbeddedTypes() {
			if im.IsHole(e) {
				return true
			}
		}
	}
	return false
}
