package analyse

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Receivers whose dynamic types the compiler knows.
//
//	log(w.Name(f()))
//
// If w is an interface, it is read after f. But if w is a plain local and every value assigned
// to it has one type T, gc calls the method of T and asserts that w holds a T: before f, unless
// T is a pointer. The compiler may find such a value by inlining a call, so the analysis cannot
// be repeated here; and in a machine, w may not be a plain local. The difference is visible only
// if a function literal assigns w meanwhile, and that is refused.

// checkReceiver refuses a call if its receiver may be read early or late and evaluating an
// argument may change it.
func (fs *Facts) checkReceiver(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !types.IsInterface(fs.TypeOf(sel.X)) || typeset.IsParam(fs.TypeOf(sel.X)) {
		return
	}
	v, ok := fs.Info.Uses[identOf(fs.StripInterfaceConversions(sel.X))].(*types.Var)
	if !ok || !types.IsInterface(v.Type()) || !Within(fs.Body, v.Pos()) {
		return
	}
	f := fs.UsageOf(v)
	if !f.Captured || !f.Mutated || fs.Points[call] == nil && (!f.InLiteral || f.Addressed || !fs.mayBeKnown(v)) {
		return
	}
	for _, arg := range call.Args {
		if fs.Suspends(arg) || fs.callsValues(arg, sel.X) {
			fs.refuse(unorderedReceiver(fs.Source.Extent(sel), v.Name()))
			return
		}
	}
}

// StripInterfaceConversions returns the operand of e's conversions to interfaces: x for J(I(x)),
// and e itself if it is not such a conversion.
func (fs *Facts) StripInterfaceConversions(e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !fs.IsConversion(call) || !types.IsInterface(fs.TypeOf(e)) || typeset.IsParam(fs.TypeOf(e)) {
			return e
		}
		e = call.Args[0]
	}
}

// mayBeKnown reports whether gc may find that the variable holds values of one type only, and
// that this type is not a pointer.
func (fs *Facts) mayBeKnown(v *types.Var) bool {
	known := true
	var one types.Type
	assigned := func(e ast.Expr) {
		t := fs.TypeOf(e)
		_, isCall := ast.Unparen(e).(*ast.CallExpr)
		switch {
		case fs.Info.Types[e].IsNil() || isCall && types.IsInterface(t):
		case types.IsInterface(t):
			other, ok := fs.Info.ObjectOf(identOf(e)).(*types.Var)
			known = known && ok && Within(fs.annotatedFacts().Body, other.Pos())
		default:
			known = known && !fs.IsDirect(t) && (one == nil || types.Identical(one, t))
			one = t
		}
	}
	ast.Inspect(fs.annotatedFacts().Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if fs.Info.ObjectOf(identOf(lhs)) == v && len(n.Lhs) == len(n.Rhs) {
					assigned(n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if fs.Info.Defs[name] == v && len(n.Names) == len(n.Values) {
					assigned(n.Values[i])
				}
			}
		}
		return true
	})
	return known
}
