package codegen

import (
	"go/ast"
	"go/token"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// forStatement. Source, then result:
//
//	for init; cond; post { body }
//
//	init
//	for1:
//	if !cond { goto endFor1 }
//	body
//	next1:
//	post
//	goto for1
//	endFor1:
//
// A variable of the loop that a function literal keeps gets a copy for each
// iteration, made before post.
func (u *unit) forStatement(s *ast.ForStmt, name string) {
	if s.Init != nil {
		u.statement(s.Init)
	}
	top, next, end := u.label(orName(name, "for")), u.label("next"), u.label("endFor")
	u.add(&ir.Mark{Label: top})
	if s.Cond != nil {
		u.condition(s.Cond, end, false)
	}
	u.enter(jumpTarget{name: name, breakTo: end, continueTo: next})
	u.block(s.Body.List)
	u.leave()
	u.add(&ir.Mark{Label: next})
	u.renewLoopVars(s)
	if s.Post != nil {
		u.statement(s.Post)
	}
	u.add(&ir.Jump{To: top}, &ir.Mark{Label: end})
}

func orName(name, other string) string {
	if name != "" {
		return name
	}
	return other
}

func (u *unit) renewLoopVars(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || !u.LoopVarPerIteration() {
		return
	}
	for _, lhs := range init.Lhs {
		if v := u.variableOf(lhs.(*ast.Ident)); v != nil && v.Shared() {
			u.add(&ir.Renew{V: v})
		}
	}
}
