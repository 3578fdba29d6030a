package vet

import (
	"go/ast"

	"golang.org/x/tools/go/cfg"
)

// The code between two calls, such as a lock and its unlock, or up to the function's end.

// callsInMachines calls f with each call in code that machines run, and with the nodes around
// it.
func (s *survey) callsInMachines(f func(r *region, call *ast.CallExpr, stack []ast.Node)) {
	for _, r := range s.regions {
		if r.runner != machine {
			continue
		}
		r.walk(func(n ast.Node, stack []ast.Node) {
			if call, ok := n.(*ast.CallExpr); ok {
				f(r, call, stack)
			}
		})
	}
}

// suspensionsWhileHeld finds the first suspensions that a region may reach from the statement of
// a call without passing a call that release accepts. Deferred calls release nothing before the
// end of the function, where nothing suspends any more.
func (s *survey) suspensionsWhileHeld(r *region, from *ast.CallExpr, release func(*ast.CallExpr) bool) []*ast.CallExpr {
	// Any call may return: treating calls that never return like others adds
	// false paths only after calls like log.Fatal.
	graph := cfg.New(r.body, func(*ast.CallExpr) bool { return true })
	var found []*ast.CallExpr
	seen := map[*cfg.Block]bool{}
	var follow func(b *cfg.Block, nodes []ast.Node)
	follow = func(b *cfg.Block, nodes []ast.Node) {
		for _, n := range nodes {
			point, released := s.firstOf(n, release)
			if point != nil {
				found = append(found, point)
			}
			if point != nil || released {
				return
			}
		}
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				follow(next, next.Nodes)
			}
		}
	}
	for _, b := range graph.Blocks {
		for i, n := range b.Nodes {
			if n.Pos() <= from.Pos() && from.End() <= n.End() && b.Live {
				follow(b, b.Nodes[i+1:])
				return found
			}
		}
	}
	return nil
}

// firstOf finds what happens first in a node: a suspension or a release.
func (s *survey) firstOf(n ast.Node, release func(*ast.CallExpr) bool) (point *ast.CallExpr, released bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if point != nil || released {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if s.suspends(n) {
				point = n
			}
			released = point == nil && release(n)
		}
		return true
	})
	return point, released
}
