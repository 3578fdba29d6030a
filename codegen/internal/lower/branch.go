package lower

import (
	"go/ast"
	"go/token"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// Leaving statements: break, continue, goto, fallthrough.

// jumpTarget is an enclosing statement that has been flattened.
type jumpTarget struct {
	name       string // its label in the source, or empty
	breakTo    *ir.Label
	continueTo *ir.Label  // nil unless it is a loop
	next       *ir.Label  // in a clause of a switch: the target of fallthrough
	loop       *rangeLoop // a loop to stop when it is left
}

func (lo *lowering) enter(t jumpTarget) { lo.around = append(lo.around, t) }
func (lo *lowering) leave()             { lo.around = lo.around[:len(lo.around)-1] }

// exit returns the target of a branch out of all kept statements.
func (lo *lowering) exit(b *ast.BranchStmt) *ir.Label {
	if b.Tok == token.GOTO {
		obj := lo.Info.Uses[b.Label]
		return lo.out(lo.gotoLabel(obj), lo.outside(obj.Pos()))
	}
	for i := len(lo.around) - 1; i >= 0; i-- {
		t := lo.around[i]
		if b.Label != nil && b.Label.Name != t.name {
			continue
		}
		switch b.Tok {
		case token.BREAK:
			if t.breakTo != nil {
				return lo.out(t.breakTo, i)
			}
		case token.CONTINUE:
			if t.continueTo != nil {
				return lo.out(t.continueTo, i+1)
			}
		case token.FALLTHROUGH:
			return t.next
		}
	}
	return nil
}

func (lo *lowering) branchStatement(b *ast.BranchStmt) { lo.add(&ir.Jump{To: lo.exit(b)}) }

// routeExits finds the branches in a kept statement with targets outside of it.
func (lo *lowering) routeExits(s ast.Node) {
	r := &exits{lo: lo, root: s}
	r.walk(s)
}

// exits walks a kept statement and tracks what encloses the current node in it.
type exits struct {
	lo      *lowering
	root    ast.Node // a statement kept as a whole: jumps inside it stay
	breaks  int      // enclosing statements that a break leaves
	loops   int      // enclosing loops
	names   []string // their labels
	falling int      // enclosing switches
}

func (r *exits) walk(n ast.Node) { ast.Inspect(n, r.visit) }

func (r *exits) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		return false
	case *ast.LabeledStmt:
		r.names = append(r.names, n.Label.Name)
		r.lo.names.KeepLabel(n.Label.Name)
		r.walk(n.Stmt)
		r.names = r.names[:len(r.names)-1]
		return false
	case *ast.ForStmt:
		r.inside(1, 1, n.Body)
		return false
	case *ast.RangeStmt:
		r.inside(1, 1, n.Body)
		return false
	case *ast.SwitchStmt:
		r.falling++
		r.inside(1, 0, n.Body)
		r.falling--
		return false
	case *ast.TypeSwitchStmt:
		r.inside(1, 0, n.Body)
		return false
	case *ast.SelectStmt:
		r.inside(1, 0, n.Body)
		return false
	case *ast.BranchStmt:
		r.route(n)
	}
	return true
}

func (r *exits) inside(breaks, loops int, body *ast.BlockStmt) {
	r.breaks, r.loops = r.breaks+breaks, r.loops+loops
	r.walk(body)
	r.breaks, r.loops = r.breaks-breaks, r.loops-loops
}

func (r *exits) route(b *ast.BranchStmt) {
	switch {
	case b.Tok == token.GOTO:
		if analyse.Within(r.root, r.lo.Info.Uses[b.Label].Pos()) {
			return
		}
	case b.Label != nil:
		for _, name := range r.names {
			if name == b.Label.Name {
				return
			}
		}
	case b.Tok == token.BREAK && r.breaks > 0,
		b.Tok == token.CONTINUE && r.loops > 0,
		b.Tok == token.FALLTHROUGH && r.falling > 0:
		return
	}
	r.lo.exits[b] = r.lo.exit(b)
}

// returnStatement assigns the returned values to the result variables, and ends the machine.
func (lo *lowering) returnStatement(s *ast.ReturnStmt) {
	if !lo.Suspends(s) {
		lo.add(lo.returning(s)...)
		return
	}
	if call := lo.onlyPoint(s.Results); call != nil {
		lo.suspendInto(call, lo.resultTargets())
		lo.add(lo.ending())
		return
	}
	var ops []analyse.Operand
	for i, e := range s.Results {
		o := analyse.Operand{Expr: e}
		if len(s.Results) == len(lo.results) {
			o.To = lo.results[i].Type
		}
		ops = append(ops, o)
	}
	if lo.Decomposed[s] && len(s.Results) > 1 {
		lo.spillAll(ops, true)
		lo.tuple(nil, s.Results, func(i int) ir.Dest { return ir.Dest{V: lo.results[i]} })
		lo.add(lo.ending())
		return
	}
	lo.spillAll(ops, false)
	lo.add(lo.returning(s)...)
}

// ending returns the instruction that follows the assignment of the results. It leads through the
// code that stops loops over functions and makes deferred calls, if there is any.
func (lo *lowering) ending() ir.Instr {
	if to := lo.out(lo.epilogue, 0); to != nil {
		return &ir.Jump{To: to}
	}
	return &ir.Finish{Results: lo.results}
}

func (lo *lowering) resultTargets() []ir.Dest {
	var dst []ir.Dest
	for _, r := range lo.results {
		dst = append(dst, ir.Dest{V: r})
	}
	return dst
}

// returning returns the instructions of a return statement whose suspension points, if any, have
// already been evaluated.
func (lo *lowering) returning(s *ast.ReturnStmt) []ir.Instr {
	if len(s.Results) == 0 {
		return []ir.Instr{lo.ending()}
	}
	dst := lo.resultTargets()
	if len(s.Results) != len(dst) {
		return []ir.Instr{&ir.Assign{Dst: dst, Src: lo.join(s.Results)}, lo.ending()}
	}
	var left []ir.Dest
	var right []ast.Expr
	for i, e := range s.Results {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && lo.variableOf(id) == dst[i].V {
			continue // x = x
		}
		left, right = append(left, dst[i]), append(right, e)
	}
	if len(left) == 0 {
		return []ir.Instr{lo.ending()}
	}
	return []ir.Instr{&ir.Assign{Dst: left, Src: lo.join(right)}, lo.ending()}
}
