package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Statements that are taken apart, although nothing in them suspends.

// fragileAppend marks m[k] = append(m[k], …) to be taken apart.
func (u *unit) fragileAppend(s *ast.AssignStmt, around []ast.Node) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return
	}
	place, from, call := u.appendToPlace(s.Lhs[0], s.Rhs[0])
	if place == nil || from == nil || !u.holdsCall(call.Args[1:]) {
		return
	}
	changes := false
	for _, e := range []ast.Expr{place.X, place.Index} {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := u.info.Uses[id].(*types.Var); ok && within(u.fn.Decl, v.Pos()) {
				f := u.factsOf(v)
				changes = changes || f.inLiteral || f.addressed
			}
		}
	}
	if !changes {
		return
	}
	if inLiteral(around) {
		u.refuse(fragileInLiteral(u.at(s)))
		return
	}
	u.force(s, around)
}

func (u *unit) holdsCall(list []ast.Expr) bool {
	for _, e := range list {
		if u.hasCall(e) {
			return true
		}
	}
	return false
}

// force has a statement taken apart. In a function literal nothing is.
func (u *unit) force(s ast.Stmt, around []ast.Node) {
	if inLiteral(around) {
		return
	}
	for _, n := range around {
		u.suspending[n] = true
	}
	u.suspending[s], u.forced[s] = true, true
}

// inLiteral reports whether one of the nodes around is a function literal.
func inLiteral(around []ast.Node) bool {
	return slices.ContainsFunc(around, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		return ok
	})
}
