package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ifStatement. Source, then result (each branch may suspend):
//
//	if cond { A } else { B }
//
//	if !cond { goto else1 }
//	A
//	goto endIf1
//	else1:
//	B
//	endIf1:
func (u *unit) ifStatement(s *ast.IfStmt) {
	if s.Init != nil {
		u.statement(s.Init)
	}
	end := u.label("endIf")
	otherwise := end
	if s.Else != nil {
		otherwise = u.label("else")
	}
	u.condition(s.Cond, otherwise, false)
	u.block(s.Body.List)
	if s.Else != nil {
		u.add(&jump{end}, &mark{label: otherwise})
		u.statement(s.Else)
	}
	u.add(&mark{label: end})
}

// condition jumps to a label if cond is when, and falls through otherwise. The
// parts of && and || that suspend become jumps of their own.
func (u *unit) condition(cond ast.Expr, to *label, when bool) {
	cond = ast.Unparen(cond)
	if !u.suspends(cond) {
		u.add(&branch{cond: u.value(cond), expr: condition{cond, u.info}, not: !when, to: to})
		return
	}
	switch e := cond.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			u.condition(e.X, to, !when)
			return
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			u.logicalCondition(e, to, when)
			return
		}
	}
	u.spill(cond, false)
	if _, done := u.evaluated[cond]; done {
		u.add(&branch{cond: u.value(cond), not: !when, to: to})
		return
	}
	u.add(&branch{cond: u.value(cond), expr: condition{cond, u.info}, not: !when, to: to})
}

// logicalCondition: a && b is false as soon as a is, a || b true as soon as a is.
func (u *unit) logicalCondition(e *ast.BinaryExpr, to *label, when bool) {
	decides := e.Op == token.LOR // the value of the left operand that decides
	if decides == when {
		u.condition(e.X, to, when)
		u.condition(e.Y, to, when)
		return
	}
	skip := u.label("cond")
	u.condition(e.X, skip, decides)
	u.condition(e.Y, to, when)
	u.add(&mark{label: skip})
}

// condition is a condition as syntax, so that it can be printed negated.
type condition struct {
	expr ast.Expr
	info *types.Info
}

// opposites are the comparisons that can be turned round. The ordered ones only
// between integers and strings: both x < NaN and x >= NaN are false.
var opposites = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS,
	token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// opposite finds the comparison at the top of c and what it becomes if c is
// negated.
func (c condition) opposite() (*ast.BinaryExpr, token.Token, bool) {
	e, ok := c.expr.(*ast.BinaryExpr)
	if !ok {
		return nil, 0, false
	}
	op, ok := opposites[e.Op]
	if !ok {
		return nil, 0, false
	}
	if e.Op != token.EQL && e.Op != token.NEQ {
		t := c.info.TypeOf(e.X)
		if !isBasicInfo(t, types.IsInteger|types.IsString) || isTypeParam(t) {
			return nil, 0, false
		}
	}
	return e, op, true
}
