package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Operand is a part of an expression or statement, and how gc uses it there.
type Operand struct {
	Expr     ast.Expr
	To       types.Type       // the type to which it is converted, perhaps implicitly
	Key      *types.Map       // the map of which it is a key
	Compared bool             // by == and the like
	Copied   bool             // it is called, and copied before the arguments
	Method   *types.Selection // the method of which it is the receiver
	PutOff   bool             // it belongs to the call of a go or defer statement
	Bound    bool             // it is a bound of a slice expression
	Assigned bool             // a left-hand side: only its parts are evaluated
}

func operands(list []ast.Expr) []Operand {
	var ops []Operand
	for _, e := range list {
		if e != nil {
			ops = append(ops, Operand{Expr: e})
		}
	}
	return ops
}

// calleeOperands returns the called function value, or the receiver of a method.
func (fs *Facts) calleeOperands(fun ast.Expr) []Operand {
	sel, ok := fun.(*ast.SelectorExpr)
	s := fs.Info.Selections[sel]
	switch {
	case !ok || s == nil || s.Kind() != types.MethodVal:
		return []Operand{{Expr: fun, Copied: fs.copiesCallee(fun)}}
	case types.IsInterface(s.Obj().(*types.Func).Signature().Recv().Type()) && !typeset.IsParam(s.Recv()):
		return []Operand{{Expr: sel.X, Copied: fs.copiesCallee(sel.X), Method: s}}
	}
	return fs.Operands(fun)
}

// copiesCallee reports whether gc copies the callee e before the arguments. A new in e is no
// reason to do so, since it is unobservable (typecheck.RewriteNonNameCall).
func (fs *Facts) copiesCallee(e ast.Expr) bool { return fs.HasCall(e, "new") }

// HasCall reports whether e contains a receive or a call, including calls of predeclared
// functions except those named in but. Conversions and constants do not count.
func (fs *Facts) HasCall(e ast.Expr, but ...string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name, _ := fs.Builtin(n.Fun)
			found = found || !fs.IsConversion(n) && !fs.IsConstant(n) && !slices.Contains(but, name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// Operands returns the parts of e that are evaluated before it, in gc's order.
func (fs *Facts) Operands(e ast.Expr) []Operand {
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
		return fs.sliceOperands(e)
	case *ast.SelectorExpr:
		return fs.selectorOperands(e)
	case *ast.IndexExpr:
		return fs.indexOperands(e)
	case *ast.BinaryExpr:
		return fs.binaryOperands(e)
	case *ast.CallExpr:
		return fs.CallOperands(e)
	case *ast.CompositeLit:
		return fs.LiteralOperands(e)
	}
	return nil // names, literals, function literals, types
}

// sliceOperands returns the operands of a slice expression. Bounds are copied as they are
// evaluated, except for names (cheapExpr); the sliced operand is not copied.
func (fs *Facts) sliceOperands(e *ast.SliceExpr) []Operand {
	ops := []Operand{{Expr: e.X}}
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			ops = append(ops, Operand{Expr: bound, Bound: true})
		}
	}
	return ops
}

func (fs *Facts) selectorOperands(e *ast.SelectorExpr) []Operand {
	s := fs.Info.Selections[e]
	if s == nil || s.Kind() == types.MethodExpr {
		return nil // a name of another package, T.Method
	}
	return operands([]ast.Expr{e.X})
}

func (fs *Facts) indexOperands(e *ast.IndexExpr) []Operand {
	if tv := fs.Info.Types[e.Index]; tv.IsType() {
		return nil // an instance of a generic function
	}
	index := Operand{Expr: e.Index}
	if m := typeset.MapType(fs.TypeOf(e.X)); m != nil {
		index.Key, index.To = m, m.Key()
	}
	return []Operand{{Expr: e.X}, index}
}

func (fs *Facts) binaryOperands(e *ast.BinaryExpr) []Operand {
	x, y := Operand{Expr: e.X}, Operand{Expr: e.Y}
	switch e.Op {
	case token.EQL, token.NEQ:
		x.Compared, y.Compared = true, true
		switch xi, yi := types.IsInterface(fs.TypeOf(e.X)), types.IsInterface(fs.TypeOf(e.Y)); {
		case xi && !yi:
			y.To = fs.TypeOf(e.X)
		case yi && !xi:
			x.To = fs.TypeOf(e.Y)
		case types.AssignableTo(fs.TypeOf(e.X), fs.TypeOf(e.Y)):
			x.To = fs.TypeOf(e.Y)
		default:
			y.To = fs.TypeOf(e.X)
		}
	}
	return []Operand{x, y}
}

// PutOffOperands returns the operands of the call of a go or defer statement.
func (fs *Facts) PutOffOperands(call *ast.CallExpr) []Operand {
	ops := fs.CallOperands(call)
	for i := range ops {
		ops[i].PutOff = true
	}
	return ops
}

// CallOperands returns the operands of a call: first a method's receiver or a function value,
// then the arguments, converted to the types of the parameters.
func (fs *Facts) CallOperands(call *ast.CallExpr) []Operand {
	fun := ast.Unparen(call.Fun)
	if tv := fs.Info.Types[fun]; tv.IsType() {
		return []Operand{{Expr: call.Args[0], To: tv.Type}}
	}
	if name, ok := fs.Builtin(fun); ok {
		return fs.builtinOperands(name, call)
	}
	ops := fs.calleeOperands(fun)
	sig, ok := typeset.Core(fs.TypeOf(fun)).(*types.Signature)
	if !ok {
		return append(ops, operands(call.Args)...)
	}
	for i, arg := range call.Args {
		o := Operand{Expr: arg}
		if len(call.Args) == sig.Params().Len() || sig.Variadic() {
			o.To = paramType(sig, i, call.Ellipsis.IsValid())
		}
		ops = append(ops, o)
	}
	return ops
}

// paramType returns the type to which argument i is converted.
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

func (fs *Facts) builtinOperands(name string, call *ast.CallExpr) []Operand {
	var ops []Operand
	for i, arg := range call.Args {
		o := Operand{Expr: arg}
		switch {
		case fs.Info.Types[arg].IsType():
			continue
		case name == "append" && i > 0 && !call.Ellipsis.IsValid():
			if slice, ok := typeset.Core(fs.TypeOf(call.Args[0])).(*types.Slice); ok {
				o.To = slice.Elem()
			}
		case name == "delete" && i == 1:
			if m := typeset.MapType(fs.TypeOf(call.Args[0])); m != nil {
				o.Key, o.To = m, m.Key()
			}
		case name == "panic":
			o.To = types.Universe.Lookup("any").Type()
		}
		ops = append(ops, o)
	}
	return ops
}

// LiteralOperands returns the operands of a composite literal. Maps are built entry by entry
// (see spillMap); this order is for maps that are evaluated as a whole.
func (fs *Facts) LiteralOperands(lit *ast.CompositeLit) []Operand {
	t := fs.TypeOf(lit)
	if ptr, ok := typeset.Core(t).(*types.Pointer); ok && lit.Type == nil {
		t = ptr.Elem()
	}
	var ops []Operand
	for i, e := range lit.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		o := Operand{Expr: e}
		if keyed {
			o.Expr = kv.Value
		}
		switch t := typeset.Core(t).(type) {
		case *types.Struct:
			o.To = fieldType(t, kv, i)
		case *types.Array:
			o.To = t.Elem()
		case *types.Slice:
			o.To = t.Elem()
		case *types.Map:
			o.To = t.Elem()
			ops = append(ops, Operand{Expr: kv.Key, To: t.Key(), Key: t})
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
