package codegen

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
	continueTo *ir.Label  // nil unless a loop
	next       *ir.Label  // of a switch's clause: where fallthrough goes
	loop       *rangeLoop // to be stopped when it is left
}

func (u *unit) enter(t jumpTarget) { u.around = append(u.around, t) }
func (u *unit) leave()             { u.around = u.around[:len(u.around)-1] }

// exit is where a branch out of all kept statements goes.
func (u *unit) exit(b *ast.BranchStmt) *ir.Label {
	if b.Tok == token.GOTO {
		obj := u.Info.Uses[b.Label]
		return u.out(u.gotoLabel(obj), u.outside(obj.Pos()))
	}
	for i := len(u.around) - 1; i >= 0; i-- {
		t := u.around[i]
		if b.Label != nil && b.Label.Name != t.name {
			continue
		}
		switch b.Tok {
		case token.BREAK:
			if t.breakTo != nil {
				return u.out(t.breakTo, i)
			}
		case token.CONTINUE:
			if t.continueTo != nil {
				return u.out(t.continueTo, i+1)
			}
		case token.FALLTHROUGH:
			return t.next
		}
	}
	return nil
}

func (u *unit) branchStatement(b *ast.BranchStmt) { u.add(&ir.Jump{To: u.exit(b)}) }

// routeExits finds the branches in a kept statement whose targets are not in it.
func (u *unit) routeExits(s ast.Node) {
	r := &exits{u: u, root: s}
	r.walk(s)
}

// exits walks a kept statement and knows what encloses the current node in it.
type exits struct {
	u       *unit
	root    ast.Node // a statement kept whole: jumps in it stay
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
		r.u.names.KeepLabel(n.Label.Name)
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
		if analyse.Within(r.root, r.u.Info.Uses[b.Label].Pos()) {
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
	r.u.exits[b] = r.u.exit(b)
}

// returnStatement assigns the returned values to the result variables, and the machine
// ends.
func (u *unit) returnStatement(s *ast.ReturnStmt) {
	if !u.Suspends(s) {
		u.add(u.returning(s)...)
		return
	}
	if call := u.onlyPoint(s.Results); call != nil {
		u.suspendInto(call, u.resultTargets())
		u.add(u.ending())
		return
	}
	var ops []analyse.Operand
	for i, e := range s.Results {
		o := analyse.Operand{Expr: e}
		if len(s.Results) == len(u.results) {
			o.To = u.results[i].Type
		}
		ops = append(ops, o)
	}
	if u.Forced[s] && len(s.Results) > 1 {
		u.spillAll(ops, true)
		u.tuple(nil, s.Results, func(i int) ir.Dest { return ir.Dest{V: u.results[i]} })
		u.add(u.ending())
		return
	}
	u.spillAll(ops, false)
	u.add(u.returning(s)...)
}

// ending is what follows when the results have been assigned: loops over functions are
// stopped, and deferred calls are made.
func (u *unit) ending() ir.Instr {
	if to := u.out(u.epilogue, 0); to != nil {
		return &ir.Jump{To: to}
	}
	return &ir.Finish{Results: u.results}
}

func (u *unit) resultTargets() []ir.Dest {
	var dst []ir.Dest
	for _, r := range u.results {
		dst = append(dst, ir.Dest{V: r})
	}
	return dst
}

// returning are the instructions of a return statement whose suspension points, if
// any, have been evaluated.
func (u *unit) returning(s *ast.ReturnStmt) []ir.Instr {
	if len(s.Results) == 0 {
		return []ir.Instr{u.ending()}
	}
	dst := u.resultTargets()
	if len(s.Results) != len(dst) {
		return []ir.Instr{&ir.Assign{Dst: dst, Src: u.join(s.Results)}, u.ending()}
	}
	var left []ir.Dest
	var right []ast.Expr
	for i, e := range s.Results {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && u.variableOf(id) == dst[i].V {
			continue // x = x
		}
		left, right = append(left, dst[i]), append(right, e)
	}
	if len(left) == 0 {
		return []ir.Instr{u.ending()}
	}
	return []ir.Instr{&ir.Assign{Dst: left, Src: u.join(right)}, u.ending()}
}
