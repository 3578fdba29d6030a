package vet

import (
	"go/ast"
	"go/types"
	"slices"
)

// Values whose types have twins, and which reach machines in other packages that call the
// plain forms; see facts.go.

// conversions reports values, anywhere in the package, that are converted to an interface or
// a func value through which a machine of another package calls the plain form.
func (c *callCheck) conversions() {
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

func (c *callCheck) callConverts(call *ast.CallExpr) {
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
	args, params := c.info.Instances[nameIn(stripInstantiation(call.Fun))].TypeArgs, fn.Signature().TypeParams()
	for i := range min(args.Len(), params.Len()) {
		c.becomes(call.Fun, args.At(i), params.At(i).Constraint(), fn.Pkg())
	}
}

func (c *callCheck) literalConverts(lit *ast.CompositeLit) {
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

// converts checks the value e, which is converted to target; pkg is the package that
// receives it, or nil.
func (c *callCheck) converts(e ast.Expr, target types.Type, pkg *types.Package) {
	given := c.info.TypeOf(e)
	if given == nil || target == nil || types.IsInterface(given) {
		return
	}
	c.becomes(e, given, target, pkg)
	sig, ok := target.Underlying().(*types.Signature)
	if !ok || pkg == nil {
		return
	}
	name := types.ExprString(e)
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok && c.suspendsIfAnnotated(lit) {
		name = "this function literal"
	} else if c.twinFunction(ast.Unparen(e)) == nil {
		return
	}
	for _, call := range c.facts.calls {
		if call.Method == "" && call.Type == typeName(sig) && call.Package == pkg.Path() {
			c.report(e, becomes(name, "func value", call.By, "it", "let it take a func that returns a *job.Job, or an interface with both forms"))
			return
		}
	}
}

// suspendsIfAnnotated reports whether a literal in plain code calls a plain form. In an
// annotated function that call itself is reported.
func (c *callCheck) suspendsIfAnnotated(lit *ast.FuncLit) bool {
	for _, r := range c.regions {
		if r.lit == lit {
			why := c.blocksIn(lit.Body)
			return r.runner == plain && why != nil && why.Twin
		}
	}
	return false
}

// becomes reports a value of type given that is converted to target, if calls through target
// reach no twin.
func (c *callCheck) becomes(e ast.Node, given, target types.Type, pkg *types.Package) {
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
		if !ok || c.twins.TwinIn(given, call.Method, c.survey.pass.Pkg) == nil && c.blocks(m) == nil || slices.Contains(c.facts.own, call) {
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
