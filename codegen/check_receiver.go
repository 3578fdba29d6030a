package codegen

import (
	"go/ast"
	"go/types"
)

// Receivers whose types the compiler knows.
//
//	log(w.Name(f()))
//
// If w is an interface, it is read after f. But if w is a plain local and every value
// assigned to it has one type T, gc calls the method of T and asserts that w holds a T:
// before f, unless T is a pointer. An assigned value may be one that inlining finds in
// a call, so the analysis cannot be repeated here; and in a machine, w may not be a
// plain local. The difference shows only where a function literal assigns w meanwhile,
// and that is refused.

// checkReceiver refuses a call whose receiver is read early or late, if evaluating an
// argument may change it.
func (u *unit) checkReceiver(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !types.IsInterface(u.typeOf(sel.X)) || isTypeParam(u.typeOf(sel.X)) {
		return
	}
	v, ok := u.info.Uses[identOf(sel.X)].(*types.Var)
	if !ok || !within(u.body, v.Pos()) {
		return
	}
	f := u.factsOf(v)
	if !f.captured || !f.mutated || u.points[call] == nil && (!f.inLiteral || f.addressed || !u.mayBeKnown(v)) {
		return
	}
	for _, arg := range call.Args {
		if u.suspends(arg) || u.callsValues(arg, sel.X) {
			u.refuse(unorderedReceiver(u.at(sel), v.Name()))
			return
		}
	}
}

// mayBeKnown reports whether gc may find that the variable holds values of one type
// only, and that type is no pointer.
func (u *unit) mayBeKnown(v *types.Var) bool {
	known := true
	var one types.Type
	assigned := func(e ast.Expr) {
		t := u.typeOf(e)
		_, isCall := ast.Unparen(e).(*ast.CallExpr)
		switch {
		case u.info.Types[e].IsNil() || isCall && types.IsInterface(t):
		case types.IsInterface(t):
			other, ok := u.info.ObjectOf(identOf(e)).(*types.Var)
			known = known && ok && within(u.root().body, other.Pos())
		default:
			known = known && !u.isDirect(t) && (one == nil || types.Identical(one, t))
			one = t
		}
	}
	ast.Inspect(u.root().body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if u.info.ObjectOf(identOf(lhs)) == v && len(n.Lhs) == len(n.Rhs) {
					assigned(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if u.info.Defs[name] == v && len(n.Names) == len(n.Values) {
					assigned(n.Values[i])
				}
			}
		}
		return true
	})
	return known
}
