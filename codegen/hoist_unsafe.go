package codegen

import "go/types"

// refuseUnsafe refuses variables of package unsafe's pointer type that are needed after
// a suspension. The rules of that package make them valid within a call, or as long as
// the caller keeps what they point to; a suspended machine outlives its call.
//
// A value with such a pointer somewhere inside is kept like any other: the pointer got
// there to outlive a call, and its type answers for it, as reflect.Value does. A
// uintptr may be such a pointer, too, but looks like any other number.
func (u *unit) refuseUnsafe() {
	refused := map[*variable]bool{}
	for _, p := range u.parks() {
		for v := range u.live.before(p.resume.at) {
			if v.typ != nil && !refused[v] && isBasic(v.typ, types.UnsafePointer) {
				refused[v] = true
				u.refuse(heldUnsafe(u.atVariable(v), v.name))
			}
		}
	}
}
