package codegen

import "go/types"

// refuseUnsafe refuses variables of package unsafe's pointer type that are needed after a
// suspension. The rules of that package make them valid within a call, or as long as
// the caller keeps what they point to; a suspended machine outlives its call.
//
// What another package has in an unexported field is nobody's business here: who holds a
// reflect.Value holds a value like any other, and its package answers for the pointer in it.
//
// A uintptr may be such a pointer, too, but is a number in all that one can see of it.
func (u *unit) refuseUnsafe() {
	refused := map[*variable]bool{}
	for _, p := range u.parks() {
		for v := range u.live.before(p.resume.at) {
			if v.typ != nil && !refused[v] && u.holdsUnsafe(v.typ) {
				refused[v] = true
				u.refuse(heldUnsafe(u.atVariable(v), v.name))
			}
		}
	}
}

// holdsUnsafe reports whether a value of type typ holds an unsafe.Pointer itself that the package could name: not
// behind a pointer, and not in an unexported field of another package.
func (u *unit) holdsUnsafe(typ types.Type) bool {
	switch t := typ.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return u.holdsUnsafe(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if (f.Exported() || f.Pkg() == u.fn.Package.Types) && u.holdsUnsafe(f.Type()) {
				return true
			}
		}
	}
	return false
}
