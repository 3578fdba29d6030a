package lower

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

// Spilling: a suspension point inside an expression becomes instructions before the expression,
// and so does everything that gc evaluates before it (order.go). The rest of the expression, with
// temporaries for the evaluated parts, is printed in its place.

// spill evaluates everything in e that suspends. If later suspensions follow in the same
// statement, it also evaluates what gc orders before them.
func (lo *lowering) spill(e ast.Expr, later bool) {
	e = ast.Unparen(e)
	if _, done := lo.evaluated[e]; done || lo.IsConstant(e) {
		return
	}
	if !lo.Suspends(e) {
		if later {
			lo.settle(e)
		}
		return
	}
	if to := lo.Kept[e]; to != nil {
		lo.makeKept(e, to)
		return
	}
	switch x := e.(type) {
	case *ast.CallExpr:
		if lo.Points[x] != nil {
			lo.evaluate(x)
			return
		}
		if lo.measuresArray(x) {
			lo.spillMeasured(x)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			lo.spillLogical(x)
			return
		}
	case *ast.CompositeLit:
		if typeset.MapType(lo.TypeOf(x)) != nil {
			lo.spillMap(x)
			return
		}
	}
	moves := later && lo.moves(e)
	lo.spillAll(lo.Operands(e), later && !moves)
	if moves {
		lo.copyOut(e)
	}
}

// spillAll spills operands that are evaluated one after another.
func (lo *lowering) spillAll(ops []analyse.Operand, later bool) {
	last := -1
	for i, o := range ops {
		if lo.Suspends(o.Expr) {
			last = i
		}
	}
	for i, o := range ops {
		lo.spillOperand(o, later || i < last)
	}
	if later {
		lo.copyCompared(ops)
	}
}

// copyCompared copies the operands of a comparison once both have been evaluated, in contrast to
// all other operands.
func (lo *lowering) copyCompared(ops []analyse.Operand) {
	for _, o := range ops {
		if lo.comparedAsIs(o) && lo.wantsTemp(o) {
			lo.copyOut(ast.Unparen(o.Expr))
		}
	}
}

func (lo *lowering) spillOperand(o analyse.Operand, later bool) {
	if o.Assigned {
		lo.spillAll(lo.parts(o.Expr), later)
		return
	}
	lo.spill(o.Expr, later)
	if later && (o.Copied || lo.isKnownReceiver(o)) {
		lo.copyCallee(o)
		return
	}
	if later && !lo.comparedAsIs(o) && lo.wantsTemp(o) {
		lo.copyOut(ast.Unparen(o.Expr))
	}
}

// settle evaluates the parts that gc moves out of e; e does not suspend.
func (lo *lowering) settle(e ast.Expr) {
	e = ast.Unparen(e)
	if _, done := lo.evaluated[e]; done || lo.IsConstant(e) {
		return
	}
	if lo.moves(e) {
		lo.copyOut(e)
		return
	}
	ops := lo.Operands(e)
	for _, o := range ops {
		if o.Assigned {
			continue
		}
		lo.settle(o.Expr)
		if !lo.comparedAsIs(o) && lo.wantsTemp(o) {
			lo.copyOut(ast.Unparen(o.Expr))
		}
	}
	lo.copyCompared(ops)
}

// copyOut evaluates e into a temporary, or several if it has several values.
func (lo *lowering) copyOut(e ast.Expr) {
	if _, done := lo.evaluated[e]; done {
		return
	}
	if b := lo.bindings[e]; b != nil {
		lo.bind(e, b)
		return
	}
	temps := lo.tempsFor(e)
	i := &ir.Assign{Src: lo.withSpelledType(e), Typed: lo.needsType(e)}
	for _, v := range temps {
		i.Dst = append(i.Dst, ir.Dest{V: v, Declares: true})
	}
	lo.add(i)
	lo.evaluated[e] = temps
}

// needsType reports whether e, on its own, could have another type than in its place: untyped
// booleans and similar values take their type from the context.
func (lo *lowering) needsType(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr, *ast.TypeAssertExpr, *ast.SliceExpr, *ast.CompositeLit, *ast.IndexExpr, *ast.SelectorExpr, *ast.FuncLit:
		return false
	case *ast.UnaryExpr:
		return e.Op != token.ARROW
	}
	return true
}

// withSpelledType returns e with its type spelled out if the source leaves the type to the
// surrounding literal.
func (lo *lowering) withSpelledType(e ast.Expr) ir.Rope {
	lit, ok := e.(*ast.CompositeLit)
	if !ok || lit.Type != nil {
		return lo.expr(e)
	}
	t, prefix := lo.TypeOf(lit), ""
	if ptr, ok := typeset.Core(t).(*types.Pointer); ok {
		t, prefix = ptr.Elem(), "&"
	}
	return append(ir.Rope{ir.Text(prefix), ir.TypeText(t, lit)}, lo.expr(e)...)
}

// tempsFor makes a temporary for each value of e.
func (lo *lowering) tempsFor(e ast.Expr) []*ir.Variable {
	typs := []types.Type{lo.TypeOf(e)}
	if tuple, ok := typs[0].(*types.Tuple); ok {
		typs = nil
		for v := range tuple.Variables() {
			typs = append(typs, v.Type())
		}
	}
	var list []*ir.Variable
	for _, t := range typs {
		v := lo.temp(lo.tempName(e), t)
		v.Of = e
		list = append(list, v)
	}
	return list
}

// temp creates a temporary. Its name ends in a number, to distinguish it from the user's names.
func (lo *lowering) temp(stem string, t types.Type) *ir.Variable {
	v := &ir.Variable{Name: stem, Type: types.Default(t)}
	lo.all = append(lo.all, v)
	return v
}

// tempName returns the stem for the name of e's value: the called function, or the kind of the
// operation.
func (lo *lowering) tempName(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if lo.IsConversion(e) {
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

// spillLogical spills && and ||. The right operand is evaluated only if the left one does not
// decide.
func (lo *lowering) spillLogical(e *ast.BinaryExpr) {
	v := lo.temp("cond", lo.TypeOf(e))
	end := lo.label("cond")
	lo.spill(e.X, false)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: lo.value(e.X), Typed: true})
	lo.add(&ir.Branch{Cond: ir.Rope{ir.Use(v)}, Not: e.Op == token.LAND, To: end})
	lo.spill(e.Y, false)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v}}, Src: lo.value(e.Y)})
	lo.add(&ir.Mark{Label: end})
	lo.evaluated[e] = []*ir.Variable{v}
}

// value returns e after spilling: a temporary, or the rest of e.
func (lo *lowering) value(e ast.Expr) ir.Rope {
	if temps, ok := lo.evaluated[ast.Unparen(e)]; ok {
		return mentions(temps)
	}
	return lo.withSpelledType(e)
}

// spillMap builds a map entry by entry, as gc does: first the constant entries, then the others
// in their order.
func (lo *lowering) spillMap(lit *ast.CompositeLit) {
	v := lo.temp("lit", lo.TypeOf(lit))
	var constant, dynamic []*ast.KeyValueExpr
	for _, e := range lit.Elts {
		kv := e.(*ast.KeyValueExpr)
		if lo.isStatic(kv.Key) && lo.isStatic(kv.Value) {
			constant = append(constant, kv)
		} else {
			dynamic = append(dynamic, kv)
		}
	}
	src := ir.Rope{ir.TypeText(v.Type, lit), ir.Text("{")}
	for _, kv := range constant {
		src = append(src, lo.expr(kv)...)
		src = append(src, ir.Text(", "))
	}
	src = append(src, ir.Text("}"))
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: src})
	t := typeset.MapType(lo.TypeOf(lit))
	for _, kv := range dynamic {
		lo.spillAll([]analyse.Operand{
			{Expr: kv.Key, To: t.Key(), Key: t},
			{Expr: kv.Value, To: t.Elem()},
		}, false)
		place := append(ir.Rope{ir.Use(v), ir.Text("[")}, lo.value(kv.Key)...)
		lo.add(&ir.Assign{Dst: []ir.Dest{{Place: append(place, ir.Text("]"))}}, Src: lo.value(kv.Value)})
	}
	lo.evaluated[lit] = []*ir.Variable{v}
}

// isStatic reports whether e is a constant or a literal of constants.
func (lo *lowering) isStatic(e ast.Expr) bool {
	e = ast.Unparen(e)
	if lo.IsConstant(e) || lo.Info.Types[e].IsNil() {
		return true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch typeset.Core(lo.TypeOf(lit)).(type) {
	case *types.Struct, *types.Array:
	default:
		return false
	}
	for _, elem := range lit.Elts {
		if kv, ok := elem.(*ast.KeyValueExpr); ok {
			elem = kv.Value
		}
		if !lo.isStatic(elem) {
			return false
		}
	}
	return true
}

// The length of an array is known from its type, so the array is not evaluated where only its
// length is needed: by len, cap, and a range that does not use the values. But it is evaluated
// if it contains a call or a receive. Moving those before the expression would leave none in it,
// and the rest, perhaps a division by zero, would not happen. So the array is evaluated first.
// Source, then its parts in the order in which they are evaluated, each with its result:
//
//	n := len([2]int{x / y, f()}) + 1
//
//	f()                  v1 := […]                  // what f returns after the suspension
//	[2]int{x / y, v1}    v2 := [2]int{x / y, v1}
//	len(v2)              v3 := len(v2)              // not a constant, as before
//	n := v3 + 1          n := v3 + 1

// measuresArray reports whether call returns the length of an array that contains a suspension.
func (lo *lowering) measuresArray(call *ast.CallExpr) bool {
	name, ok := lo.Builtin(call.Fun)
	return ok && (name == "len" || name == "cap") && arrayOf(lo.TypeOf(call.Args[0])) != nil && lo.Suspends(call.Args[0])
}

func (lo *lowering) spillMeasured(call *ast.CallExpr) {
	array := ast.Unparen(call.Args[0])
	lo.spill(array, false)
	lo.copyOut(array)
	lo.copyOut(call)
}

// arrayOf returns the array type, of known length, of a value of type t or of its target, or nil.
func arrayOf(t types.Type) *types.Array {
	core := typeset.Core(t)
	if ptr, ok := core.(*types.Pointer); ok {
		core = typeset.Core(ptr.Elem())
	}
	array, _ := core.(*types.Array)
	return array
}
