package codegen

import (
	"go/ast"
	"go/token"
)

// Leaving statements: break, continue, goto, fallthrough.

// jumpTarget is an enclosing statement that has been flattened.
type jumpTarget struct {
	name       string // its label in the source, or empty
	breakTo    *label
	continueTo *label     // nil unless a loop
	next       *label     // of a switch's clause: where fallthrough goes
	loop       *rangeLoop // to be stopped when it is left
}

func (u *unit) enter(t jumpTarget) { u.around = append(u.around, t) }
func (u *unit) leave()             { u.around = u.around[:len(u.around)-1] }

// exit is where a branch out of all kept statements goes.
func (u *unit) exit(b *ast.BranchStmt) *label {
	if b.Tok == token.GOTO {
		obj := u.info.Uses[b.Label]
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

func (u *unit) branchStatement(b *ast.BranchStmt) { u.add(&jump{u.exit(b)}) }

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
		r.u.names.kept[n.Label.Name] = true
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
		if within(r.root, r.u.info.Uses[b.Label].Pos()) {
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
