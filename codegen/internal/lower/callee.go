package lower

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Callees and method values: gc copies some of them early that it would read late as other
// operands.
//
//	list[i](f())               reads list and i after f
//	list[len(list)-1](f())     reads all of it before f: calls are copied (RewriteNonNameCall)
//	pair(x.M, f())             reads x after f, unless gc makes x.M a literal, which captures x
//	I(x).M(f())                reads x before f, in most cases: see isKnownReceiver

// copyCallee copies the callee: for a method of an embedded interface, the interface.
func (lo *lowering) copyCallee(o analyse.Operand) {
	e := ast.Unparen(o.Expr)
	if o.Method == nil || len(o.Method.Index()) == 1 {
		lo.copyOut(e)
		return
	}
	src, t := lo.throughFields(e, o.Method)
	v := lo.temp("receiver", t)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: src, Typed: true})
	lo.evaluated[e] = []*ir.Variable{v}
}

// isKnownReceiver reports whether the operand is a receiver that is converted to an interface in
// place, from a type T that is not an interface. gc calls the method of T directly
// (devirtualize.StaticCall), and for that asserts that the interface holds a T. Such an assertion
// is moved out of the expression, like any other, unless T is direct: a pointer or a map. If T
// depends on a type parameter, gc does not know its method. gc leaves calls in go and defer
// statements alone, since they could otherwise panic too early.
func (lo *lowering) isKnownReceiver(o analyse.Operand) bool {
	if o.Method == nil || len(o.Method.Index()) > 1 || o.PutOff {
		return false
	}
	t := lo.TypeOf(lo.StripInterfaceConversions(o.Expr))
	return !types.IsInterface(t) && !lo.isDerived(t) && !lo.isDerived(lo.TypeOf(o.Expr)) && !lo.IsDirect(t)
}

// throughFields returns the embedded field of x that has the method selected from x, and the type
// of the field.
func (lo *lowering) throughFields(x ast.Expr, method *types.Selection) (ir.Rope, types.Type) {
	src := lo.value(x)
	if _, follows := ast.Unparen(x).(*ast.StarExpr); follows {
		src = parenthesize(src)
	}
	t := lo.TypeOf(x)
	for _, field := range source.EmbeddedFields(t, method.Index()) {
		src, t = append(src, ir.Text("."+field.Name())), field.Type()
	}
	return src, t
}

// movesMethodValue reports whether gc turns the method value into a function literal: it does if
// the method depends on a type parameter of the function, so that no function could be named.
func (lo *lowering) movesMethodValue(e *ast.SelectorExpr) bool {
	s := lo.Info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	recv := s.Recv()
	for _, field := range source.EmbeddedFields(recv, s.Index()) {
		recv = field.Type()
	}
	if typeset.IsParam(recv) {
		return true
	}
	if ptr, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	return ok && !types.IsInterface(named) && named.TypeArgs().Len() > 0 && lo.isDerived(named)
}

// Calls that are redirected to a function other than the one in the source: a twin, or an entry,
// which has one more argument.

// rename redirects call to another function, declared next to its callee. first, if not empty, is
// an additional first argument.
func (lo *lowering) rename(call *ast.CallExpr, method *types.Selection, to string, first ...ir.Piece) {
	lo.renameCallee(call, to)
	expression := method != nil && method.Kind() == types.MethodExpr
	switch {
	case len(first) == 0:
	case expression && len(lo.evaluated[ast.Unparen(call.Args[0])]) > 1:
		// T.M(g()), where g returns the receiver, too
		lo.between[ast.Unparen(call.Args[0])] = first
	default:
		lo.renamed[call] = []ir.Edit{lo.firstArgument(call, method, first)}
	}
}

// renameCallee replaces the name of the called function by to, which is declared next to it.
func (lo *lowering) renameCallee(call *ast.CallExpr, to string) {
	_, id, _ := source.Callee(call, lo.Info)
	lo.idents[id] = ir.Text(lo.spelledBeside(call, id, to))
}

// spelledBeside returns the spelling of the declaration called name that is next to the function
// that call names by id.
func (lo *lowering) spelledBeside(call *ast.CallExpr, id *ast.Ident, name string) string {
	if _, bare := source.StripInstantiation(call.Fun).(*ast.Ident); bare {
		if q := lo.qualifier(lo.Info.Uses[id]); q != "" { // a dot import
			return q + "." + name
		}
		if obj := lo.nearest(name, id.Pos()); obj != nil && obj.Parent() != lo.Source.Package.Types.Scope() {
			lo.refuse(hiddenTwin(lo.Source.Extent(id), name))
		}
	}
	return name
}

func (lo *lowering) firstArgument(call *ast.CallExpr, method *types.Selection, arg ir.Rope) ir.Edit {
	if method != nil && method.Kind() == types.MethodExpr {
		at := call.Args[0].End()
		return ir.Edit{Pos: at, End: at, With: append(ir.Rope{ir.Text(", ")}, arg...)}
	}
	at := call.Lparen + 1
	if len(call.Args) > 0 {
		arg = append(arg, ir.Text(", "))
	}
	return ir.Edit{Pos: at, End: at, With: arg}
}

// withBetween mentions the values of e, and inserts the text that must follow the first value.
func (lo *lowering) withBetween(e ast.Expr, temps []*ir.Variable) []ir.Piece {
	more, ok := lo.between[e]
	if !ok {
		return mentions(temps)
	}
	list := append(ir.Rope{ir.Use(temps[0]), ir.Text(", ")}, more...)
	return append(append(list, ir.Text(", ")), mentions(temps[1:])...)
}
