package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// selectStatement. The language evaluates all channels and all values to send
// once, in the order of the source, and only then chooses; a place to receive
// into is evaluated if its clause was chosen.
//
// The select itself blocks its worker, as in plain code: waiting for channels takes a
// goroutine.
func (u *unit) selectStatement(s *ast.SelectStmt, name string) {
	u.settleComms(s)
	w := u.newSwitching(s.Body, name)
	w.outlineBodies()
	d := &dispatch{head: rope{text("select")}}
	for i, c := range w.clauses {
		comm := c.(*ast.CommClause).Comm
		if recv, ok := comm.(*ast.AssignStmt); ok && u.suspendsIn(recv.Lhs) {
			w.outline(i)
		}
		d.clauses = append(d.clauses, u.commClause(w, i, comm))
	}
	w.finish(d)
}

func (u *unit) suspendsIn(list []ast.Expr) bool {
	for _, e := range list {
		if u.suspends(e) {
			return true
		}
	}
	return false
}

// settleComms evaluates channels and values before the last one that suspends. More
// strictly than elsewhere, even plain variables are read in source order.
func (u *unit) settleComms(s *ast.SelectStmt) {
	var list []ast.Expr
	for _, c := range s.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			list = append(list, comm.Chan, comm.Value)
		case *ast.ExprStmt:
			list = append(list, receivedFrom(comm.X))
		case *ast.AssignStmt:
			list = append(list, receivedFrom(comm.Rhs[0]))
		}
	}
	last := -1
	for i, e := range list {
		if u.suspends(e) {
			last = i
		}
	}
	for _, e := range list[:last+1] {
		u.spill(e, false)
		if !u.isConstant(e) && !u.info.Types[e].IsNil() {
			u.hoist(ast.Unparen(e))
		}
	}
}

func receivedFrom(e ast.Expr) ast.Expr { return ast.Unparen(e).(*ast.UnaryExpr).X }

func (u *unit) commClause(w *switching, i int, comm ast.Stmt) clause {
	if comm == nil {
		return w.clause(i, rope{text("default")})
	}
	recv, ok := comm.(*ast.AssignStmt)
	if !ok || w.labels[i] == nil || recv.Tok == token.ASSIGN && !u.suspendsIn(recv.Lhs) {
		return w.clause(i, append(rope{text("case ")}, u.expr(comm)...))
	}
	return u.receiveAside(w, i, recv)
}

// receiveAside receives into names of the clause and hands them on to the variables
// that the moved body knows, or to temporaries if the places to receive into suspend.
// These are assigned in one statement: gc makes it the first of the body
// (noder/reader.go), so both places are evaluated before either is assigned.
func (u *unit) receiveAside(w *switching, i int, recv *ast.AssignStmt) clause {
	head := rope{text("case ")}
	pass := &assign{}
	var places []received
	for n, lhs := range recv.Lhs {
		if n > 0 {
			head = append(head, text(", "))
		}
		if isBlank(lhs) {
			head = append(head, text("_"))
			continue
		}
		local := text(u.names.fresh([]string{"received", "ok"}[n]))
		head = append(head, local)
		if len(pass.src) > 0 {
			pass.src = append(pass.src, text(", "))
		}
		pass.src = append(pass.src, local)
		if recv.Tok == token.DEFINE {
			pass.dst = append(pass.dst, u.left(lhs))
			continue
		}
		v := u.temp("received", u.receivedType(recv, n))
		pass.dst = append(pass.dst, dest{v: v, declares: true})
		places = append(places, received{lhs, v})
	}
	head = append(head, text(" := <-"))
	head = append(head, u.value(receivedFrom(recv.Rhs[0]))...)
	if len(places) > 0 {
		w.before[i] = func() { u.assignReceived(places) }
	}
	c := w.clause(i, head)
	if len(pass.dst) > 0 {
		c.code = []instr{pass}
	}
	return c
}

// received is a place to receive into, and the temporary with what was received.
type received struct {
	lhs ast.Expr
	v   *variable
}

func (u *unit) assignReceived(places []received) {
	var ops []operandOf
	for _, p := range places {
		ops = append(ops, operandOf{expr: p.lhs, assigned: true})
	}
	u.spillAll(ops, false)
	all := &assign{}
	for n, p := range places {
		if n > 0 {
			all.src = append(all.src, text(", "))
		}
		all.dst, all.src = append(all.dst, u.left(p.lhs)), append(all.src, u.receivedFor(p.lhs, p.v)...)
	}
	u.add(all)
}

// receivedFor is what was received, as it is assigned to lhs. The ok of a receive takes
// the type of what it is assigned to; a temporary has its own.
func (u *unit) receivedFor(lhs ast.Expr, v *variable) rope {
	t := u.typeOf(lhs)
	if types.AssignableTo(v.typ, t) {
		return rope{use(v)}
	}
	return rope{late(func(p *printer) string { return p.typ(t, lhs) + "(" }), use(v), text(")")}
}

// receivedType is the type of the value or of the ok that is received.
func (u *unit) receivedType(recv *ast.AssignStmt, n int) types.Type {
	if n == 1 {
		return types.Typ[types.Bool]
	}
	return typeset.ChanElem(u.typeOf(receivedFrom(recv.Rhs[0])))
}
