package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// scan finds what has to be replaced in the text of a node of the source:
// mentions of variables that have moved, of packages (a generated file has its own
// imports), expressions that were evaluated before, and statements that leave it.
//
// The text of the source is edited, not printed from syntax, so that users find
// their own lines and comments again.
func (u *unit) scan(node ast.Node) *ir.Span {
	s := &mentionScan{u: u, root: node}
	s.walk(node)
	return s.span()
}

func (s *mentionScan) span() *ir.Span {
	slices.SortStableFunc(s.edits, func(a, b ir.Edit) int { return int(a.Pos - b.Pos) })
	return &ir.Span{Node: s.root, Edit: s.edits}
}

// expr is node as a rope of one span.
func (u *unit) expr(node ast.Node) ir.Rope { return ir.Rope{{Span: u.scan(node)}} }

type mentionScan struct {
	u        *unit
	root     ast.Node
	literals int            // depth of function literals
	around   []*ast.FuncLit // those of them that the root holds
	edits    []ir.Edit
}

func (s *mentionScan) replace(node ast.Node, with ...ir.Piece) {
	s.edits = append(s.edits, ir.Edit{Pos: node.Pos(), End: node.End(), With: with})
}

func (s *mentionScan) walk(node ast.Node) {
	if node == nil {
		return
	}
	ast.Inspect(node, s.visit)
}

// visit returns whether Inspect should go into n.
func (s *mentionScan) visit(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok && s.named(e) {
		return false
	}
	if e, ok := n.(ast.Expr); ok && n != s.root {
		e = ast.Unparen(e) // there may be several values: f((g()))
		if temps, ok := s.u.evaluated[e]; ok {
			s.replace(n, s.u.withBetween(e, temps)...)
			return false
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		s.ident(n, ir.AsValue)
	case *ast.SelectorExpr:
		s.selector(n)
		return false
	case *ast.UnaryExpr:
		if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && s.u.variableOf(id) != nil {
			s.variable(n, s.u.variableOf(id), ir.AsAddress)
			return false
		}
	case *ast.CallExpr:
		if s.recovers(n) || s.labels(n) {
			return false
		}
		s.runner(n)
		if e, ok := s.u.renamed[n]; ok && n == s.root {
			s.edits = append(s.edits, e...)
		}
	case *ast.GoStmt:
		return s.leavesLabels(n)
	case *ast.IndexExpr:
		s.arguments(n.X, n.Lbrack)
	case *ast.IndexListExpr:
		s.arguments(n.X, n.Lbrack)
	case *ast.FuncLit:
		if s.startsMachine(n) {
			s.replace(n, s.u.started(n)...)
			return false
		}
		s.literals++
		s.around = append(s.around, n)
		s.walk(n.Type)
		s.walk(n.Body)
		s.around = s.around[:len(s.around)-1]
		s.literals--
		return false
	case *ast.KeyValueExpr:
		s.keyValue(n)
		return false
	case *ast.ReturnStmt:
		return !s.returns(n)
	case *ast.DeferStmt:
		if s.literals == 0 {
			s.edits = append(s.edits, ir.Edit{Pos: n.Pos(), End: n.End(), Code: []ir.Instr{s.u.deferring(n)}})
			return false
		}
	case *ast.BranchStmt:
		s.leaves(n)
		return false
	case *ast.LabeledStmt:
		s.walk(n.Stmt)
		return false
	}
	return true
}

// arguments adds the function's type arguments to those of a type that it declares.
func (s *mentionScan) arguments(generic ast.Expr, bracket token.Pos) {
	id, ok := ast.Unparen(generic).(*ast.Ident)
	if !ok {
		return
	}
	obj, ok := s.u.Info.Uses[id].(*types.TypeName)
	if _, lifted := s.u.Imports.LiftedName(obj); ok && lifted && s.u.typeArgs() != "" {
		own := strings.Trim(s.u.typeArgs(), "[]") + ", "
		s.edits = append(s.edits, ir.Edit{Pos: bracket + 1, End: bracket + 1, With: ir.Rope{ir.Text(own)}})
	}
}

// recovers replaces a recover of a deferred literal itself, and reports whether call is one.
func (s *mentionScan) recovers(call *ast.CallExpr) bool {
	if s.literals > 0 || s.u.recovery == nil {
		return false
	}
	if name, _ := s.u.Builtin(call.Fun); name != "recover" {
		return false
	}
	s.replace(call, ir.Use(s.u.recovery), ir.Text(".Recover()"))
	return true
}

func mentions(temps []*ir.Variable) []ir.Piece {
	var list []ir.Piece
	for i, v := range temps {
		if i > 0 {
			list = append(list, ir.Text(", "))
		}
		list = append(list, ir.Use(v))
	}
	return list
}

// keyValue leaves the names of fields alone, except for renamed ones (see fieldName).
func (s *mentionScan) keyValue(n *ast.KeyValueExpr) {
	id, ok := n.Key.(*ast.Ident)
	if field, isVar := s.u.Info.Uses[id].(*types.Var); !ok || !isVar || !field.IsField() {
		s.walk(n.Key)
	} else if name := s.u.fieldName(field); name != id.Name {
		s.replace(id, ir.Text(name))
	}
	s.walk(n.Value)
}

func (s *mentionScan) selector(n *ast.SelectorExpr) {
	if name, ok := s.u.idents[n.Sel]; ok {
		s.replace(n.Sel, ir.Text(name))
	} else if field, ok := s.u.Info.Uses[n.Sel].(*types.Var); ok && s.u.fieldName(field) != n.Sel.Name {
		s.replace(n.Sel, ir.Text(s.u.fieldName(field)))
	}
	id, ok := ast.Unparen(n.X).(*ast.Ident)
	if !ok {
		s.walk(n.X)
		return
	}
	if v := s.u.variableOf(id); v != nil && followsPointer(v.Type) {
		s.variable(n.X, v, ir.AsOperand)
		return
	}
	s.walk(n.X)
}

// followsPointer reports whether p.Sel means (*p).Sel for a pointer p to t.
func followsPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return false
	}
	return true
}

// ident replaces the name of a variable that has moved, of a constant or type that has
// (also where it is declared: it may have got another name), of a package, or of a
// dot-imported declaration.
func (s *mentionScan) ident(id *ast.Ident, as ir.Form) {
	if name, ok := s.u.idents[id]; ok {
		s.replace(id, ir.Text(name))
		return
	}
	if v := s.u.variableOf(id); v != nil {
		s.variable(id, v, as)
		return
	}
	obj := s.u.Info.Uses[id] // of an embedded field the type; it defines the field
	if obj == nil {
		obj = s.u.Info.Defs[id]
	}
	if obj == nil {
		return
	}
	if with, ok := s.u.movedName(obj); ok {
		s.replace(id, with)
		return
	}
	if name, ok := obj.(*types.PkgName); ok {
		s.replace(id, ir.Text(s.u.Imports.Name(name.Imported())))
		return
	}
	if q := s.u.qualifier(obj); q != "" {
		s.replace(id, ir.Text(q+"."+id.Name))
	}
}

// qualifier of an object that a dot import made visible here under its bare name.
func (u *unit) qualifier(obj types.Object) string {
	pkg := obj.Pkg()
	if pkg == nil || pkg == u.Source.Package.Types || obj.Parent() != pkg.Scope() {
		return ""
	}
	return u.Imports.Name(pkg)
}

func (s *mentionScan) variable(at ast.Node, v *ir.Variable, as ir.Form) {
	if s.literals > 0 {
		as += ir.AsBorrowed - ir.AsValue
		if as > ir.AsBorrowedAddress {
			as = ir.AsBorrowed
		}
	}
	s.replace(at, ir.UseAs(v, as))
}

// returns replaces a return of the function itself by what ends the machine.
func (s *mentionScan) returns(n *ast.ReturnStmt) bool {
	if s.literals > 0 {
		return false
	}
	if s.u.tail != nil {
		e := s.u.returnInTail(n)
		s.edits = append(s.edits, e...)
		return e[0].End == n.End() // else its results are to be looked at
	}
	s.edits = append(s.edits, ir.Edit{Pos: n.Pos(), End: n.End(), Code: s.u.returning(n)})
	return true
}

// leaves replaces a break, continue or goto whose target was flattened.
func (s *mentionScan) leaves(n *ast.BranchStmt) {
	if s.literals > 0 {
		return
	}
	if to := s.u.exits[n]; to != nil {
		s.replace(n, ir.Text("goto "), ir.Piece{To: to})
	}
}

// variableOf is the variable that id declares or mentions, if it has moved.
func (u *unit) variableOf(id *ast.Ident) *ir.Variable {
	obj := u.Info.ObjectOf(id)
	if v := u.vars[obj]; v != nil || obj == nil {
		return v
	}
	return u.capture(obj)
}
