package codegen

import (
	"go/ast"
	"go/types"
)

// typeSwitch is a switch over the dynamic type. Its variable is one variable a
// clause, each of another type.
func (u *unit) typeSwitch(s *ast.TypeSwitchStmt, name string) {
	if s.Init != nil {
		u.statement(s.Init)
	}
	symbol, x := typeSwitchParts(s)
	u.spill(x, false)
	w := u.newSwitching(s.Body, name)
	w.outlineBodies()
	d := &dispatch{}
	used := false
	for i, c := range w.clauses {
		c := c.(*ast.CaseClause)
		head := rope{text("default")}
		if c.List != nil {
			head = append(rope{text("case ")}, u.join(c.List)...)
		}
		obj := u.info.Implicits[c]
		uses := obj != nil && u.mentions(c, obj)
		var pass []instr
		if uses && w.labels[i] != nil {
			v := u.declare(obj)
			v.aside = true
			pass = []instr{&assign{dst: []dest{{v: v, declares: true}}, src: rope{text(symbol.Name)}}}
		}
		used = used || uses
		entry := w.clause(i, head)
		entry.code = pass
		d.clauses = append(d.clauses, entry)
	}
	d.head = rope{text("switch ")}
	if used {
		d.head = append(d.head, text(symbol.Name+" := "))
	}
	d.head = append(append(d.head, parenthesizedUnlessName(u.value(x), x)...), text(".(type)"))
	w.finish(d)
}

func typeSwitchParts(s *ast.TypeSwitchStmt) (symbol *ast.Ident, x ast.Expr) {
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		return a.Lhs[0].(*ast.Ident), a.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		return nil, a.X.(*ast.TypeAssertExpr).X
	}
	return nil, nil
}

// mentions reports whether n mentions obj.
func (u *unit) mentions(n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && u.info.Uses[id] == obj
		return !found
	})
	return found
}

func parenthesizedUnlessName(r rope, e ast.Expr) rope {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
		return r
	}
	return parenthesized(r)
}
