package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// selectStatement lowers a select. The language evaluates all channels and all values to send
// once, in source order, and only then chooses a clause; the destinations of a receive are
// evaluated only if its clause was chosen.
//
// The select itself blocks its worker, as in plain code: waiting for channels requires a
// goroutine.
func (lo *lowering) selectStatement(s *ast.SelectStmt, name string) {
	lo.settleComms(s)
	w := lo.newSwitching(s.Body, name)
	w.outlineBodies()
	d := &ir.Dispatch{Head: ir.Rope{ir.Text("select")}}
	for i, c := range w.clauses {
		comm := c.(*ast.CommClause).Comm
		if recv, ok := comm.(*ast.AssignStmt); ok && lo.suspendsIn(recv.Lhs) {
			w.outline(i)
		}
		d.Clauses = append(d.Clauses, lo.commClause(w, i, comm))
	}
	w.finish(d)
}

func (lo *lowering) suspendsIn(list []ast.Expr) bool {
	for _, e := range list {
		if lo.Suspends(e) {
			return true
		}
	}
	return false
}

// settleComms evaluates channels and values before the last one that suspends. Unlike elsewhere,
// even plain variables are read in source order.
func (lo *lowering) settleComms(s *ast.SelectStmt) {
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
		if lo.Suspends(e) {
			last = i
		}
	}
	for _, e := range list[:last+1] {
		lo.spill(e, false)
		if !lo.IsConstant(e) && !lo.Info.Types[e].IsNil() {
			lo.copyOut(ast.Unparen(e))
		}
	}
}

func receivedFrom(e ast.Expr) ast.Expr { return ast.Unparen(e).(*ast.UnaryExpr).X }

func (lo *lowering) commClause(w *switching, i int, comm ast.Stmt) ir.Clause {
	if comm == nil {
		return w.clause(i, ir.Rope{ir.Text("default")})
	}
	recv, ok := comm.(*ast.AssignStmt)
	if !ok || w.labels[i] == nil || recv.Tok == token.ASSIGN && !lo.suspendsIn(recv.Lhs) {
		return w.clause(i, append(ir.Rope{ir.Text("case ")}, lo.expr(comm)...))
	}
	return lo.receiveAside(w, i, recv)
}

// receiveAside receives into separate names of the clause and passes the values to the variables
// that the moved body uses, or to temporaries if the destinations suspend. The variables are
// assigned in one statement: gc makes it the first statement of the body (noder/reader.go), so
// both destinations are evaluated before either is assigned.
func (lo *lowering) receiveAside(w *switching, i int, recv *ast.AssignStmt) ir.Clause {
	head := ir.Rope{ir.Text("case ")}
	pass := &ir.Assign{}
	var places []received
	for n, lhs := range recv.Lhs {
		if n > 0 {
			head = append(head, ir.Text(", "))
		}
		if analyse.IsBlank(lhs) {
			head = append(head, ir.Text("_"))
			continue
		}
		local := ir.Text(lo.names.Fresh([]string{"received", "ok"}[n]))
		head = append(head, local)
		if len(pass.Src) > 0 {
			pass.Src = append(pass.Src, ir.Text(", "))
		}
		pass.Src = append(pass.Src, local)
		if recv.Tok == token.DEFINE {
			pass.Dst = append(pass.Dst, lo.dest(lhs))
			continue
		}
		v := lo.temp("received", lo.receivedType(recv, n))
		pass.Dst = append(pass.Dst, ir.Dest{V: v, Declares: true})
		places = append(places, received{lhs, v})
	}
	head = append(head, ir.Text(" := <-"))
	head = append(head, lo.value(receivedFrom(recv.Rhs[0]))...)
	if len(places) > 0 {
		w.before[i] = func() { lo.assignReceived(places) }
	}
	c := w.clause(i, head)
	if len(pass.Dst) > 0 {
		c.Code = []ir.Instr{pass}
	}
	return c
}

// received is a destination of a receive, and the temporary with the received value.
type received struct {
	lhs ast.Expr
	v   *ir.Variable
}

func (lo *lowering) assignReceived(places []received) {
	var ops []analyse.Operand
	for _, p := range places {
		ops = append(ops, analyse.Operand{Expr: p.lhs, Assigned: true})
	}
	lo.spillAll(ops, false)
	all := &ir.Assign{}
	for n, p := range places {
		if n > 0 {
			all.Src = append(all.Src, ir.Text(", "))
		}
		all.Dst, all.Src = append(all.Dst, lo.dest(p.lhs)), append(all.Src, lo.receivedFor(p.lhs, p.v)...)
	}
	lo.add(all)
}

// receivedFor returns the received value in the form in which it is assigned to lhs. The ok of a
// receive takes the type of its destination; a temporary has its own type.
func (lo *lowering) receivedFor(lhs ast.Expr, v *ir.Variable) ir.Rope {
	t := lo.TypeOf(lhs)
	if types.AssignableTo(v.Type, t) {
		return ir.Rope{ir.Use(v)}
	}
	return ir.Rope{ir.TypeText(t, lhs), ir.Text("("), ir.Use(v), ir.Text(")")}
}

// receivedType returns the type of the value or of the ok that is received.
func (lo *lowering) receivedType(recv *ast.AssignStmt, n int) types.Type {
	if n == 1 {
		return types.Typ[types.Bool]
	}
	return typeset.ChanElem(lo.TypeOf(receivedFrom(recv.Rhs[0])))
}
