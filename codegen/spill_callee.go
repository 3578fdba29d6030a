package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Callees and method values: gc copies some of them early that it reads late as other
// operands.
//
//	list[i](f())               reads list and i after f
//	list[len(list)-1](f())     reads all of it before f: calls are copied (RewriteNonNameCall)
//	pair(x.M, f())             reads x after f, unless gc makes x.M a literal, which captures x

// calleeOperands are the function value that is called, or the receiver of a method.
func (u *unit) calleeOperands(fun ast.Expr) []operandOf {
	sel, ok := fun.(*ast.SelectorExpr)
	s := u.info.Selections[sel]
	switch {
	case !ok || s == nil || s.Kind() != types.MethodVal:
		return []operandOf{{expr: fun, copied: u.copiesCallee(fun)}}
	case types.IsInterface(s.Obj().(*types.Func).Signature().Recv().Type()) && !isTypeParam(s.Recv()):
		return []operandOf{{expr: sel.X, copied: u.copiesCallee(sel.X), method: s}}
	}
	return u.operands(fun)
}

// copiesCallee reports whether gc copies the callee e before the arguments. A new in e
// is no reason to: it is unobservable (typecheck.RewriteNonNameCall).
func (u *unit) copiesCallee(e ast.Expr) bool { return u.hasCall(e, "new") }

// hasCall reports whether e holds a receive or a call, also of a predeclared function,
// except those of some names. Conversions and constants do not count.
func (u *unit) hasCall(e ast.Expr, but ...string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name, _ := u.builtin(n.Fun)
			found = found || !u.isConversion(n) && !u.isConstant(n) && !slices.Contains(but, name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// hoistCopied copies the callee: for a method of an embedded interface, the interface.
func (u *unit) hoistCopied(o operandOf) {
	e := ast.Unparen(o.expr)
	if o.method == nil || len(o.method.Index()) == 1 {
		u.hoist(e)
		return
	}
	src, t := u.throughFields(e, o.method)
	v := u.temp("receiver", t)
	u.add(&assign{dst: []dest{{v: v, declares: true}}, src: src, typed: true})
	u.evaluated[e] = []*variable{v}
}

// throughFields is the embedded field of x that has the method selected from x, and the
// type of the field.
func (u *unit) throughFields(x ast.Expr, method *types.Selection) (rope, types.Type) {
	src := u.value(x)
	if _, follows := ast.Unparen(x).(*ast.StarExpr); follows {
		src = parenthesized(src)
	}
	t := u.typeOf(x)
	for _, field := range embeddedFields(t, method) {
		src, t = append(src, text("."+field.Name())), field.Type()
	}
	return src, t
}

// embeddedFields are those that lead from a type to what has the method selected from
// it.
func embeddedFields(t types.Type, method *types.Selection) []*types.Var {
	var list []*types.Var
	for _, i := range method.Index()[:len(method.Index())-1] {
		field := structOf(t).Field(i)
		list, t = append(list, field), field.Type()
	}
	return list
}

// movesMethodValue reports whether gc makes a function literal of the method value:
// where the method depends on a type parameter of the function, so that there is no
// function that could be named.
func (u *unit) movesMethodValue(e *ast.SelectorExpr) bool {
	s := u.info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	recv := s.Recv()
	for _, field := range embeddedFields(recv, s) {
		recv = field.Type()
	}
	if isTypeParam(recv) {
		return true
	}
	if ptr, ok := types.Unalias(recv).(*types.Pointer); ok {
		recv = ptr.Elem()
	}
	named, ok := types.Unalias(recv).(*types.Named)
	return ok && !types.IsInterface(named) && named.TypeArgs().Len() > 0 && u.isDerived(named)
}
