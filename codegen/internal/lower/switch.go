package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// switchStatement lowers a switch. The bodies that suspend move after the switch, which then only
// decides; the others stay in it:
//
//	switch tag {               switch tag {
//	case a:                    case a:
//		A // suspends              goto case1
//	case b:                    case b:
//		B                          B
//	}                          }
//	                           goto endSwitch1
//	                           case1:
//	                           A
//	                           endSwitch1:
//
// So the compiler still sees the cases, and finds duplicates. Comparisons replace the switch only
// if a case's expression suspends.
func (lo *lowering) switchStatement(s *ast.SwitchStmt, name string) {
	if s.Init != nil {
		lo.statement(s.Init)
	}
	w := lo.newSwitching(s.Body, name)
	if lo.suspendsInCases(s.Body) {
		lo.compareCases(s, w)
		return
	}
	if s.Tag != nil {
		lo.spill(s.Tag, false)
	}
	w.outlineBodies()
	d := &ir.Dispatch{Head: ir.Rope{ir.Text("switch ")}}
	if s.Tag != nil {
		d.Head = append(d.Head, lo.value(s.Tag)...)
	}
	for i, c := range w.clauses {
		head := ir.Rope{ir.Text("default")}
		if list := c.(*ast.CaseClause).List; list != nil {
			head = append(ir.Rope{ir.Text("case ")}, lo.join(list)...)
		}
		d.Clauses = append(d.Clauses, w.clause(i, head))
	}
	w.finish(d)
}

func (lo *lowering) suspendsInCases(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if lo.Suspends(e) {
				return true
			}
		}
	}
	return false
}

// compareCases evaluates the tag once, and the cases one after another until one is equal.
func (lo *lowering) compareCases(s *ast.SwitchStmt, w *switching) {
	var tag *ir.Variable
	if s.Tag != nil {
		lo.spill(s.Tag, false)
		tag = lo.temp("tag", lo.TypeOf(s.Tag))
		lo.add(&ir.Assign{Dst: []ir.Dest{{V: tag, Declares: true}}, Src: lo.value(s.Tag), Typed: true})
	}
	otherwise := w.end
	for i, c := range w.clauses {
		w.outline(i)
		list := c.(*ast.CaseClause).List
		if list == nil {
			otherwise = w.labels[i]
		}
		for _, e := range list {
			if tag == nil {
				lo.condition(e, w.labels[i], true)
				continue
			}
			lo.spill(e, false)
			cond := append(ir.Rope{ir.Use(tag), ir.Text(" == ")}, parenthesize(lo.value(e))...)
			lo.add(&ir.Branch{Cond: cond, To: w.labels[i]})
		}
	}
	lo.add(&ir.Jump{To: otherwise})
	w.bodies()
}

// switching is a switch or select during lowering.
type switching struct {
	lo      *lowering
	name    string
	clauses []ast.Stmt
	labels  []*ir.Label // of the clauses whose bodies move
	before  []func()    // the beginnings of moved bodies
	end     *ir.Label
}

func (lo *lowering) newSwitching(body *ast.BlockStmt, name string) *switching {
	return &switching{
		lo: lo, name: name,
		clauses: body.List,
		labels:  make([]*ir.Label, len(body.List)),
		before:  make([]func(), len(body.List)),
		end:     lo.label("endSwitch"),
	}
}

func (w *switching) body(i int) []ast.Stmt {
	switch c := w.clauses[i].(type) {
	case *ast.CaseClause:
		return c.Body
	case *ast.CommClause:
		return c.Body
	}
	return nil
}

func (w *switching) outline(i int) {
	if w.labels[i] == nil {
		w.labels[i] = w.lo.label("case")
	}
}

// outlineBodies moves the bodies that suspend, and those that a moved body falls through to.
func (w *switching) outlineBodies() {
	for i := range w.clauses {
		for _, s := range w.body(i) {
			if w.lo.Suspends(s) {
				w.outline(i)
			}
		}
		if i > 0 && w.labels[i-1] != nil && fallsThrough(w.body(i-1)) {
			w.outline(i)
		}
	}
}

func fallsThrough(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	b, ok := list[len(list)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// clause returns clause i in the form of the deciding switch.
func (w *switching) clause(i int, head ir.Rope) ir.Clause {
	c := ir.Clause{Head: head, To: w.labels[i]}
	if c.To != nil {
		return c
	}
	w.lo.enter(jumpTarget{name: w.name, breakTo: w.end})
	defer w.lo.leave()
	for _, s := range w.body(i) {
		r := &exits{lo: w.lo, root: w.clauses[i], breaks: 1, falling: 1}
		r.walk(s)
		c.Body = append(c.Body, w.lo.scan(s))
	}
	c.Stops = w.lo.terminatesClause(w.body(i))
	return c
}

// finish emits the decision and then the bodies that have moved.
func (w *switching) finish(d *ir.Dispatch) {
	d.Whole = w.lo.isExhaustive(w.clauses)
	w.lo.add(d, &ir.Jump{To: w.end})
	w.bodies()
}

func (w *switching) bodies() {
	for i := range w.clauses {
		if w.labels[i] == nil {
			continue
		}
		var next *ir.Label
		if i+1 < len(w.labels) {
			next = w.labels[i+1]
		}
		w.lo.add(&ir.Mark{Label: w.labels[i]})
		if w.before[i] != nil {
			w.before[i]()
		}
		w.lo.enter(jumpTarget{name: w.name, breakTo: w.end, next: next})
		w.lo.block(w.body(i))
		w.lo.leave()
		w.lo.add(&ir.Jump{To: w.end})
	}
	w.lo.add(&ir.Mark{Label: w.end})
}

// isExhaustive reports whether one of the clauses is always taken.
func (lo *lowering) isExhaustive(clauses []ast.Stmt) bool {
	for _, c := range clauses {
		switch c := c.(type) {
		case *ast.CaseClause:
			if c.List == nil {
				return true
			}
		case *ast.CommClause:
			return true // a select waits until a clause is ready
		}
	}
	return false
}

// typeSwitch lowers a type switch. Its variable is a separate variable in each clause, with a
// different type.
func (lo *lowering) typeSwitch(s *ast.TypeSwitchStmt, name string) {
	if s.Init != nil {
		lo.statement(s.Init)
	}
	symbol, x := typeSwitchParts(s)
	lo.spill(x, false)
	w := lo.newSwitching(s.Body, name)
	w.outlineBodies()
	d := &ir.Dispatch{}
	used := false
	for i, c := range w.clauses {
		c := c.(*ast.CaseClause)
		head := ir.Rope{ir.Text("default")}
		if c.List != nil {
			head = append(ir.Rope{ir.Text("case ")}, lo.join(c.List)...)
		}
		obj := lo.Info.Implicits[c]
		uses := obj != nil && lo.mentions(c, obj)
		var pass []ir.Instr
		if uses && w.labels[i] != nil {
			v := lo.declare(obj)
			v.Aside = true
			pass = []ir.Instr{&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: ir.Rope{ir.Text(symbol.Name)}}}
		}
		used = used || uses
		entry := w.clause(i, head)
		entry.Code = pass
		d.Clauses = append(d.Clauses, entry)
	}
	d.Head = ir.Rope{ir.Text("switch ")}
	if used {
		d.Head = append(d.Head, ir.Text(symbol.Name+" := "))
	}
	d.Head = append(append(d.Head, parenthesizedUnlessName(lo.value(x), x)...), ir.Text(".(type)"))
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
func (lo *lowering) mentions(n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && lo.Info.Uses[id] == obj
		return !found
	})
	return found
}

func parenthesizedUnlessName(r ir.Rope, e ast.Expr) ir.Rope {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr:
		return r
	}
	return parenthesize(r)
}
