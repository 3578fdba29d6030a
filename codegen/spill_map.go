package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// spillMap makes a map entry by entry, as gc does: first the entries that are
// constant, then the others in their order.
func (u *unit) spillMap(lit *ast.CompositeLit) {
	v := u.temp("lit", u.TypeOf(lit))
	var constant, dynamic []*ast.KeyValueExpr
	for _, e := range lit.Elts {
		kv := e.(*ast.KeyValueExpr)
		if u.isStatic(kv.Key) && u.isStatic(kv.Value) {
			constant = append(constant, kv)
		} else {
			dynamic = append(dynamic, kv)
		}
	}
	src := ir.Rope{ir.TypeText(v.Type, lit), ir.Text("{")}
	for _, kv := range constant {
		src = append(src, u.expr(kv)...)
		src = append(src, ir.Text(", "))
	}
	src = append(src, ir.Text("}"))
	u.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: src})
	t := typeset.MapType(u.TypeOf(lit))
	for _, kv := range dynamic {
		u.spillAll([]analyse.Operand{
			{Expr: kv.Key, To: t.Key(), Key: t},
			{Expr: kv.Value, To: t.Elem()},
		}, false)
		place := append(ir.Rope{ir.Use(v), ir.Text("[")}, u.value(kv.Key)...)
		u.add(&ir.Assign{Dst: []ir.Dest{{Place: append(place, ir.Text("]"))}}, Src: u.value(kv.Value)})
	}
	u.evaluated[lit] = []*ir.Variable{v}
}

// isStatic reports whether e is a constant or a literal of constants.
func (u *unit) isStatic(e ast.Expr) bool {
	e = ast.Unparen(e)
	if u.IsConstant(e) || u.Info.Types[e].IsNil() {
		return true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch typeset.Core(u.TypeOf(lit)).(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	for _, elem := range lit.Elts {
		if kv, ok := elem.(*ast.KeyValueExpr); ok {
			elem = kv.Value
		}
		if !u.isStatic(elem) {
			return false
		}
	}
	return true
}
