package codegen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/place"
)

// Function literals that become machines.
//
// A function literal is a function of its own, and most of them stay as they are: what
// suspends in them blocks, as it does in plain code. But where a literal runs as a
// part of the annotated function, blocking would hold the machine's worker. Such
// literals are lowered like the function around them. Source, then result:
//
//	err := func() error { n++; return pause(ctx) }()
//
//	f.func1, f.err = retryFunc1Enter(t, f.n, f.ctx)
//
// # What a literal captures
//
// In Go, a literal shares the variables around it. Here each captured variable is one
// more parameter of the entry: a variable that is assigned or whose address is taken
// lives in a cell of its own, and the parameter is the pointer to it (see "Closures and
// addresses" in the package comment). For any other variable, the value is passed. So
// sharing works both ways, and neither frame knows of the other.
//
// Captures are found while the literal is flattened, by the first mention of each. A
// literal within the literal asks the one around it, which captures what it passes on.

// lowered is the machine of a literal whose captures are known.
func (u *unit) lowered(lit *ast.FuncLit) *unit {
	c := u.root().units[u.Literals.Machines[lit]]
	if !c.flat {
		c.flat = true
		c.flatten()
		c.code = place.Prune(c.code)
	}
	return c
}

// root is the unit of the annotated function.
func (u *unit) root() *unit {
	for u.parent != nil {
		u = u.parent
	}
	return u
}

// capture makes a variable of the functions around u one of u: a parameter of
// its entry. It returns nil for everything else.
func (u *unit) capture(obj types.Object) *ir.Variable {
	v, ok := obj.(*types.Var)
	if !ok || u.Literal == nil || v.IsField() || !analyse.Within(u.Source.Decl, v.Pos()) || analyse.Within(u.Node, v.Pos()) {
		return nil
	}
	c := u.declare(v)
	c.Param, c.Outside, c.Place = true, true, ir.InFrame
	u.captures = append(u.captures, v)
	return c
}

// passed is what u passes to a literal in it for a captured variable: the pointer to
// its cell, or its value. In a function literal that stays plain (closure), it is
// spelled as there.
func (u *unit) passed(obj *types.Var, closure bool) ir.Piece {
	v := u.vars[obj]
	if v == nil {
		v = u.capture(obj)
	}
	if v == nil { // it is in a statement that is kept, and has not moved
		if f := u.UsageOf(obj); (&ir.Variable{Type: obj.Type(), Usage: f}).Shared() {
			return ir.Text("&" + obj.Name())
		}
		return ir.Text(obj.Name())
	}
	as := ir.AsValue
	if v.Shared() {
		as = ir.AsAddress
	}
	if closure {
		as += ir.AsBorrowed - ir.AsValue
	}
	return ir.UseAs(v, as)
}

// enterLiteral calls the entry of a literal. The first argument is the task.
func (u *unit) enterLiteral(l *unit, closure bool, args ...ir.Rope) ir.Rope {
	l.isEntered = true
	args = slices.Insert(args, 1, u.passedAll(l, closure)...)
	return append(append(ir.Rope{ir.Text(l.Declared.Enter + u.typeArgs() + "(")}, joined(args)...), ir.Text(")"))
}

// passedAll is what u passes for all captures of a literal.
func (u *unit) passedAll(l *unit, closure bool) []ir.Rope {
	var list []ir.Rope
	for _, obj := range l.captures {
		list = append(list, ir.Rope{u.passed(obj, closure)})
	}
	return list
}
