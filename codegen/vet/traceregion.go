package vet

import (
	"go/ast"
	"go/types"
)

// traceRegions reports regions of runtime/trace that are open when a machine suspends. A region
// must end on the goroutine on which it began, but the machine continues on another one. The
// trace then has a region without an end, and an end without a region.
func traceRegions(r *reporter, s *survey) {
	s.callsInMachines(func(region *region, call *ast.CallExpr, stack []ast.Node) {
		if !isObjectOf(s.callee(call), "runtime/trace", "StartRegion") {
			return
		}
		ends, open := s.regionEnds(call, stack)
		if !open {
			return
		}
		if points := s.suspensionsWhileHeld(region, call, ends); len(points) > 0 {
			r.report(call, regionOpen(s.pass.Fset.Position(points[0].Pos()).Line))
		}
	})
}

// regionEnds returns a function that recognises the end of the trace region that a call opens,
// and reports whether the region is still open after the statement of the call.
func (s *survey) regionEnds(call *ast.CallExpr, stack []ast.Node) (ends func(*ast.CallExpr) bool, open bool) {
	never := func(*ast.CallExpr) bool { return false }
	var kept types.Object
	for i := len(stack) - 1; i >= 0 && kept == nil; i-- {
		switch n := stack[i].(type) {
		case *ast.DeferStmt: // it ends with the function
			return never, true
		case *ast.ExprStmt: // it ends immediately, or never
			return never, n.X == call
		case *ast.AssignStmt:
			if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 {
				kept = s.pass.TypesInfo.ObjectOf(id)
			}
		case *ast.ValueSpec:
			kept = s.pass.TypesInfo.ObjectOf(n.Names[0])
		}
	}
	return func(c *ast.CallExpr) bool {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "End" {
			return false
		}
		id, ok := ast.Unparen(sel.X).(*ast.Ident)
		return ok && s.pass.TypesInfo.ObjectOf(id) == kept
	}, kept != nil
}
