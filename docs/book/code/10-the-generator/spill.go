package main

import (
	"fmt"
	"go/ast"
)

// spiller takes awaits out of expressions. Operands that are evaluated before an await
// have to be computed before it, and remembered: g(x) + await(y) calls g first.
type spiller struct{ temporaries int }

// block returns statements in which each await is the whole right side of an
// assignment.
func (s *spiller) block(list []ast.Stmt) (out []ast.Stmt) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			out = append(out, s.expr(&stmt.Rhs[0], true)...)
			out = append(out, stmt)
		case *ast.ReturnStmt:
			out = append(out, s.expr(&stmt.Results[0], false)...)
			out = append(out, stmt)
		case *ast.ForStmt:
			stmt.Body.List = s.block(stmt.Body.List)
			out = append(out, stmt)
		}
	}
	return out
}

// expr replaces awaits within *e by temporaries and returns the statements that
// set them. With top, an await may stay where it is.
func (s *spiller) expr(e *ast.Expr, top bool) (before []ast.Stmt) {
	switch x := (*e).(type) {
	case *ast.CallExpr:
		for i := range x.Args {
			before = append(before, s.expr(&x.Args[i], false)...)
		}
		if isAwait(x) && !top {
			before = append(before, s.keep(e))
		}
	case *ast.BinaryExpr:
		before = s.expr(&x.X, false)
		if call, ok := x.X.(*ast.CallExpr); ok && !isAwait(call) && holdsAwait(x.Y) {
			before = append(before, s.keep(&x.X))
		}
		before = append(before, s.expr(&x.Y, false)...)
	}
	return before
}

// keep moves *e into a temporary.
func (s *spiller) keep(e *ast.Expr) ast.Stmt {
	s.temporaries++
	t := ast.NewIdent(fmt.Sprint("t", s.temporaries))
	stmt := &ast.AssignStmt{Lhs: []ast.Expr{t}, Tok: defines, Rhs: []ast.Expr{*e}}
	*e = t
	return stmt
}

func isAwait(x *ast.CallExpr) bool {
	f, ok := x.Fun.(*ast.Ident)
	return ok && f.Name == "await"
}

func holdsAwait(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && isAwait(call)
		return !found
	})
	return found
}
