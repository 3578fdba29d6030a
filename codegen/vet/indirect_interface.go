package vet

import (
	"go/ast"
	"go/types"
)

// Calls through interfaces and type parameters; see indirect.go.

// method reports a call of a method of an interface or a type parameter if an implementation
// has a twin.
func (c *callCheck) method(call *ast.CallExpr, fn *types.Func) {
	what := "an interface"
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	if _, ok := types.Unalias(c.info.TypeOf(sel.X)).(*types.TypeParam); ok {
		what = "a type parameter"
	}
	recv := fn.Signature().Recv().Type()
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok {
		return
	}
	name := types.ExprString(call.Fun)
	if field := c.blockingField(sel.X); field != "" && fn.Name() == "Read" {
		c.report(call, fieldBlocks(name, field))
		return
	}
	c.noteCalled(c.region.decl, recv, fn)
	switch m := c.implementation(fn, iface, what); {
	case m == nil:
	case m.plain != nil:
		c.report(call, methodOfPlain(name, m.FullName(), *m.plain))
	default:
		c.report(call, methodBlocks(name, what, fn.Name(), m.FullName()))
	}
}

// implementation returns a blocking method that a call of the interface method fn may reach,
// preferably one with a twin.
func (c *callCheck) implementation(fn *types.Func, iface *types.Interface, what string) (found *implementation) {
	for i, m := range c.implementations {
		if m.Name() != fn.Name() || !c.implements(m.Func, iface, what) {
			continue
		}
		if m.plain == nil {
			return &c.implementations[i]
		}
		found = &c.implementations[i]
	}
	return found
}

// implements reports whether the type with the method m may be used as an iface.
func (c *callCheck) implements(m *types.Func, iface *types.Interface, what string) bool {
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

// arguments reports arguments of a function that has no twin, and therefore calls plain forms.
func (c *callCheck) arguments(call *ast.CallExpr, fn *types.Func) {
	if ours(fn.Pkg()) {
		return
	}
	for i, arg := range call.Args {
		param := parameter(fn.Signature(), i, call.Ellipsis.IsValid())
		if param == nil {
			return
		}
		iface, ok := param.Underlying().(*types.Interface)
		given := c.info.TypeOf(arg)
		if !ok || given == nil {
			continue
		}
		if field := c.blockingField(arg); field != "" && declares(iface, "Read") {
			c.report(arg, fieldBlocks(types.ExprString(call.Fun), field))
			return
		}
		if types.IsInterface(given) && iface.NumMethods() > 0 {
			c.reader(call, fn, param, arg)
		}
		c.reportArgument(call, fn, iface, arg)
	}
}

// blockingField returns the name of the field e if it is one of blockingFields.
func (c *callCheck) blockingField(e ast.Expr) string {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x := types.Unalias(c.info.TypeOf(sel.X))
	if ptr, ok := x.(*types.Pointer); ok {
		x = types.Unalias(ptr.Elem())
	}
	if named, ok := x.(*types.Named); ok && blockingFields[typeName(named)+"."+sel.Sel.Name] {
		return named.Obj().Name() + "." + sel.Sel.Name
	}
	return ""
}

// parameter returns the type of the parameter for argument i, or nil.
func parameter(sig *types.Signature, i int, spread bool) types.Type {
	n := sig.Params().Len()
	if n == 0 {
		return nil
	}
	param := sig.Params().At(min(i, n-1)).Type()
	if last, ok := param.Underlying().(*types.Slice); ok && sig.Variadic() && i >= n-1 && !spread {
		return last.Elem()
	}
	return param
}

// reportArgument reports an argument that has a blocking method which the callee calls.
func (c *callCheck) reportArgument(call *ast.CallExpr, fn *types.Func, iface *types.Interface, arg ast.Expr) {
	name, given := types.ExprString(call.Fun), c.info.TypeOf(arg)
	for _, m := range methodsCalled(fn, iface) {
		obj, _, _ := types.LookupFieldOrMethod(given, true, c.survey.pass.Pkg, m)
		method, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if c.twins.TwinIn(given, m, c.survey.pass.Pkg) != nil {
			if !declares(iface, m+asyncSuffix) && !types.IsInterface(given) {
				c.report(arg, givenBlocks(name, m, method.FullName()))
				return
			}
			continue
		}
		if r := c.blocks(method); r != nil {
			c.report(arg, givenPlain(name, method.FullName(), r.Calls))
			return
		}
		if blockers[tableKey(method)] != "" && tableKey(method) != "os.File.Write" && fn.Pkg() != c.survey.pass.Pkg {
			c.report(arg, givenPlain(name, method.FullName(), m))
			return
		}
	}
}

// dynamic are the functions, by package, that accept any type and call methods that the value
// happens to have.
var dynamic = map[string][]string{
	"fmt":           {"String", "Error", "Format", "GoString", "Scan"},
	"log":           {"String", "Error", "Format", "GoString"},
	"log/slog":      {"LogValue", "String", "Error"},
	"errors":        {"Is", "As", "Unwrap"},
	"encoding/json": {"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText"},
	"encoding/xml":  {"MarshalXML", "MarshalText", "UnmarshalXML", "UnmarshalText"},
	"encoding/gob":  {"GobEncode", "GobDecode", "MarshalBinary", "UnmarshalBinary"},
}

// methodsCalled returns the methods of an argument that fn may call.
func methodsCalled(fn *types.Func, iface *types.Interface) []string {
	var names []string
	for m := range iface.Methods() {
		names = append(names, m.Name())
	}
	if fn.Pkg() != nil && len(names) == 0 {
		names = dynamic[fn.Pkg().Path()]
	}
	return names
}

func declares(iface *types.Interface, name string) bool {
	for m := range iface.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

// reader reports an interface value that is passed to a function of another package, if one
// of the interface's implementations has a twin.
func (c *callCheck) reader(call *ast.CallExpr, fn *types.Func, param types.Type, arg ast.Expr) {
	if fn.Pkg() == c.survey.pass.Pkg {
		return
	}
	iface := param.Underlying().(*types.Interface)
	for m := range iface.Methods() {
		if c.twins.TwinIn(param, m.Name(), m.Pkg()) != nil {
			continue
		}
		c.noteCalled(c.region.decl, param, m)
		switch has := c.implementation(m, iface, "an interface"); {
		case has == nil:
		case has.plain == nil:
			c.report(arg, givenBlocks(types.ExprString(call.Fun), m.Name(), has.FullName()))
			return
		case has.plain.Twin:
			c.report(arg, givenPlain(types.ExprString(call.Fun), has.FullName(), has.plain.Calls))
			return
		}
	}
}
