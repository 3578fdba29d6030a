package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// droppedJobs reports calls whose job is discarded. Nothing stops such a job, and only a
// process-wide hook learns its outcome. Assigning the job to the blank identifier marks it
// as intended. A scope itself keeps the handles of its children. It also reports turns of a
// coord.Serial whose error is discarded: only the error says that a function will never run.
func droppedJobs(r *reporter, s *survey) {
	for _, region := range s.regions {
		region.walk(func(n ast.Node, _ []ast.Node) {
			var call *ast.CallExpr
			switch n := n.(type) {
			case *ast.ExprStmt:
				call, _ = ast.Unparen(n.X).(*ast.CallExpr)
			case *ast.GoStmt:
				call = n.Call
			case *ast.DeferStmt:
				call = n.Call
			}
			switch {
			case call == nil:
			case s.makesJob(call):
				r.report(call, jobDropped(), s.dropFixes(region, n.(ast.Stmt), call)...)
			case s.takesTurn(call):
				r.report(call, turnDropped())
			}
		})
	}
}

// makesJob reports whether call returns a job that would be lost.
func (s *survey) makesJob(call *ast.CallExpr) bool {
	if typ := s.info.TypeOf(call); typ == nil || !isJob(typ) {
		return false
	}
	fn := s.callee(call)
	return !isObjectOf(fn, jobPath, "Spawn")
}

// takesTurn reports whether call waits for a turn of a coord.Serial, and calls a function then.
func (s *survey) takesTurn(call *ast.CallExpr) bool {
	fn := s.callee(call)
	return isObjectOf(fn, coordPath, "InTurn") || isObjectOf(fn, coordPath, "Do") && receiverName(fn) == "Serial"
}

func isObjectOf(fn *types.Func, path, name string) bool { return fn != nil && isObject(fn, path, name) }

// dropFixes returns the ways to keep the job, or to do without it. Appending Await to a
// deferred call would not work: the job would start at the defer statement.
func (s *survey) dropFixes(r *region, stmt ast.Stmt, call *ast.CallExpr) []analysis.SuggestedFix {
	discard, wait, direct := s.patch(stmt.Pos()), s.patch(stmt.Pos()), s.patch(stmt.Pos())
	discard.replace(piece{stmt.Pos(), call.Pos()}, "_ = ")
	wait.insert(call.End(), ".Await()")
	_, deferred := stmt.(*ast.DeferStmt)
	if id := s.asyncName(call); id != nil && (deferred || r.runner == machine) {
		direct.replace(piece{id.End() - token.Pos(len(asyncSuffix)), id.End()}, "")
	}
	switch stmt.(type) {
	case *ast.DeferStmt:
		return []analysis.SuggestedFix{direct.fix(plainMessage)}
	case *ast.GoStmt:
		return []analysis.SuggestedFix{discard.fix("discard the job on purpose")}
	}
	if len(direct.edits) > 0 {
		return []analysis.SuggestedFix{direct.fix(plainMessage), discard.fix("discard the job on purpose")}
	}
	return []analysis.SuggestedFix{wait.fix("await it"), discard.fix("discard the job on purpose")}
}

const plainMessage = "call the plain form, which waits"

const asyncSuffix = "Async"

// asyncName returns the identifier of the twin that call names, or nil.
func (s *survey) asyncName(call *ast.CallExpr) *ast.Ident {
	fn := s.callee(call)
	if fn == nil || !strings.HasSuffix(fn.Name(), asyncSuffix) {
		return nil
	}
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	}
	if id == nil || s.twins.Plain(fn) == nil {
		return nil
	}
	return id
}
