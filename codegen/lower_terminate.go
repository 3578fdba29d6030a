package codegen

import (
	"go/ast"
	"go/token"
)

// terminates reports whether s is a terminating statement as the language defines it:
// the compiler takes its end to be unreachable. The compiler demands that MoveNext ends
// in one, and vet that nothing follows one.
func (u *unit) terminates(s ast.Stmt) bool { return u.terminatesAs(s, "") }

func (u *unit) terminatesAs(s ast.Stmt, name string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || u.exits[s] != nil
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return false
		}
		builtin, ok := u.Builtin(call.Fun)
		return ok && builtin == "panic"
	case *ast.BlockStmt:
		return u.terminatesList(s.List)
	case *ast.IfStmt:
		return s.Else != nil && u.terminates(s.Body) && u.terminates(s.Else)
	case *ast.ForStmt:
		return s.Cond == nil && !u.hasBreak(s.Body, name)
	case *ast.LabeledStmt:
		return u.terminatesAs(s.Stmt, s.Label.Name)
	case *ast.SwitchStmt:
		return u.terminatesSwitch(s.Body, name, false)
	case *ast.TypeSwitchStmt:
		return u.terminatesSwitch(s.Body, name, false)
	case *ast.SelectStmt:
		return u.terminatesSwitch(s.Body, name, true)
	}
	return false
}

func (u *unit) terminatesList(list []ast.Stmt) bool {
	return len(list) > 0 && u.terminates(list[len(list)-1])
}

func (u *unit) terminatesSwitch(body *ast.BlockStmt, name string, whole bool) bool {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list = c.Body
			whole = whole || c.List == nil
		case *ast.CommClause:
			list = c.Body
		}
		if !u.terminatesList(list) && !fallsThrough(list) || u.hasBreakIn(list, name) {
			return false
		}
	}
	return whole
}

// terminatesClause is for the body of a clause that stays in its switch.
func (u *unit) terminatesClause(list []ast.Stmt) bool {
	return (u.terminatesList(list) || fallsThrough(list)) && !u.hasBreakIn(list, "")
}

func (u *unit) hasBreak(body *ast.BlockStmt, name string) bool { return u.hasBreakIn(body.List, name) }

// hasBreakIn reports whether one of the statements breaks out of the statement
// around them, which is called name.
func (u *unit) hasBreakIn(list []ast.Stmt, name string) bool {
	for _, s := range list {
		if u.breaksOut(s, name, true) {
			return true
		}
	}
	return false
}

// breaksOut looks for breaks without a label (if plain) or with the label name.
func (u *unit) breaksOut(n ast.Node, name string, plain bool) bool {
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
			found = n.Tok == token.BREAK && u.exits[n] == nil && (named || plain && n.Label == nil)
		case *ast.ForStmt:
			found = u.breaksOut(n.Body, name, false)
			return false
		case *ast.RangeStmt:
			found = u.breaksOut(n.Body, name, false)
			return false
		case *ast.SwitchStmt:
			found = u.breaksOut(n.Body, name, false)
			return false
		case *ast.TypeSwitchStmt:
			found = u.breaksOut(n.Body, name, false)
			return false
		case *ast.SelectStmt:
			found = u.breaksOut(n.Body, name, false)
			return false
		}
		return true
	})
	return found
}
