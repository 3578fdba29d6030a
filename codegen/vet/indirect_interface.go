package vet

import (
	"fmt"
	"go/ast"
	"go/types"
)

// Calls by way of interfaces and type parameters; see indirect.go.

// method reports a call of an interface's method, or of a type parameter's, one of whose
// implementations has a twin.
func (c *indirect) method(call *ast.CallExpr, fn *types.Func) {
	what := "an interface"
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	recv := c.info.TypeOf(sel.X)
	if _, ok := types.Unalias(recv).(*types.TypeParam); ok {
		what = "a type parameter"
	}
	iface, ok := fn.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return
	}
	for _, m := range c.implementations {
		if m.Name() == fn.Name() && c.implements(m, iface, what) {
			c.report(call, fmt.Sprintf("%s blocks the worker: it is a method of %s without %sAsync, and %s has a twin; declare both forms in the interface",
				types.ExprString(call.Fun), what, fn.Name(), m.FullName()))
			return
		}
	}
}

// implements reports whether the type with the method m may stand where iface does.
func (c *indirect) implements(m *types.Func, iface *types.Interface, what string) bool {
	named := m.Signature().Recv().Type()
	if what != "an interface" || typeParameters(named) {
		return true
	}
	if _, ok := named.(*types.Pointer); !ok {
		named = types.NewPointer(named)
	}
	return types.Implements(named, iface)
}

func typeParameters(t types.Type) bool {
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.TypeParams().Len() > 0
}

// arguments reports what a call gives to a function that has no twin, and so calls plain forms.
func (c *indirect) arguments(call *ast.CallExpr, fn *types.Func) {
	if ours(fn.Pkg()) {
		return
	}
	params := fn.Signature().Params()
	for i, arg := range call.Args {
		at := min(i, params.Len()-1)
		if at < 0 {
			return
		}
		param := params.At(at).Type()
		if last, ok := param.(*types.Slice); ok && fn.Signature().Variadic() && at == params.Len()-1 && !call.Ellipsis.IsValid() {
			param = last.Elem()
		}
		iface, ok := param.Underlying().(*types.Interface)
		given := c.info.TypeOf(arg)
		if !ok || given == nil {
			continue
		}
		if types.IsInterface(given) {
			c.reader(call, fn, iface, arg)
			continue
		}
		for m := range iface.Methods() {
			obj, _, _ := types.LookupFieldOrMethod(given, true, c.survey.pass.Pkg, m.Name())
			method, ok := obj.(*types.Func)
			if !ok || c.twins.Twin(method) == nil || c.twins.Twin(m) != nil {
				continue
			}
			c.report(arg, fmt.Sprintf("%s blocks the worker: it calls %s, which has a twin, by an interface that has not; call %s in a function marked "+
				"//movenext:async instead, or run this with job.Blocking", types.ExprString(call.Fun), method.Name(), method.Name()))
			break
		}
	}
}

// reader reports an interface that is given to a function of another package, where something
// that implements it has a twin.
func (c *indirect) reader(call *ast.CallExpr, fn *types.Func, iface *types.Interface, arg ast.Expr) {
	if fn.Pkg() == c.survey.pass.Pkg {
		return
	}
	for m := range iface.Methods() {
		for _, has := range c.implementations {
			if has.Name() == m.Name() && c.twins.Twin(m) == nil && c.implements(has, iface, "an interface") {
				c.report(arg, fmt.Sprintf("%s blocks the worker: it calls %s by an interface without %sAsync, and %s has a twin; call %s in a function marked "+
					"//movenext:async instead, or run this with job.Blocking", types.ExprString(call.Fun), m.Name(), m.Name(), has.FullName(), m.Name()))
				return
			}
		}
	}
}
