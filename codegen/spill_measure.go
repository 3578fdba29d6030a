package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// The length of an array is known from its type, and so the array is not evaluated
// where only its length is asked for: by len, cap, and a range that has no use for the
// values. But it is evaluated where it holds a call or a receive. Moving those before
// the expression would leave none in it, and the rest of it, a division by zero
// perhaps, would not happen. So the array is evaluated first. Source, then result:
//
//	n := len([2]int{x / y, f()}) + 1
//
//	v1 := […]                       // f has returned this
//	v2 := [2]int{x / y, v1}
//	v3 := len(v2)                   // not a constant in what is around it, as before
//	n := v3 + 1

// measuresArray reports whether call asks for the length of an array that holds a
// suspension.
func (u *unit) measuresArray(call *ast.CallExpr) bool {
	name, ok := u.Builtin(call.Fun)
	return ok && (name == "len" || name == "cap") && arrayOf(u.TypeOf(call.Args[0])) != nil && u.Suspends(call.Args[0])
}

func (u *unit) spillMeasured(call *ast.CallExpr) {
	array := ast.Unparen(call.Args[0])
	u.spill(array, false)
	u.hoist(array)
	u.hoist(call)
}

// arrayOf returns the array that a value of type t is or points to, whose length is
// known, or nil.
func arrayOf(t types.Type) *types.Array {
	core := typeset.Core(t)
	if ptr, ok := core.(*types.Pointer); ok {
		core = typeset.Core(ptr.Elem())
	}
	array, _ := core.(*types.Array)
	return array
}
