package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// spillMap makes a map entry by entry, as gc does: first the entries that are
// constant, then the others in their order.
func (u *unit) spillMap(lit *ast.CompositeLit) {
	v := u.temp("lit", u.typeOf(lit))
	var constant, dynamic []*ast.KeyValueExpr
	for _, e := range lit.Elts {
		kv := e.(*ast.KeyValueExpr)
		if u.isStatic(kv.Key) && u.isStatic(kv.Value) {
			constant = append(constant, kv)
		} else {
			dynamic = append(dynamic, kv)
		}
	}
	src := rope{late(func(p *printer) string { return p.typ(v.typ, lit) + "{" })}
	for _, kv := range constant {
		src = append(src, u.expr(kv)...)
		src = append(src, text(", "))
	}
	src = append(src, text("}"))
	u.add(&assign{dst: []dest{{v: v, declares: true}}, src: src})
	t := mapType(u.typeOf(lit))
	for _, kv := range dynamic {
		u.spillAll([]operandOf{
			{expr: kv.Key, to: t.Key(), key: t},
			{expr: kv.Value, to: t.Elem()},
		}, false)
		place := append(rope{use(v), text("[")}, u.value(kv.Key)...)
		u.add(&assign{dst: []dest{{place: append(place, text("]"))}}, src: u.value(kv.Value)})
	}
	u.evaluated[lit] = []*variable{v}
}

// isStatic reports whether e is a constant or a literal of constants.
func (u *unit) isStatic(e ast.Expr) bool {
	e = ast.Unparen(e)
	if u.isConstant(e) || u.info.Types[e].IsNil() {
		return true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch typeset.Core(u.typeOf(lit)).(type) {
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
