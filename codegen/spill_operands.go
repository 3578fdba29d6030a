package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// operands are the parts of e that are evaluated before it, in gc's order.
func (u *unit) operands(e ast.Expr) []operandOf {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return operands([]ast.Expr{e.X})
	case *ast.UnaryExpr:
		return operands([]ast.Expr{e.X})
	case *ast.StarExpr:
		return operands([]ast.Expr{e.X})
	case *ast.TypeAssertExpr:
		return operands([]ast.Expr{e.X})
	case *ast.SliceExpr:
		return u.sliceOperands(e)
	case *ast.SelectorExpr:
		return u.selectorOperands(e)
	case *ast.IndexExpr:
		return u.indexOperands(e)
	case *ast.BinaryExpr:
		return u.binaryOperands(e)
	case *ast.CallExpr:
		return u.callOperands(e)
	case *ast.CompositeLit:
		return u.literalOperands(e)
	}
	return nil // names, literals, function literals, types
}

// sliceOperands: the bounds are copied as they are evaluated, except for names
// (cheapExpr); the sliced operand is not.
func (u *unit) sliceOperands(e *ast.SliceExpr) []operandOf {
	ops := []operandOf{{expr: e.X}}
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			ops = append(ops, operandOf{expr: bound, bound: true})
		}
	}
	return ops
}

// parts are the operands of a left-hand side that are evaluated before the assignment.
func (u *unit) parts(lhs ast.Expr) []operandOf {
	return u.operands(ast.Unparen(lhs))
}

func (u *unit) selectorOperands(e *ast.SelectorExpr) []operandOf {
	s := u.info.Selections[e]
	if s == nil || s.Kind() == types.MethodExpr {
		return nil // a name of another package, T.Method
	}
	return operands([]ast.Expr{e.X})
}

func (u *unit) indexOperands(e *ast.IndexExpr) []operandOf {
	if tv := u.info.Types[e.Index]; tv.IsType() {
		return nil // an instance of a generic function
	}
	index := operandOf{expr: e.Index}
	if m := mapType(u.typeOf(e.X)); m != nil {
		index.key, index.to = m, m.Key()
	}
	return []operandOf{{expr: e.X}, index}
}

func (u *unit) binaryOperands(e *ast.BinaryExpr) []operandOf {
	x, y := operandOf{expr: e.X}, operandOf{expr: e.Y}
	switch e.Op {
	case token.EQL, token.NEQ:
		x.compared, y.compared = true, true
		switch xi, yi := types.IsInterface(u.typeOf(e.X)), types.IsInterface(u.typeOf(e.Y)); {
		case xi && !yi:
			y.to = u.typeOf(e.X)
		case yi && !xi:
			x.to = u.typeOf(e.Y)
		case types.AssignableTo(u.typeOf(e.X), u.typeOf(e.Y)):
			x.to = u.typeOf(e.Y)
		default:
			y.to = u.typeOf(e.X)
		}
	}
	return []operandOf{x, y}
}

// callOperands: a method's receiver or a function value comes first, then the
// arguments, converted to the types of the parameters.
func (u *unit) callOperands(call *ast.CallExpr) []operandOf {
	fun := ast.Unparen(call.Fun)
	if tv := u.info.Types[fun]; tv.IsType() {
		return []operandOf{{expr: call.Args[0], to: tv.Type}}
	}
	if name, ok := u.builtin(fun); ok {
		return u.builtinOperands(name, call)
	}
	ops := u.calleeOperands(fun)
	sig, ok := typeset.Core(u.typeOf(fun)).(*types.Signature)
	if !ok {
		return append(ops, operands(call.Args)...)
	}
	for i, arg := range call.Args {
		o := operandOf{expr: arg}
		if len(call.Args) == sig.Params().Len() || sig.Variadic() {
			o.to = paramType(sig, i, call.Ellipsis.IsValid())
		}
		ops = append(ops, o)
	}
	return ops
}

// paramType is the type that argument i is converted to.
func paramType(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	if !sig.Variadic() || i < n-1 {
		return sig.Params().At(i).Type()
	}
	last := sig.Params().At(n - 1).Type()
	if slice, ok := last.Underlying().(*types.Slice); ok && !spread {
		return slice.Elem()
	}
	return last
}

func (u *unit) builtinOperands(name string, call *ast.CallExpr) []operandOf {
	var ops []operandOf
	for i, arg := range call.Args {
		o := operandOf{expr: arg}
		switch {
		case u.info.Types[arg].IsType():
			continue
		case name == "append" && i > 0 && !call.Ellipsis.IsValid():
			if slice, ok := typeset.Core(u.typeOf(call.Args[0])).(*types.Slice); ok {
				o.to = slice.Elem()
			}
		case name == "delete" && i == 1:
			if m := mapType(u.typeOf(call.Args[0])); m != nil {
				o.key, o.to = m, m.Key()
			}
		case name == "panic":
			o.to = types.Universe.Lookup("any").Type()
		}
		ops = append(ops, o)
	}
	return ops
}

// literalOperands: maps are made entry by entry (see spillMap); this order is for
// maps that are evaluated as a whole.
func (u *unit) literalOperands(lit *ast.CompositeLit) []operandOf {
	t := u.typeOf(lit)
	if ptr, ok := typeset.Core(t).(*types.Pointer); ok && lit.Type == nil {
		t = ptr.Elem()
	}
	var ops []operandOf
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		o := operandOf{expr: e}
		if keyed {
			o.expr = kv.Value
		}
		switch t := typeset.Core(t).(type) {
		case *types.Struct:
			o.to = fieldType(t, kv, i)
		case *types.Array:
			o.to = t.Elem()
		case *types.Slice:
			o.to = t.Elem()
		case *types.Map:
			o.to = t.Elem()
			ops = append(ops, operandOf{expr: kv.Key, to: t.Key(), key: t})
		}
		ops = append(ops, o)
	}
	return ops
}

func fieldType(t *types.Struct, kv *ast.KeyValueExpr, i int) types.Type {
	if kv == nil {
		return t.Field(i).Type()
	}
	name := kv.Key.(*ast.Ident).Name
	for f := range t.Fields() {
		if f.Name() == name {
			return f.Type()
		}
	}
	return nil
}

func isMap(t types.Type) bool { return mapType(t) != nil }

// mapType is the map that a value of type t is, or nil.
func mapType(t types.Type) *types.Map {
	m, _ := typeset.Core(t).(*types.Map)
	return m
}

func isString(t types.Type) bool { return isBasicInfo(t, types.IsString) }

func isBasicInfo(t types.Type, info types.BasicInfo) bool {
	return typeset.Always(t, func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Info()&info != 0
	})
}

func isBasic(t types.Type, kind types.BasicKind) bool {
	return typeset.Always(t, func(t types.Type) bool {
		b, ok := t.(*types.Basic)
		return ok && b.Kind() == kind
	})
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
