package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/source"
)

// heldLocks reports suspensions between Lock and Unlock of a lock of package sync. Other code
// that wants the lock meanwhile blocks a worker. Once all workers are blocked, the holder never
// runs to unlock. A coord.Mutex may be held, since its Lock has a twin.
func heldLocks(r *reporter, s *survey) {
	s.callsInMachines(func(region *region, call *ast.CallExpr, stack []ast.Node) {
		if len(stack) == 0 || !isStatement(stack) {
			return
		}
		lock, unlock := s.syncLock(call)
		if lock == "" {
			return
		}
		for _, point := range s.suspensionsWhileHeld(region, call, func(c *ast.CallExpr) bool { return types.ExprString(c.Fun) == unlock }) {
			r.report(point, lockHeld(lock, s.pass.Fset.Position(call.Pos()).Line), s.unlockAround(region, point, lock, unlock))
		}
	})
}

// syncLock returns the methods that lock and unlock, if call locks a lock of package sync.
func (s *survey) syncLock(call *ast.CallExpr) (lock, unlock string) {
	fn := s.callee(call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if fn == nil || !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return "", ""
	}
	switch fn.Name() {
	case "Lock":
		return types.ExprString(call.Fun), types.ExprString(sel.X) + ".Unlock"
	case "RLock":
		return types.ExprString(call.Fun), types.ExprString(sel.X) + ".RUnlock"
	}
	return "", ""
}

// unlockAround releases the lock during the statement around point, if that
// statement is in a list.
func (s *survey) unlockAround(r *region, point *ast.CallExpr, lock, unlock string) analysis.SuggestedFix {
	p := s.patch(point.Pos())
	r.walk(func(n ast.Node, stack []ast.Node) {
		if n != point {
			return
		}
		for i := len(stack) - 1; i > 0; i-- {
			switch stmt := stack[i].(type) {
			case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt:
				if _, ok := stack[i-1].(*ast.BlockStmt); ok {
					p.insert(stmt.Pos(), unlock+"()\n")
					p.insert(stmt.End(), "\n"+lock+"()")
				}
				return
			case ast.Stmt:
				return
			}
		}
	})
	return p.fix("unlock it meanwhile, so that what it guards may change")
}

// lockedThreads reports goroutines that are locked to their thread when a machine suspends.
// The machine continues on another goroutine, and leaves the intended thread behind.
func lockedThreads(r *reporter, s *survey) {
	s.callsInMachines(func(region *region, call *ast.CallExpr, _ []ast.Node) {
		if !isObjectOf(s.callee(call), "runtime", "LockOSThread") {
			return
		}
		points := s.suspensionsWhileHeld(region, call, func(c *ast.CallExpr) bool { return isObjectOf(s.callee(c), "runtime", "UnlockOSThread") })
		if len(points) == 0 {
			return
		}
		r.report(call, threadLeft(s.pass.Fset.Position(points[0].Pos()).Line), s.withdraw(region))
	})
}

// withdraw removes the annotation: the plain form stays on its thread.
func (s *survey) withdraw(r *region) analysis.SuggestedFix {
	p := s.patch(r.decl.Pos())
	for _, c := range r.decl.Doc.List {
		if source.IsAsync(c.Text) && r.lit == nil {
			p.replace(piece{c.Pos(), c.End() + token.Pos(len("\n"))}, "")
		}
	}
	return p.fix("remove the annotation, so that it keeps its thread")
}
