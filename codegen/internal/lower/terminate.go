package lower

import (
	"go/ast"
	"go/token"
)

// terminates reports whether s is a terminating statement as the language defines it: the compiler
// considers its end unreachable. The compiler requires that MoveNext ends in one, and vet that
// nothing follows one.
func (lo *lowering) terminates(s ast.Stmt) bool { return lo.terminatesAs(s, "") }

func (lo *lowering) terminatesAs(s ast.Stmt, name string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || lo.exits[s] != nil
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		builtin, ok := lo.Builtin(call.Fun)
		return ok && builtin == "panic"
	case *ast.BlockStmt:
		return lo.terminatesList(s.List)
	case *ast.IfStmt:
		return s.Else != nil && lo.terminates(s.Body) && lo.terminates(s.Else)
	case *ast.ForStmt:
		return s.Cond == nil && !lo.hasBreak(s.Body, name)
	case *ast.LabeledStmt:
		return lo.terminatesAs(s.Stmt, s.Label.Name)
	case *ast.SwitchStmt:
		return lo.terminatesSwitch(s.Body, name, false)
	case *ast.TypeSwitchStmt:
		return lo.terminatesSwitch(s.Body, name, false)
	case *ast.SelectStmt:
		return lo.terminatesSwitch(s.Body, name, true)
	}
	return false
}

func (lo *lowering) terminatesList(list []ast.Stmt) bool {
	return len(list) > 0 && lo.terminates(list[len(list)-1])
}

func (lo *lowering) terminatesSwitch(body *ast.BlockStmt, name string, whole bool) bool {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list = c.Body
			whole = whole || c.List == nil
		case *ast.CommClause:
			list = c.Body
		}
		if !lo.terminatesList(list) && !fallsThrough(list) || lo.hasBreakIn(list, name) {
			return false
		}
	}
	return whole
}

// terminatesClause reports the same of a clause's body that stays in its switch.
func (lo *lowering) terminatesClause(list []ast.Stmt) bool {
	return (lo.terminatesList(list) || fallsThrough(list)) && !lo.hasBreakIn(list, "")
}

func (lo *lowering) hasBreak(body *ast.BlockStmt, name string) bool {
	return lo.hasBreakIn(body.List, name)
}

// hasBreakIn reports whether one of the statements breaks out of the surrounding statement, which
// is called name.
func (lo *lowering) hasBreakIn(list []ast.Stmt, name string) bool {
	for _, s := range list {
		if lo.breaksOut(s, name, true) {
			return true
		}
	}
	return false
}

// breaksOut searches n for breaks without a label (if plain) or with the label name.
func (lo *lowering) breaksOut(n ast.Node, name string, plain bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			named := n.Label != nil && n.Label.Name == name
			found = n.Tok == token.BREAK && lo.exits[n] == nil && (named || plain && n.Label == nil)
		case *ast.ForStmt:
			found = lo.breaksOut(n.Body, name, false)
			return false
		case *ast.RangeStmt:
			found = lo.breaksOut(n.Body, name, false)
			return false
		case *ast.SwitchStmt:
			found = lo.breaksOut(n.Body, name, false)
			return false
		case *ast.TypeSwitchStmt:
			found = lo.breaksOut(n.Body, name, false)
			return false
		case *ast.SelectStmt:
			found = lo.breaksOut(n.Body, name, false)
			return false
		}
		return true
	})
	return found
}
