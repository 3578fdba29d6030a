package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Spilling: a suspension point inside an expression becomes instructions before it, and
// so does everything that gc evaluates before it (spill_order.go). The rest of the
// expression, with temporaries for the evaluated parts, is printed where it was.

// operandOf is a part of an expression or statement, and what gc does with it
// there.
type operandOf struct {
	expr     ast.Expr
	to       types.Type       // it is converted to this type, perhaps implicitly
	key      *types.Map       // it is a key of such a map
	compared bool             // by == and the like
	copied   bool             // it is called, and copied before the arguments
	method   *types.Selection // of which it is the receiver
	bound    bool             // of a slice expression
	assigned bool             // it is a left-hand side: its parts are evaluated, not it
}

func operands(list []ast.Expr) []operandOf {
	var ops []operandOf
	for _, e := range list {
		if e != nil {
			ops = append(ops, operandOf{expr: e})
		}
	}
	return ops
}

// spill evaluates everything in e that suspends. If later suspensions follow in the
// same statement, what gc orders before them is evaluated too.
func (u *unit) spill(e ast.Expr, later bool) {
	e = ast.Unparen(e)
	if _, done := u.evaluated[e]; done || u.isConstant(e) {
		return
	}
	if !u.suspends(e) {
		if later {
			u.settle(e)
		}
		return
	}
	switch x := e.(type) {
	case *ast.CallExpr:
		if u.points[x] != nil {
			u.evaluate(x)
			return
		}
		if u.measuresArray(x) {
			u.spillMeasured(x)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			u.spillLogical(x)
			return
		}
	case *ast.CompositeLit:
		if isMap(u.typeOf(x)) {
			u.spillMap(x)
			return
		}
	}
	moves := later && u.moves(e)
	u.spillAll(u.operands(e), later && !moves)
	if moves {
		u.hoist(e)
	}
}

// spillAll spills operands that are evaluated one after another.
func (u *unit) spillAll(ops []operandOf, later bool) {
	last := -1
	for i, o := range ops {
		if u.suspends(o.expr) {
			last = i
		}
	}
	for i, o := range ops {
		u.spillOperand(o, later || i < last)
	}
	if later {
		u.hoistCompared(ops)
	}
}

// hoistCompared: the operands of a comparison are copied when both have been evaluated,
// in contrast to all others.
func (u *unit) hoistCompared(ops []operandOf) {
	for _, o := range ops {
		if u.comparedAsIs(o) && u.wantsTemp(o) {
			u.hoist(ast.Unparen(o.expr))
		}
	}
}

func (u *unit) spillOperand(o operandOf, later bool) {
	if o.assigned {
		u.spillAll(u.parts(o.expr), later)
		return
	}
	u.spill(o.expr, later)
	if later && o.copied {
		u.hoistCopied(o)
		return
	}
	if later && !u.comparedAsIs(o) && u.wantsTemp(o) {
		u.hoist(ast.Unparen(o.expr))
	}
}

// settle evaluates what gc moves out of e, which does not suspend.
func (u *unit) settle(e ast.Expr) {
	e = ast.Unparen(e)
	if _, done := u.evaluated[e]; done || u.isConstant(e) {
		return
	}
	if u.moves(e) {
		u.hoist(e)
		return
	}
	ops := u.operands(e)
	for _, o := range ops {
		if o.assigned {
			continue
		}
		u.settle(o.expr)
		if !u.comparedAsIs(o) && u.wantsTemp(o) {
			u.hoist(ast.Unparen(o.expr))
		}
	}
	u.hoistCompared(ops)
}

// hoist evaluates e into a temporary, or several if it has several values.
func (u *unit) hoist(e ast.Expr) {
	if _, done := u.evaluated[e]; done {
		return
	}
	temps := u.tempsFor(e)
	i := &assign{src: u.typed(e), typed: u.needsType(e)}
	for _, v := range temps {
		i.dst = append(i.dst, dest{v: v, declares: true})
	}
	u.add(i)
	u.evaluated[e] = temps
}

// needsType reports whether e, on its own, could have another type than where it is:
// untyped booleans and the like take theirs from the context.
func (u *unit) needsType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr, *ast.SliceExpr, *ast.CompositeLit, *ast.IndexExpr, *ast.SelectorExpr, *ast.FuncLit:
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW
	}
	return true
}

// typed is e with its type spelled out if the source leaves that to the literal
// around it.
func (u *unit) typed(e ast.Expr) rope {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || lit.Type != nil {
		return u.expr(e)
	}
	t, prefix := u.typeOf(lit), ""
	if ptr, ok := typeset.Core(t).(*types.Pointer); ok {
		t, prefix = ptr.Elem(), "&"
	}
	head := late(func(p *printer) string { return prefix + p.typ(t, lit) })
	return append(rope{head}, u.expr(e)...)
}

// tempsFor makes a temporary for each value of e.
func (u *unit) tempsFor(e ast.Expr) []*variable {
	typs := []types.Type{u.typeOf(e)}
	if tuple, ok := typs[0].(*types.Tuple); ok {
		typs = nil
		for v := range tuple.Variables() {
			typs = append(typs, v.Type())
		}
	}
	var list []*variable
	for _, t := range typs {
		v := u.temp(u.tempName(e), t)
		v.of = e
		list = append(list, v)
	}
	return list
}

// temp makes a temporary. Its name ends in a number, so that it reads like none of
// the user's.
func (u *unit) temp(stem string, t types.Type) *variable {
	v := &variable{name: stem, typ: types.Default(t)}
	u.all = append(u.all, v)
	return v
}

// tempName is the stem for the name of e's value: the function called, or what
// the operation is.
func (u *unit) tempName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if u.isConversion(e) {
			return "converted"
		}
		return calledName(e)
	case *ast.UnaryExpr:
		return "received"
	case *ast.BinaryExpr:
		return "cond"
	case *ast.TypeAssertExpr:
		return "asserted"
	case *ast.SliceExpr:
		return "part"
	case *ast.CompositeLit:
		return "lit"
	case *ast.IndexExpr:
		return "elem"
	}
	return "value"
}

func calledName(call *ast.CallExpr) string {
	if id := source.BaseIdent(ast.Unparen(call.Fun)); id != nil && id.Name != "_" {
		return typetext.SetFirst(id.Name, false)
	}
	return "call"
}

// spillLogical: the right operand is evaluated only if the left one does not
// decide.
func (u *unit) spillLogical(e *ast.BinaryExpr) {
	v := u.temp("cond", u.typeOf(e))
	end := u.label("cond")
	u.spill(e.X, false)
	u.add(&assign{dst: []dest{{v: v, declares: true}}, src: u.value(e.X), typed: true})
	u.add(&branch{cond: rope{use(v)}, not: e.Op == token.LAND, to: end})
	u.spill(e.Y, false)
	u.add(&assign{dst: []dest{{v: v}}, src: u.value(e.Y)})
	u.add(&mark{label: end})
	u.evaluated[e] = []*variable{v}
}

// value is e as it is after spilling: a temporary, or what is left of it.
func (u *unit) value(e ast.Expr) rope {
	if temps, ok := u.evaluated[ast.Unparen(e)]; ok {
		return mentions(temps)
	}
	return u.typed(e)
}
