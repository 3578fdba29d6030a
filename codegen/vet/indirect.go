package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen"
)

// indirectCalls reports calls in machines that block although what they reach has a twin: whether a call suspends
// is read off the types where it stands, and these say nothing of a twin there. Each is one of
//
//	s.Get(ctx)           an interface, or a type parameter, with a method whose implementation has a twin
//	next(ctx)            a func value, of which no type says what it holds
//	helper(ctx)          a function of the package that is not annotated and calls what suspends
//	io.ReadAll(conn)     a function from elsewhere that is given something with methods that have twins
//	slices.Map(l, fetch) likewise with a function, or one that is kept
//
// It sees one package at a time: which implementations there are, it learns from that and what it imports.
func indirectCalls(r *reporter, s *survey) {
	c := &indirect{reporter: r, survey: s, plain: map[*types.Func]*ast.CallExpr{}, handed: map[ast.Expr]bool{}}
	c.collect()
	for _, region := range s.regions {
		if region.runner == machine || region.runner == kept {
			c.region = region
			region.walk(c.node)
		}
	}
}

type indirect struct {
	*reporter
	*survey
	region *region

	implementations []*types.Func                 // methods that have twins
	signatures      []types.Type                  // of functions that have twins and are values somewhere
	plain           map[*types.Func]*ast.CallExpr // functions that block, by what they call
	handed          map[ast.Expr]bool             // functions that are not called where they are named, and are seen to
}

// collect finds what calls may reach.
func (c *indirect) collect() {
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && (pkg == c.survey.pass.Pkg || t.Exported()) {
				c.implemented(t)
			}
		}
		for _, dep := range pkg.Imports() {
			visit(dep)
		}
	}
	visit(c.survey.pass.Pkg)
	for _, file := range c.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.handed[ast.Unparen(n.Fun)] = true
			case *ast.SelectorExpr:
				c.handed[n.Sel] = true
				c.valued(n)
			case *ast.Ident:
				c.valued(n)
			}
			return true
		})
	}
}

// implemented notes the methods of a type that have twins.
func (c *indirect) implemented(name *types.TypeName) {
	named, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok || types.IsInterface(named) {
		return
	}
	for m := range named.Methods() {
		if c.twins.Twin(m) != nil && !ours(m.Pkg()) {
			c.implementations = append(c.implementations, m)
		}
	}
}

// ours reports whether a package is one of the runtime: what implements whose interfaces nobody calls that way.
func ours(pkg *types.Package) bool {
	return pkg != nil && (pkg.Path() == jobPath || pkg.Path() == coordPath)
}

// valued notes a function with a twin that is a value.
func (c *indirect) valued(e ast.Expr) {
	if fn := c.named(e); fn != nil && !c.handed[e] {
		c.signatures = append(c.signatures, c.info.TypeOf(e))
	}
}

// named is the function with a twin that e names, or nil.
func (c *indirect) named(e ast.Expr) *types.Func {
	var id *ast.Ident
	switch f := e.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, ok := c.info.Uses[id].(*types.Func)
	if !ok || c.twins.Twin(fn) == nil {
		return nil
	}
	return fn
}

func (c *indirect) node(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if !started(n, stack) {
			c.call(n)
			c.sequence(n, stack)
		}
	case *ast.RangeStmt:
		c.ranged(n)
	case *ast.Ident, *ast.SelectorExpr:
		c.value(n.(ast.Expr), stack)
	}
}

// ranged reports a range over a sequence of the runtime that has no twin.
func (c *indirect) ranged(n *ast.RangeStmt) {
	call, ok := ast.Unparen(n.X).(*ast.CallExpr)
	if !ok {
		return
	}
	if fn := c.callee(call); isObjectOf(fn, jobPath, "WhenEach") {
		c.report(n.X, "a range over job.WhenEach blocks the worker: it is a plain sequence; call Next of job.CompletionsOf, which suspends")
	}
}

// sequence reports a sequence with a twin that is not ranged over where it is made.
func (c *indirect) sequence(call *ast.CallExpr, stack []ast.Node) {
	point, ok := c.twins.Stream(call, c.info)
	if !ok {
		return
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if _, paren := stack[i].(*ast.ParenExpr); paren {
			continue
		}
		if loop, ok := stack[i].(*ast.RangeStmt); ok && ast.Unparen(loop.X) == call && c.region.runner == machine {
			return
		}
		break
	}
	c.report(call, fmt.Sprintf("%s blocks whoever ranges over it: a sequence that is kept or passed on is a plain one; range over the call itself "+
		"in a function marked //movenext:async, or keep %s", types.ExprString(call.Fun), point.Twin.Name()))
}

func (c *indirect) call(call *ast.CallExpr) {
	if tv := c.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() || c.suspends(call) {
		return
	}
	fn := c.callee(call)
	switch {
	case fn == nil:
		c.funcValue(call)
		return
	case fn.Pkg() == nil:
		return
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		c.method(call, fn)
		return
	}
	if inner := c.blocks(fn); inner != nil {
		c.report(call, fmt.Sprintf("%s blocks the worker: it calls %s, and is not marked //movenext:async; mark it, so that both suspend",
			types.ExprString(call.Fun), types.ExprString(inner.Fun)))
		return
	}
	c.arguments(call, fn)
}

// funcValue reports a call of what is only known at run time.
func (c *indirect) funcValue(call *ast.CallExpr) {
	fun := ast.Unparen(call.Fun)
	if _, lit := fun.(*ast.FuncLit); lit {
		return
	}
	sig, ok := coreOf(c.info.TypeOf(fun)).(*types.Signature)
	if !ok {
		return
	}
	if id, ok := fun.(*ast.Ident); ok {
		if v, ok := c.info.ObjectOf(id).(*types.Var); ok && (c.entered[v] || c.isYield(v)) {
			return
		}
	}
	if !takesContext(sig) && !slices.ContainsFunc(c.signatures, func(t types.Type) bool { return types.Identical(t, sig) }) {
		return
	}
	c.report(call, fmt.Sprintf("%s blocks the worker if what it holds would suspend: the type of a func value says nothing of a twin; "+
		"take a func that returns a *job.Job and await that, or an interface with both forms", types.ExprString(call.Fun)))
}

// isYield reports whether v is the yield of the stream around it, a call of which hands out a value.
func (c *indirect) isYield(v *types.Var) bool {
	lit := codegen.StreamLiteral(c.region.decl)
	return lit != nil && lit.Type.Pos() <= v.Pos() && v.Pos() < lit.Body.Pos()
}

func takesContext(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && isContext(sig.Params().At(0).Type())
}

// method reports a call of an interface's method, or of a type parameter's, one of whose implementations has a twin.
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

// blocks returns the call by which a plain function of the package blocks where a machine would suspend, or nil.
func (c *indirect) blocks(fn *types.Func) *ast.CallExpr {
	fn = fn.Origin()
	decl := c.decls[fn]
	if decl == nil || codegen.IsAnnotated(decl) || c.twins.Twin(fn) != nil || c.twins.Plain(fn) != nil {
		return nil
	}
	if found, known := c.plain[fn]; known {
		return found
	}
	c.plain[fn] = nil // if it calls itself
	ast.PreorderStack(decl.Body, nil, func(n ast.Node, stack []ast.Node) bool {
		if c.plain[fn] != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			return false
		case *ast.FuncLit:
			call, _ := callAround(stack)
			return call == nil || !c.startsJob(call)
		case *ast.CallExpr:
			callee := c.callee(n)
			if c.blocksWhereKept(n) || callee != nil && callee.Pkg() == c.survey.pass.Pkg && c.blocks(callee) != nil {
				c.plain[fn] = n
			}
		}
		return true
	})
	return c.plain[fn]
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

// reader reports an interface that is given to a function of another package, where something that implements it has a twin.
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

// value reports a function with a twin that is passed on or kept: whoever calls it calls the plain form.
func (c *indirect) value(e ast.Expr, stack []ast.Node) {
	fn := c.named(e)
	if fn == nil || c.handed[e] {
		c.plainFunction(e)
		return
	}
	instead := "call it where the function does, or give it to job.Run or a scope's Go"
	for i := len(stack) - 1; i >= 0; i-- {
		switch around := stack[i].(type) {
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			continue
		case *ast.CallExpr:
			callee := c.callee(around)
			if isObjectOf(callee, jobPath, "Blocking") {
				return
			}
			if ast.Unparen(around.Fun) == e || within(around.Fun, e) || c.startsJob(around) || callee != nil && c.suspends(around) {
				return // a call; or plainform looks at it; or its own machine calls it
			}
			if callee != nil && callee.Pkg().Path() == codegen.Module+"/parallel" {
				instead = "parallel.ForEachAsync and MapAsync take its twin"
			}
		case *ast.AssignStmt:
			for i, rhs := range around.Rhs {
				if within(rhs, e) && i < len(around.Lhs) && c.holds(around.Lhs[i]) {
					return
				}
			}
		case *ast.ValueSpec:
			for i, rhs := range around.Values {
				if within(rhs, e) && i < len(around.Names) && c.holds(around.Names[i]) {
					return
				}
			}
		}
		break
	}
	c.report(e, fmt.Sprintf("%s is passed on as its plain form, which blocks: a func value has no twin; %s", types.ExprString(e), instead))
}

// plainFunction reports a function of the package that is passed on and blocks.
func (c *indirect) plainFunction(e ast.Expr) {
	var id *ast.Ident
	switch f := e.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	}
	fn, ok := c.info.Uses[id].(*types.Func)
	if !ok || c.handed[e] {
		return
	}
	if inner := c.blocks(fn); inner != nil {
		c.report(e, fmt.Sprintf("%s blocks whoever calls it: it calls %s, and is not marked //movenext:async; mark it, so that both suspend",
			types.ExprString(e), types.ExprString(inner.Fun)))
	}
}

// holds reports whether e is a variable whose calls suspend.
func (c *indirect) holds(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := c.info.ObjectOf(id).(*types.Var)
	return c.entered[v]
}

func within(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}
