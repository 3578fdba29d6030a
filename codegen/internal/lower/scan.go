package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// scan finds the parts of a node's text that have to be replaced: mentions of variables that have
// moved and of packages (a generated file has its own imports), expressions that have already
// been evaluated, and branches and returns out of the node.
//
// The source text is edited, not printed from syntax, so that users recognise their own lines and
// comments.
func (lo *lowering) scan(node ast.Node) *ir.Span {
	s := &mentionScan{lo: lo, root: node}
	s.walk(node)
	return s.span()
}

func (s *mentionScan) span() *ir.Span {
	slices.SortStableFunc(s.edits, func(a, b ir.Edit) int { return int(a.Pos - b.Pos) })
	return &ir.Span{Node: s.root, Edit: s.edits}
}

// expr returns node as a rope of one span.
func (lo *lowering) expr(node ast.Node) ir.Rope { return ir.Rope{{Span: lo.scan(node)}} }

type mentionScan struct {
	lo       *lowering
	root     ast.Node
	literals int            // depth of function literals
	around   []*ast.FuncLit // the function literals in the root that contain the current node
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

// visit reports whether Inspect should descend into n.
func (s *mentionScan) visit(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok && (s.replaceNamed(e) || s.replaceAlias(e)) {
		return false
	}
	if e, ok := n.(ast.Expr); ok && n != s.root {
		e = ast.Unparen(e) // there may be several parentheses: f((g()))
		if temps, ok := s.lo.evaluated[e]; ok {
			s.replace(n, s.lo.withBetween(e, temps)...)
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
		if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND && s.lo.variableOf(id) != nil {
			s.variable(n, s.lo.variableOf(id), ir.AsAddress)
			return false
		}
	case *ast.CallExpr:
		if s.replaceRecover(n) || s.replaceLabels(n) {
			return false
		}
		s.replaceRunner(n)
		s.parenthesise(n.Fun)
		if e, ok := s.lo.renamed[n]; ok && n == s.root {
			s.edits = append(s.edits, e...)
		}
	case *ast.GoStmt:
		return s.keepGoStmt(n)
	case *ast.IndexExpr:
		s.arguments(n.X, n.Lbrack)
	case *ast.IndexListExpr:
		s.arguments(n.X, n.Lbrack)
	case *ast.FuncLit:
		if s.startsMachine(n) {
			s.replace(n, s.lo.startLiteral(n)...)
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
		return !s.replaceReturn(n)
	case *ast.DeferStmt:
		if s.literals == 0 {
			s.edits = append(s.edits, ir.Edit{Pos: n.Pos(), End: n.End(), Code: []ir.Instr{s.lo.deferring(n)}})
			return false
		}
	case *ast.BranchStmt:
		s.replaceBranch(n)
		return false
	case *ast.LabeledStmt:
		s.walk(n.Stmt)
		return false
	}
	return true
}

// replaceAlias replaces an instance of a generic alias of the function's body by the type that it
// stands for, and reports whether e is one.
func (s *mentionScan) replaceAlias(e ast.Expr) bool {
	id := s.alias(e)
	if id == nil || id == e {
		return false
	}
	s.lo.typeArgsAt(id) // the type may mention them
	s.replace(e, ir.TypeText(types.Unalias(s.lo.Info.TypeOf(e)), e))
	return true
}

// alias returns the name in e if e is an alias of the function's body, or an instance of one.
func (s *mentionScan) alias(e ast.Expr) *ast.Ident {
	switch index := e.(type) {
	case *ast.IndexExpr:
		e = ast.Unparen(index.X)
	case *ast.IndexListExpr:
		e = ast.Unparen(index.X)
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	obj, ok := s.lo.Info.Uses[id].(*types.TypeName)
	if _, moved := s.lo.movedName(obj); !ok || !obj.IsAlias() || !moved {
		return nil
	}
	return id
}

// parenthesise keeps the meaning of T(x) and T.m where *E, for example, replaces an alias T. An
// embedded field may not have parentheses.
func (s *mentionScan) parenthesise(e ast.Expr) {
	if s.alias(e) == nil {
		return
	}
	switch types.Unalias(s.lo.Info.TypeOf(e)).(type) {
	case *types.Pointer, *types.Chan, *types.Signature:
		s.insert(e.Pos(), ir.Text("("))
		s.insert(e.End(), ir.Text(")"))
	}
}

// arguments adds the function's type arguments to those of a type declared in the function.
func (s *mentionScan) arguments(generic ast.Expr, bracket token.Pos) {
	id, ok := ast.Unparen(generic).(*ast.Ident)
	if !ok {
		return
	}
	obj, ok := s.lo.Info.Uses[id].(*types.TypeName)
	if _, lifted := s.lo.Imports.LiftedName(obj); ok && lifted && s.lo.typeArgs() != "" {
		own := strings.Trim(s.lo.typeArgs(), "[]") + ", "
		s.edits = append(s.edits, ir.Edit{Pos: bracket + 1, End: bracket + 1, With: ir.Rope{ir.Text(own)}})
	}
}

// replaceRecover replaces a recover call in a deferred literal itself, and reports whether call
// is one.
func (s *mentionScan) replaceRecover(call *ast.CallExpr) bool {
	if s.literals > 0 || s.lo.recovery == nil {
		return false
	}
	if name, _ := s.lo.Builtin(call.Fun); name != "recover" {
		return false
	}
	s.replace(call, ir.Use(s.lo.recovery), ir.Text(".Recover()"))
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

// keyValue leaves field names unchanged, except for renamed ones (see fieldName).
func (s *mentionScan) keyValue(n *ast.KeyValueExpr) {
	id, ok := n.Key.(*ast.Ident)
	if field, isVar := s.lo.Info.Uses[id].(*types.Var); !ok || !isVar || !field.IsField() {
		s.walk(n.Key)
	} else if name := s.lo.fieldName(field); name != id.Name {
		s.replace(id, ir.Text(name))
	}
	s.walk(n.Value)
}

func (s *mentionScan) selector(n *ast.SelectorExpr) {
	if name, ok := s.lo.idents[n.Sel]; ok {
		s.replace(n.Sel, name)
	} else if field, ok := s.lo.Info.Uses[n.Sel].(*types.Var); ok && s.lo.fieldName(field) != n.Sel.Name {
		s.replace(n.Sel, ir.Text(s.lo.fieldName(field)))
	}
	s.parenthesise(n.X)
	id, ok := ast.Unparen(n.X).(*ast.Ident)
	if !ok {
		s.walk(n.X)
		return
	}
	if v := s.lo.variableOf(id); v != nil && followsPointer(v.Type) {
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

// ident replaces the name of a variable, constant or type that has moved (even where it is
// declared, since it may have been renamed), of a package, or of a dot-imported declaration.
func (s *mentionScan) ident(id *ast.Ident, as ir.Form) {
	if name, ok := s.lo.idents[id]; ok {
		s.replace(id, name)
		return
	}
	if v := s.lo.variableOf(id); v != nil {
		s.variable(id, v, as)
		return
	}
	// For an embedded field this is the type; the identifier also defines the field.
	obj := s.lo.Info.Uses[id]
	if obj == nil {
		obj = s.lo.Info.Defs[id]
	}
	if obj == nil {
		return
	}
	if with, ok := s.lo.movedName(obj); ok {
		if _, isType := obj.(*types.TypeName); isType {
			s.lo.typeArgsAt(id) // they are part of the name
		}
		s.replace(id, with)
		return
	}
	if name, ok := obj.(*types.PkgName); ok {
		s.replace(id, ir.Text(s.lo.Imports.Name(name.Imported())))
		return
	}
	if q := s.lo.qualifier(obj); q != "" {
		s.replace(id, ir.Text(q+"."+id.Name))
	}
}

// qualifier returns the qualifier of an object that a dot import makes visible, or "".
func (lo *lowering) qualifier(obj types.Object) string {
	pkg := obj.Pkg()
	if pkg == nil || pkg == lo.Source.Package.Types || obj.Parent() != pkg.Scope() {
		return ""
	}
	return lo.Imports.Name(pkg)
}

func (s *mentionScan) variable(pos ast.Node, v *ir.Variable, as ir.Form) {
	if s.literals > 0 {
		as += ir.AsBorrowed - ir.AsValue
		if as > ir.AsBorrowedAddress {
			as = ir.AsBorrowed
		}
	}
	s.replace(pos, ir.UseAs(v, as))
}

// replaceReturn replaces a return of the function itself by the code that ends the machine, and
// reports whether nothing of it is left to scan.
func (s *mentionScan) replaceReturn(n *ast.ReturnStmt) bool {
	if s.literals > 0 {
		return false
	}
	if s.lo.tail != nil {
		e := s.lo.returnInTail(n)
		s.edits = append(s.edits, e...)
		return e[0].End == n.End() // otherwise its results still have to be scanned
	}
	s.edits = append(s.edits, ir.Edit{Pos: n.Pos(), End: n.End(), Code: s.lo.returning(n)})
	return true
}

// replaceBranch replaces a break, continue or goto whose target was flattened.
func (s *mentionScan) replaceBranch(n *ast.BranchStmt) {
	if s.literals > 0 {
		return
	}
	if to := s.lo.exits[n]; to != nil {
		s.replace(n, ir.Text("goto "), ir.Piece{To: to})
	}
}

// variableOf returns the variable that id declares or mentions, if it has moved.
func (lo *lowering) variableOf(id *ast.Ident) *ir.Variable {
	obj := lo.Info.ObjectOf(id)
	if v := lo.vars[obj]; v != nil || obj == nil {
		return v
	}
	return lo.capture(obj)
}

// replaceLabels redirects a runtime/pprof call that sets the goroutine's labels, so that it sets
// the labels of the machine, which runs on many goroutines. Source, then result:
//
//	pprof.SetGoroutineLabels(ctx)
//
//	statemachine.SetGoroutineLabels(r, f.ctx)
//
// pprof.Do, which sets labels twice, is treated the same way. Calls in a literal stay unchanged:
// the literal may be called when the machine is not running, and from other goroutines.
func (s *mentionScan) replaceLabels(call *ast.CallExpr) (replaced bool) {
	name := s.lo.setsLabels(call)
	if name == "" || s.literals > 0 {
		return false
	}
	s.replace(call.Fun, ir.StatemachineName, ir.Text("."+name))
	s.insert(call.Lparen+1, ir.RunName, ir.Text(", "))
	for _, arg := range call.Args {
		s.walk(arg)
	}
	return true
}

// keepGoStmt leaves a call unchanged that sets the labels of another goroutine. It reports
// whether n still has to be scanned.
func (s *mentionScan) keepGoStmt(n *ast.GoStmt) (more bool) {
	if s.lo.setsLabels(n.Call) == "" {
		return true
	}
	s.literals++
	s.walk(n.Call)
	s.literals--
	return false
}

// setsLabels returns the function of package statemachine that corresponds to the called function
// of runtime/pprof, if that sets labels; otherwise "".
func (lo *lowering) setsLabels(call *ast.CallExpr) string {
	fn, _, _ := source.Callee(call, lo.Info)
	switch {
	case fn == nil:
		return ""
	case source.IsObject(fn, "runtime/pprof", "SetGoroutineLabels"):
		return "SetGoroutineLabels"
	case source.IsObject(fn, "runtime/pprof", "Do"):
		return "DoWithLabels"
	}
	return ""
}

// setsOwnLabels reports whether the function itself sets its goroutine's labels, so that calling
// it as written would leave them on the worker.
func (lo *lowering) setsOwnLabels() (sets bool) {
	ast.Inspect(lo.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && lo.setsLabels(call) != "" {
			sets = true
		}
		_, literal := n.(*ast.FuncLit)
		return !sets && !literal
	})
	return sets
}
