package vet

import (
	"go/ast"
	"go/types"
	"slices"
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
	if _, ok := types.Unalias(c.info.TypeOf(sel.X)).(*types.TypeParam); ok {
		what = "a type parameter"
	}
	recv := fn.Signature().Recv().Type()
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok {
		return
	}
	name := types.ExprString(call.Fun)
	c.noteCalled(c.region.decl, recv, fn)
	switch m := c.implementation(fn, iface, what); {
	case m == nil:
	case m.plain != nil:
		c.report(call, methodOfPlain(name, m.FullName(), *m.plain))
	default:
		c.report(call, methodBlocks(name, what, fn.Name(), m.FullName()))
	}
}

// implementation is a method that blocks and that a call of fn, of the interface, may reach: one with a twin
// if there is one.
func (c *indirect) implementation(fn *types.Func, iface *types.Interface, what string) (found *implementation) {
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
		if types.IsInterface(given) && iface.NumMethods() > 0 {
			c.reader(call, fn, param, arg)
		}
		c.given(call, fn, iface, arg)
	}
}

// parameter is the type of what the argument with the index i is assigned to, or nil.
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

// given reports an argument one of whose methods the callee calls, and which blocks.
func (c *indirect) given(call *ast.CallExpr, fn *types.Func, iface *types.Interface, arg ast.Expr) {
	name, given := types.ExprString(call.Fun), c.info.TypeOf(arg)
	for _, m := range methodsCalled(fn, iface) {
		obj, _, _ := types.LookupFieldOrMethod(given, true, c.survey.pass.Pkg, m)
		method, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if c.twins.Twin(method) != nil && !declares(iface, m+asyncSuffix) {
			if !types.IsInterface(given) {
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

// dynamic are the functions that take anything and call methods which it happens to have, by package.
var dynamic = map[string][]string{
	"fmt":           {"String", "Error", "Format", "GoString", "Scan"},
	"log":           {"String", "Error", "Format", "GoString"},
	"log/slog":      {"LogValue", "String", "Error"},
	"errors":        {"Is", "As", "Unwrap"},
	"encoding/json": {"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText"},
	"encoding/xml":  {"MarshalXML", "MarshalText", "UnmarshalXML", "UnmarshalText"},
	"encoding/gob":  {"GobEncode", "GobDecode", "MarshalBinary", "UnmarshalBinary"},
}

// methodsCalled are the methods of an argument that fn may call.
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

// reader reports an interface that is given to a function of another package, where something
// that implements it has a twin.
func (c *indirect) reader(call *ast.CallExpr, fn *types.Func, param types.Type, arg ast.Expr) {
	if fn.Pkg() == c.survey.pass.Pkg {
		return
	}
	iface := param.Underlying().(*types.Interface)
	for m := range iface.Methods() {
		if c.twins.Twin(m) != nil {
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

// conversions reports, wherever they are, values that become what a machine of another package
// calls by an interface without a twin, or as a func value.
func (c *indirect) conversions() {
	if len(c.facts.calls) == 0 {
		return
	}
	for _, file := range c.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.callConverts(n)
			case *ast.AssignStmt:
				for i := range min(len(n.Lhs), len(n.Rhs)) {
					c.converts(n.Rhs[i], c.info.TypeOf(n.Lhs[i]), nil)
				}
			case *ast.ValueSpec:
				for i := range min(len(n.Names), len(n.Values)) {
					c.converts(n.Values[i], c.info.TypeOf(n.Names[i]), nil)
				}
			case *ast.CompositeLit:
				c.literalConverts(n)
			}
			return true
		})
	}
}

func (c *indirect) callConverts(call *ast.CallExpr) {
	tv := c.info.Types[call.Fun]
	if tv.IsType() && len(call.Args) == 1 {
		c.converts(call.Args[0], tv.Type, nil)
		return
	}
	fn := c.callee(call)
	sig, ok := coreOf(tv.Type).(*types.Signature)
	if !ok || fn == nil || fn.Pkg() == nil {
		return
	}
	for i, arg := range call.Args {
		if param := parameter(sig, i, call.Ellipsis.IsValid()); param != nil {
			c.converts(arg, param, fn.Pkg())
		}
	}
	args, params := c.info.Instances[nameIn(uninstantiated(call.Fun))].TypeArgs, fn.Signature().TypeParams()
	for i := range min(args.Len(), params.Len()) {
		c.becomes(call.Fun, args.At(i), params.At(i).Constraint(), fn.Pkg())
	}
}

func (c *indirect) literalConverts(lit *ast.CompositeLit) {
	of, ok := coreOf(c.info.TypeOf(lit)).(*types.Struct)
	if !ok {
		return
	}
	var pkg *types.Package
	if named, ok := types.Unalias(c.info.TypeOf(lit)).(*types.Named); ok {
		pkg = named.Obj().Pkg()
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if field, ok := c.info.ObjectOf(kv.Key.(*ast.Ident)).(*types.Var); ok {
				c.converts(kv.Value, field.Type(), pkg)
			}
		} else if i < of.NumFields() {
			c.converts(e, of.Field(i).Type(), pkg)
		}
	}
}

// converts looks at the value e, which becomes a target; pkg is the package that it goes to, or nil.
func (c *indirect) converts(e ast.Expr, target types.Type, pkg *types.Package) {
	given := c.info.TypeOf(e)
	if given == nil || target == nil || types.IsInterface(given) {
		return
	}
	c.becomes(e, given, target, pkg)
	if fn := c.named(ast.Unparen(e)); fn != nil {
		sig, ok := target.Underlying().(*types.Signature)
		if !ok {
			return
		}
		for _, call := range c.facts.calls {
			if call.Method == "" && call.Type == typeName(sig) && pkg != nil && call.Package == pkg.Path() {
				c.report(e, becomes(types.ExprString(e), "func value", call.By, "it", "let it take a func that returns a *job.Job, or an interface with both forms"))
				return
			}
		}
	}
}

// becomes reports a value of the type given that becomes a target which is called by what has no twin.
func (c *indirect) becomes(e ast.Node, given, target types.Type, pkg *types.Package) {
	iface, ok := target.Underlying().(*types.Interface)
	if !ok {
		return
	}
	for _, call := range c.facts.calls {
		if call.Method == "" || call.Type != typeName(target) || declares(iface, call.Method+asyncSuffix) {
			continue
		}
		if in := declaredIn(target); (in == nil || in.Path() != call.Package) && (pkg == nil || pkg.Path() != call.Package) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(given, true, c.survey.pass.Pkg, call.Method)
		m, ok := obj.(*types.Func)
		if !ok || c.twins.Twin(m) == nil && c.blocks(m) == nil || slices.Contains(c.facts.own, call) {
			continue
		}
		c.report(e, becomes(m.FullName(), types.TypeString(target, shortName), call.By, call.Method, "declare both forms in the interface, or in one that "+call.By+" takes"))
		return
	}
}

func shortName(pkg *types.Package) string { return pkg.Name() }

func declaredIn(t types.Type) *types.Package {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Pkg()
	}
	return nil
}
