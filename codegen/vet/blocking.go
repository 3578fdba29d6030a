package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// blockingCalls reports code that occupies a machine's worker while it waits. A scheduler
// has few workers, and the code that would end the wait may itself need a worker.
func blockingCalls(r *reporter, s *survey) {
	b := &blocking{reporter: r, survey: s, table: blockers}
	for _, region := range s.regions {
		if region.runner == machine || region.here {
			b.kept = region.here
			region.walk(b.node)
		}
	}
}

// blocking looks for calls of the functions in table.
type blocking struct {
	*reporter
	*survey
	table map[string]string
	kept  bool // in a literal that stays plain Go
}

// reportBlocking reports blocking code. In plain Go a suspending replacement blocks too, so it is
// no fix there.
func (b *blocking) reportBlocking(pos ast.Node, m message, fixes ...analysis.SuggestedFix) {
	if b.kept {
		fixes = nil
	}
	b.report(pos, m, fixes...)
}

func (b *blocking) node(n ast.Node, stack []ast.Node) {
	if started(n, stack) {
		return
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		b.call(n, stack)
	case *ast.SendStmt:
		if !inSelect(n, stack) {
			p := b.patch(n.Pos())
			b.reportBlocking(n, channelBlocks("a send"), p.wrapStatement(n))
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !inSelect(n, stack) {
			b.receive(n, stack)
		}
	case *ast.RangeStmt:
		if _, ok := coreOf(b.info.TypeOf(n.X)).(*types.Chan); ok {
			b.reportBlocking(n.X, channelBlocks("a loop over a channel"))
		}
	case *ast.SelectStmt:
		if !hasDefault(n) {
			b.reportBlocking(piece{n.Select, n.Select + token.Pos(len("select"))}, selectBlocks())
		}
	}
}

// started reports whether n runs on a goroutine of its own.
func started(n ast.Node, stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	g, ok := stack[len(stack)-1].(*ast.GoStmt)
	return ok && g.Call == n
}

// inSelect reports whether a case of a select waits for n.
func inSelect(n ast.Node, stack []ast.Node) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		switch around := stack[i].(type) {
		case *ast.CommClause:
			return around.Comm != nil && around.Comm.Pos() <= n.Pos() && n.End() <= around.Comm.End()
		case *ast.ParenExpr, *ast.AssignStmt, *ast.ExprStmt:
		default:
			return false
		}
	}
	return false
}

func hasDefault(n *ast.SelectStmt) bool {
	for _, c := range n.Body.List {
		if c.(*ast.CommClause).Comm == nil {
			return true
		}
	}
	return false
}

// coreOf returns the underlying type of typ. For a type parameter, it returns that of the
// first type that its constraint names.
func coreOf(typ types.Type) types.Type {
	if typ == nil {
		return nil
	}
	iface, ok := typ.Underlying().(*types.Interface)
	if _, param := types.Unalias(typ).(*types.TypeParam); !ok || !param || iface.NumEmbeddeds() != 1 {
		return typ.Underlying()
	}
	if union, ok := iface.EmbeddedType(0).(*types.Union); ok {
		return union.Term(0).Type().Underlying()
	}
	return iface.EmbeddedType(0).Underlying()
}

// receive reports a receive, with an alternative if it is one of the usual ones.
func (b *blocking) receive(n *ast.UnaryExpr, stack []ast.Node) {
	p := b.patch(n.Pos())
	call, _ := ast.Unparen(n.X).(*ast.CallExpr)
	var fn *types.Func
	if call != nil {
		fn = b.callee(call)
	}
	switch {
	case fn != nil && fn.Name() == "Done" && receiverName(fn) == "Job" && fn.Pkg().Path() == jobPath && isStatement(stack):
		sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		p.replace(n, p.text(sel.X)+".Await()")
		b.reportBlocking(n, doneBlocks(), p.fix("await the job"))
	case isObjectOf(fn, "time", "After") && isStatement(stack):
		p.replace(n, fmt.Sprintf("%s.Sleep(%s, %s)", p.qualifier(jobPath), p.context(), p.text(call.Args[0])))
		b.reportBlocking(n, timerBlocks(), p.fix("call job.Sleep"))
	default:
		b.reportBlocking(n, channelBlocks("a receive"), b.wrapReceive(n, stack))
	}
}

// isStatement reports whether the top of stack makes a statement of an expression.
func isStatement(stack []ast.Node) bool {
	_, ok := stack[len(stack)-1].(*ast.ExprStmt)
	return ok
}

// call reports a call that blocks.
func (b *blocking) call(call *ast.CallExpr, stack []ast.Node) {
	// plainform reports it
	if advice := b.advice(call); advice != "" && (!b.kept || !b.blocksWhereKept(call)) {
		b.reportBlocking(call, callBlocks(types.ExprString(call.Fun), advice), b.callFix(tableKey(b.callee(call)), call, stack))
	}
}

// advice returns the alternative to a call that blocks, or "" if the call does not block.
func (b *blocking) advice(call *ast.CallExpr) string {
	fn := b.callee(call)
	if fn == nil || fn.Pkg() == nil || b.suspends(call) {
		return ""
	}
	return b.table[tableKey(fn)]
}

// tableKey returns the key of a function in the tables of its package.
func tableKey(fn *types.Func) string {
	if fn.Pkg() == nil { // the Error method of type error
		return fn.Name()
	}
	if recv := receiverName(fn); recv != "" {
		return fn.Pkg().Path() + "." + recv + "." + fn.Name()
	}
	return fn.Pkg().Path() + "." + fn.Name()
}

func (b *blocking) callFix(key string, call *ast.CallExpr, stack []ast.Node) analysis.SuggestedFix {
	p := b.patch(call.Pos())
	switch key {
	case "time.Sleep":
		p.replace(call, fmt.Sprintf("%s.Sleep(%s, %s)", p.qualifier(jobPath), p.context(), p.text(call.Args[0])))
		return p.fix("call job.Sleep")
	case jobPath + ".Job.Wait":
		sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		p.replace(call, p.text(sel.X)+".Await()")
		return p.fix("await the job")
	}
	return b.wrapCall(call, stack)
}
