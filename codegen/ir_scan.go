package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// scan finds what has to be replaced in the text of a node of the source:
// mentions of variables that have moved, of packages (a generated file has its own
// imports), expressions that were evaluated before, and statements that leave it.
//
// The text of the source is edited, not printed from syntax, so that users find
// their own lines and comments again.
func (u *unit) scan(node ast.Node) *span {
	s := &mentionScan{u: u, root: node}
	s.walk(node)
	return s.span()
}

func (s *mentionScan) span() *span {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return int(a.pos - b.pos) })
	return &span{node: s.root, edit: s.edits}
}

// expr is node as a rope of one span.
func (u *unit) expr(node ast.Node) rope { return rope{{span: u.scan(node)}} }

type mentionScan struct {
	u        *unit
	root     ast.Node
	literals int            // depth of function literals
	around   []*ast.FuncLit // those of them that the root holds
	edits    []edit
}

func (s *mentionScan) replace(node ast.Node, with ...piece) {
	s.edits = append(s.edits, edit{pos: node.Pos(), end: node.End(), with: with})
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
		s.ident(n, value)
	case *ast.SelectorExpr:
		s.selector(n)
		return false
	case *ast.UnaryExpr:
		if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && s.u.variableOf(id) != nil {
			s.variable(n, s.u.variableOf(id), address)
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
			s.edits = append(s.edits, edit{pos: n.Pos(), end: n.End(), code: []instr{s.u.deferring(n)}})
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
	obj, ok := s.u.info.Uses[id].(*types.TypeName)
	if _, lifted := s.u.imports.LiftedName(obj); ok && lifted && s.u.typeArgs() != "" {
		own := strings.Trim(s.u.typeArgs(), "[]") + ", "
		s.edits = append(s.edits, edit{pos: bracket + 1, end: bracket + 1, with: rope{text(own)}})
	}
}

// recovers replaces a recover of a deferred literal itself, and reports whether call is one.
func (s *mentionScan) recovers(call *ast.CallExpr) bool {
	if s.literals > 0 || s.u.recovery == nil {
		return false
	}
	if name, _ := s.u.builtin(call.Fun); name != "recover" {
		return false
	}
	s.replace(call, use(s.u.recovery), text(".Recover()"))
	return true
}

func mentions(temps []*variable) []piece {
	var list []piece
	for i, v := range temps {
		if i > 0 {
			list = append(list, text(", "))
		}
		list = append(list, use(v))
	}
	return list
}

// keyValue leaves the names of fields alone, except for renamed ones (see fieldName).
func (s *mentionScan) keyValue(n *ast.KeyValueExpr) {
	id, ok := n.Key.(*ast.Ident)
	if field, isVar := s.u.info.Uses[id].(*types.Var); !ok || !isVar || !field.IsField() {
		s.walk(n.Key)
	} else if name := s.u.fieldName(field); name != id.Name {
		s.replace(id, text(name))
	}
	s.walk(n.Value)
}

func (s *mentionScan) selector(n *ast.SelectorExpr) {
	if name, ok := s.u.idents[n.Sel]; ok {
		s.replace(n.Sel, text(name))
	} else if field, ok := s.u.info.Uses[n.Sel].(*types.Var); ok && s.u.fieldName(field) != n.Sel.Name {
		s.replace(n.Sel, text(s.u.fieldName(field)))
	}
	id, ok := ast.Unparen(n.X).(*ast.Ident)
	if !ok {
		s.walk(n.X)
		return
	}
	if v := s.u.variableOf(id); v != nil && followsPointer(v.typ) {
		s.variable(n.X, v, operand)
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
func (s *mentionScan) ident(id *ast.Ident, as form) {
	if name, ok := s.u.idents[id]; ok {
		s.replace(id, text(name))
		return
	}
	if v := s.u.variableOf(id); v != nil {
		s.variable(id, v, as)
		return
	}
	obj := s.u.info.Uses[id] // of an embedded field the type; it defines the field
	if obj == nil {
		obj = s.u.info.Defs[id]
	}
	if obj == nil {
		return
	}
	if with, ok := s.u.movedName(obj); ok {
		s.replace(id, with)
		return
	}
	if name, ok := obj.(*types.PkgName); ok {
		s.replace(id, text(s.u.imports.Name(name.Imported())))
		return
	}
	if q := s.u.qualifier(obj); q != "" {
		s.replace(id, text(q+"."+id.Name))
	}
}

// qualifier of an object that a dot import made visible here under its bare name.
func (u *unit) qualifier(obj types.Object) string {
	pkg := obj.Pkg()
	if pkg == nil || pkg == u.fn.Package.Types || obj.Parent() != pkg.Scope() {
		return ""
	}
	return u.imports.Name(pkg)
}

func (s *mentionScan) variable(at ast.Node, v *variable, as form) {
	if s.literals > 0 {
		as += borrowed - value
		if as > borrowedAddress {
			as = borrowed
		}
	}
	s.replace(at, useAs(v, as))
}

// returns replaces a return of the function itself by what ends the machine.
func (s *mentionScan) returns(n *ast.ReturnStmt) bool {
	if s.literals > 0 {
		return false
	}
	if s.u.tail != nil {
		e := s.u.returnInTail(n)
		s.edits = append(s.edits, e...)
		return e[0].end == n.End() // else its results are to be looked at
	}
	s.edits = append(s.edits, edit{pos: n.Pos(), end: n.End(), code: s.u.returning(n)})
	return true
}

// leaves replaces a break, continue or goto whose target was flattened.
func (s *mentionScan) leaves(n *ast.BranchStmt) {
	if s.literals > 0 {
		return
	}
	if to := s.u.exits[n]; to != nil {
		s.replace(n, text("goto "), piece{to: to})
	}
}

// variableOf is the variable that id declares or mentions, if it has moved.
func (u *unit) variableOf(id *ast.Ident) *variable {
	obj := u.info.ObjectOf(id)
	if v := u.vars[obj]; v != nil || obj == nil {
		return v
	}
	return u.capture(obj)
}
