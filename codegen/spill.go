package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Spilling: a suspension point inside an expression becomes instructions before it, and
// so does everything that gc evaluates before it (spill_order.go). The rest of the
// expression, with temporaries for the evaluated parts, is printed where it was.

// spill evaluates everything in e that suspends. If later suspensions follow in the
// same statement, what gc orders before them is evaluated too.
func (u *unit) spill(e ast.Expr, later bool) {
	e = ast.Unparen(e)
	if _, done := u.evaluated[e]; done || u.IsConstant(e) {
		return
	}
	if !u.Suspends(e) {
		if later {
			u.settle(e)
		}
		return
	}
	switch x := e.(type) {
	case *ast.CallExpr:
		if u.Points[x] != nil {
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
		if typeset.MapType(u.TypeOf(x)) != nil {
			u.spillMap(x)
			return
		}
	}
	moves := later && u.moves(e)
	u.spillAll(u.Operands(e), later && !moves)
	if moves {
		u.hoist(e)
	}
}

// spillAll spills operands that are evaluated one after another.
func (u *unit) spillAll(ops []analyse.Operand, later bool) {
	last := -1
	for i, o := range ops {
		if u.Suspends(o.Expr) {
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
func (u *unit) hoistCompared(ops []analyse.Operand) {
	for _, o := range ops {
		if u.comparedAsIs(o) && u.wantsTemp(o) {
			u.hoist(ast.Unparen(o.Expr))
		}
	}
}

func (u *unit) spillOperand(o analyse.Operand, later bool) {
	if o.Assigned {
		u.spillAll(u.parts(o.Expr), later)
		return
	}
	u.spill(o.Expr, later)
	if later && o.Copied {
		u.hoistCopied(o)
		return
	}
	if later && !u.comparedAsIs(o) && u.wantsTemp(o) {
		u.hoist(ast.Unparen(o.Expr))
	}
}

// settle evaluates what gc moves out of e, which does not suspend.
func (u *unit) settle(e ast.Expr) {
	e = ast.Unparen(e)
	if _, done := u.evaluated[e]; done || u.IsConstant(e) {
		return
	}
	if u.moves(e) {
		u.hoist(e)
		return
	}
	ops := u.Operands(e)
	for _, o := range ops {
		if o.Assigned {
			continue
		}
		u.settle(o.Expr)
		if !u.comparedAsIs(o) && u.wantsTemp(o) {
			u.hoist(ast.Unparen(o.Expr))
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
	i := &ir.Assign{Src: u.typed(e), Typed: u.needsType(e)}
	for _, v := range temps {
		i.Dst = append(i.Dst, ir.Dest{V: v, Declares: true})
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
func (u *unit) typed(e ast.Expr) ir.Rope {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || lit.Type != nil {
		return u.expr(e)
	}
	t, prefix := u.TypeOf(lit), ""
	if ptr, ok := typeset.Core(t).(*types.Pointer); ok {
		t, prefix = ptr.Elem(), "&"
	}
	return append(ir.Rope{ir.Text(prefix), ir.TypeText(t, lit)}, u.expr(e)...)
}

// tempsFor makes a temporary for each value of e.
func (u *unit) tempsFor(e ast.Expr) []*ir.Variable {
	typs := []types.Type{u.TypeOf(e)}
	if tuple, ok := typs[0].(*types.Tuple); ok {
		typs = nil
		for v := range tuple.Variables() {
			typs = append(typs, v.Type())
		}
	}
	var list []*ir.Variable
	for _, t := range typs {
		v := u.temp(u.tempName(e), t)
		v.Of = e
		list = append(list, v)
	}
	return list
}

// temp makes a temporary. Its name ends in a number, so that it reads like none of
// the user's.
func (u *unit) temp(stem string, t types.Type) *ir.Variable {
	v := &ir.Variable{Name: stem, Type: types.Default(t)}
	u.all = append(u.all, v)
	return v
}

// tempName is the stem for the name of e's value: the function called, or what
// the operation is.
func (u *unit) tempName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if u.IsConversion(e) {
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
	v := u.temp("cond", u.TypeOf(e))
	end := u.label("cond")
	u.spill(e.X, false)
	u.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: u.value(e.X), Typed: true})
	u.add(&ir.Branch{Cond: ir.Rope{ir.Use(v)}, Not: e.Op == token.LAND, To: end})
	u.spill(e.Y, false)
	u.add(&ir.Assign{Dst: []ir.Dest{{V: v}}, Src: u.value(e.Y)})
	u.add(&ir.Mark{Label: end})
	u.evaluated[e] = []*ir.Variable{v}
}

// value is e as it is after spilling: a temporary, or what is left of it.
func (u *unit) value(e ast.Expr) ir.Rope {
	if temps, ok := u.evaluated[ast.Unparen(e)]; ok {
		return mentions(temps)
	}
	return u.typed(e)
}
