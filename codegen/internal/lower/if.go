package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// ifStatement lowers an if statement. If only the condition suspends, or what precedes it, the
// rest stays. Source, then result:
//
//	if err := fetch(ctx); err != nil { A }
//
//	f.fetch1, err = fetchEnter(r, ctx)
//	…
//	if err != nil { A }
//
// Otherwise, each branch may suspend:
//
//	if cond { A } else { B }
//
//	if !cond { goto else1 }
//	A
//	goto endIf1
//	else1:
//	B
//	endIf1:
func (lo *lowering) ifStatement(s *ast.IfStmt) {
	if s.Init != nil {
		lo.statement(s.Init)
	}
	if lo.restStays(s) {
		lo.spill(s.Cond, false)
		lo.keepRestOf(s)
		return
	}
	end := lo.label("endIf")
	otherwise := end
	if s.Else != nil {
		otherwise = lo.label("else")
	}
	lo.condition(s.Cond, otherwise, false)
	lo.block(s.Body.List)
	if s.Else != nil {
		lo.add(&ir.Jump{To: end}, &ir.Mark{Label: otherwise})
		lo.statement(s.Else)
	}
	lo.add(&ir.Mark{Label: end})
}

// restStays reports whether nothing suspends in an if statement once its condition has been
// evaluated, so that the rest can stay as it is. A condition with a suspension behind && or || is
// not evaluated as a whole. A condition that begins on a later line than the statement would be
// printed on another line than in the source.
func (lo *lowering) restStays(s *ast.IfStmt) bool {
	if lo.Suspends(s.Body) || s.Else != nil && lo.Suspends(s.Else) || lo.Source.Line(s.If) != lo.Source.Line(s.Cond.Pos()) {
		return false
	}
	cond := ast.Unparen(s.Cond)
	for {
		not, ok := cond.(*ast.UnaryExpr)
		if !ok || not.Op != token.NOT {
			break
		}
		cond = ast.Unparen(not.X)
	}
	e, ok := cond.(*ast.BinaryExpr)
	return !ok || e.Op != token.LAND && e.Op != token.LOR || !lo.Suspends(e)
}

// keepRestOf keeps an if statement without the parts that have been evaluated before it.
func (lo *lowering) keepRestOf(s *ast.IfStmt) {
	lo.routeExits(s)
	text := &mentionScan{lo: lo, root: s}
	if s.Init != nil {
		text.edits = append(text.edits, ir.Edit{Pos: s.Init.Pos(), End: s.Cond.Pos()})
	}
	text.walk(s.Cond)
	text.walk(s.Body)
	if s.Else != nil {
		text.walk(s.Else)
	}
	lo.add(&ir.Keep{Text: *text.span(), Stops: lo.terminates(s)})
}

// condition jumps to a label if cond equals when, and falls through otherwise. The parts of && and
// || that suspend become separate jumps.
func (lo *lowering) condition(cond ast.Expr, to *ir.Label, when bool) {
	cond = ast.Unparen(cond)
	if !lo.Suspends(cond) {
		lo.add(&ir.Branch{Cond: lo.value(cond), Not: !when, Inverse: lo.opposite(cond), To: to})
		return
	}
	switch e := cond.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			lo.condition(e.X, to, !when)
			return
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			lo.logicalCondition(e, to, when)
			return
		}
	}
	lo.spill(cond, false)
	if _, done := lo.evaluated[cond]; done {
		lo.add(&ir.Branch{Cond: lo.value(cond), Not: !when, To: to})
		return
	}
	lo.add(&ir.Branch{Cond: lo.value(cond), Not: !when, Inverse: lo.opposite(cond), To: to})
}

// logicalCondition lowers && and ||: a && b is false once a is, a || b is true once a is.
func (lo *lowering) logicalCondition(e *ast.BinaryExpr, to *ir.Label, when bool) {
	decides := e.Op == token.LOR // the value of the left operand that decides
	if decides == when {
		lo.condition(e.X, to, when)
		lo.condition(e.Y, to, when)
		return
	}
	skip := lo.label("cond")
	lo.condition(e.X, skip, decides)
	lo.condition(e.Y, to, when)
	lo.add(&ir.Mark{Label: skip})
}

// opposites are the comparisons that can be inverted. Ordered ones can be inverted only between
// integers and strings: both x < NaN and x >= NaN are false.
var opposites = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS,
	token.GTR: token.LEQ, token.LEQ: token.GTR,
}

// opposite returns the edit that inverts a comparison, or nil.
func (lo *lowering) opposite(cond ast.Expr) *ir.Edit {
	e, ok := cond.(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	op, ok := opposites[e.Op]
	if !ok {
		return nil
	}
	if e.Op != token.EQL && e.Op != token.NEQ {
		t := lo.Info.TypeOf(e.X)
		if !typeset.IsBasicInfo(t, types.IsInteger|types.IsString) || typeset.IsParam(t) {
			return nil
		}
	}
	return &ir.Edit{Pos: e.OpPos, End: e.OpPos + token.Pos(len(e.Op.String())), With: ir.Rope{ir.Text(op.String())}}
}
