package shrink

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// cut removes one thing: it replaces parts of the text with less. The parts do not overlap.
type cut []replacement

type replacement struct {
	from, to int // offsets
	with     string
}

func (c cut) overlaps(other cut) bool {
	for _, a := range c {
		for _, b := range other {
			if a.from < b.to && b.from < a.to {
				return true
			}
		}
	}
	return false
}

// cuts lists the possible cuts of a source. Not every result compiles.
func cuts(source string) []cut {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	c := &cutter{source: source, base: int(file.FileStart)}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			c.cut(fn, "")
			if fn.Doc != nil {
				c.cut(fn.Doc, "")
				c.add(replacement{c.offset(fn.Doc.Pos()), c.offset(fn.End()), ""})
			}
		}
	}
	ast.Inspect(file, c.visit)
	return c.list
}

type cutter struct {
	source string
	base   int
	list   []cut
}

func (c *cutter) offset(p token.Pos) int { return int(p) - c.base }

func (c *cutter) text(n ast.Node) string { return c.source[c.offset(n.Pos()):c.offset(n.End())] }

func (c *cutter) add(parts ...replacement) { c.list = append(c.list, parts) }

// cut replaces a node.
func (c *cutter) cut(n ast.Node, with string) {
	c.add(replacement{c.offset(n.Pos()), c.offset(n.End()), with})
}

func (c *cutter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BlockStmt:
		c.statements(n.List)
	case *ast.CaseClause:
		c.cut(n, "")
		c.statements(n.Body)
	case *ast.CommClause:
		c.cut(n, "")
		c.statements(n.Body)
	case *ast.CallExpr:
		c.call(n)
	}
	if s, ok := n.(ast.Stmt); ok {
		c.unwrap(s)
	}
	if e, ok := n.(ast.Expr); ok {
		c.expression(e)
	}
	return true
}

// statements removes statements one by one, with the lines that mention what they declare, and in
// runs.
func (c *cutter) statements(list []ast.Stmt) {
	for i, s := range list {
		parts := cut{{c.offset(s.Pos()), c.offset(s.End()), ""}}
		for _, later := range list[i+1:] {
			if a, ok := later.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN && declares(s, a.Rhs[0]) && strings.HasPrefix(c.text(a), "_ = ") {
				parts = append(parts, replacement{c.offset(a.Pos()), c.offset(a.End()), ""})
			}
		}
		c.add(parts...)
	}
	for n := len(list) / 2; n > 1; n /= 2 {
		for from := 0; from+n <= len(list); from += n {
			c.add(replacement{c.offset(list[from].Pos()), c.offset(list[from+n-1].End()), ""})
		}
	}
}

// declares reports whether s declares the variable e.
func declares(s ast.Stmt, e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	found := false
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if lhs, ok := x.(*ast.Ident); ok && s.Tok == token.DEFINE && lhs.Name == id.Name {
				found = true
			}
		}
	case *ast.DeclStmt:
		ast.Inspect(s, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for _, name := range spec.Names {
					found = found || name.Name == id.Name
				}
			}
			return true
		})
	}
	return found
}

// unwrap replaces a statement with its contents.
func (c *cutter) unwrap(s ast.Stmt) {
	inner := func(b *ast.BlockStmt) {
		if b != nil {
			c.cut(s, c.source[c.offset(b.Lbrace)+1:c.offset(b.Rbrace)])
		}
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		if len(s.List) > 0 {
			c.cut(s, c.source[c.offset(s.Lbrace)+1:c.offset(s.Rbrace)])
		}
	case *ast.IfStmt:
		inner(s.Body)
		if s.Else != nil {
			c.cut(s, c.text(s.Else))
			c.add(replacement{c.offset(s.Body.End()), c.offset(s.End()), ""})
		}
	case *ast.ForStmt:
		inner(s.Body)
	case *ast.RangeStmt:
		inner(s.Body)
	case *ast.SwitchStmt:
		for _, clause := range s.Body.List {
			c.clause(s, clause.(*ast.CaseClause).Body)
		}
	case *ast.TypeSwitchStmt:
		for _, clause := range s.Body.List {
			c.clause(s, clause.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, clause := range s.Body.List {
			c.clause(s, clause.(*ast.CommClause).Body)
		}
	case *ast.LabeledStmt:
		c.cut(s, c.text(s.Stmt))
	}
}

func (c *cutter) clause(s ast.Stmt, body []ast.Stmt) {
	if len(body) > 0 {
		c.cut(s, c.source[c.offset(body[0].Pos()):c.offset(body[len(body)-1].End())])
	}
}

// call removes arguments of variadic calls.
func (c *cutter) call(call *ast.CallExpr) {
	if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Log" {
		return
	}
	for i := 1; i < len(call.Args); i++ {
		c.add(replacement{c.offset(call.Args[i-1].End()), c.offset(call.Args[i].End()), ""})
	}
}

// expression replaces an expression with a simpler one. The compiler finds out whether the types
// agree.
func (c *cutter) expression(e ast.Expr) {
	for _, simple := range []string{"0", `""`, "nil", "false"} {
		if len(c.text(e)) > len(simple) {
			c.cut(e, simple)
		}
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if part, ok := n.(ast.Expr); ok && n != ast.Node(e) {
			c.cut(e, c.text(part))
			return false
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
}
