package codegen

import (
	"go/ast"
	"go/token"
)

// switchStatement. The bodies that suspend move after the switch, which then only
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
// So the compiler still sees the cases, and finds duplicates. Only where a case's
// expression suspends do comparisons take the place of the switch.
func (u *unit) switchStatement(s *ast.SwitchStmt, name string) {
	if s.Init != nil {
		u.statement(s.Init)
	}
	w := u.newSwitching(s.Body, name)
	if u.suspendsInCases(s.Body) {
		u.compareCases(s, w)
		return
	}
	if s.Tag != nil {
		u.spill(s.Tag, false)
	}
	w.outlineBodies()
	d := &dispatch{head: rope{text("switch ")}}
	if s.Tag != nil {
		d.head = append(d.head, u.value(s.Tag)...)
	}
	for i, c := range w.clauses {
		head := rope{text("default")}
		if list := c.(*ast.CaseClause).List; list != nil {
			head = append(rope{text("case ")}, u.join(list)...)
		}
		d.clauses = append(d.clauses, w.clause(i, head))
	}
	w.finish(d)
}

func (u *unit) suspendsInCases(body *ast.BlockStmt) bool {
	for _, c := range body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if u.suspends(e) {
				return true
			}
		}
	}
	return false
}

// compareCases evaluates the tag once and the cases one after another until one
// is equal.
func (u *unit) compareCases(s *ast.SwitchStmt, w *switching) {
	var tag *variable
	if s.Tag != nil {
		u.spill(s.Tag, false)
		tag = u.temp("tag", u.typeOf(s.Tag))
		u.add(&assign{dst: []dest{{v: tag, declares: true}}, src: u.value(s.Tag), typed: true})
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
				u.condition(e, w.labels[i], true)
				continue
			}
			u.spill(e, false)
			cond := append(rope{use(tag), text(" == ")}, parenthesized(u.value(e))...)
			u.add(&branch{cond: cond, to: w.labels[i]})
		}
	}
	u.add(&jump{otherwise})
	w.bodies()
}

// switching is a switch or select while it is lowered.
type switching struct {
	u       *unit
	name    string
	clauses []ast.Stmt
	labels  []*label // of the clauses whose bodies move
	before  []func() // what a moved body starts with
	end     *label
}

func (u *unit) newSwitching(body *ast.BlockStmt, name string) *switching {
	return &switching{
		u: u, name: name,
		clauses: body.List,
		labels:  make([]*label, len(body.List)),
		before:  make([]func(), len(body.List)),
		end:     u.label("endSwitch"),
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
		w.labels[i] = w.u.label("case")
	}
}

// outlineBodies moves the bodies that suspend, and those that a moved body falls
// through to.
func (w *switching) outlineBodies() {
	for i := range w.clauses {
		for _, s := range w.body(i) {
			if w.u.suspends(s) {
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

// clause is clause i as the deciding switch has it.
func (w *switching) clause(i int, head rope) clause {
	c := clause{head: head, to: w.labels[i]}
	if c.to != nil {
		return c
	}
	w.u.enter(jumpTarget{name: w.name, breakTo: w.end})
	defer w.u.leave()
	for _, s := range w.body(i) {
		r := &exits{u: w.u, root: w.clauses[i], breaks: 1, falling: 1}
		r.walk(s)
		c.body = append(c.body, w.u.scan(s))
	}
	c.stops = w.u.terminatesClause(w.body(i))
	return c
}

// finish emits the decision and then the bodies that have moved.
func (w *switching) finish(d *dispatch) {
	d.whole = w.u.isExhaustive(w.clauses)
	w.u.add(d, &jump{w.end})
	w.bodies()
}

func (w *switching) bodies() {
	for i := range w.clauses {
		if w.labels[i] == nil {
			continue
		}
		var next *label
		if i+1 < len(w.labels) {
			next = w.labels[i+1]
		}
		w.u.add(&mark{label: w.labels[i]})
		if w.before[i] != nil {
			w.before[i]()
		}
		w.u.enter(jumpTarget{name: w.name, breakTo: w.end, next: next})
		w.u.block(w.body(i))
		w.u.leave()
		w.u.add(&jump{w.end})
	}
	w.u.add(&mark{label: w.end})
}

// isExhaustive reports whether one of the clauses is always taken.
func (u *unit) isExhaustive(clauses []ast.Stmt) bool {
	for _, c := range clauses {
		switch c := c.(type) {
		case *ast.CaseClause:
			if c.List == nil {
				return true
			}
		case *ast.CommClause:
			return true // a select waits until it can take one
		}
	}
	return false
}
