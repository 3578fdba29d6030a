package vet

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
)

// indirectCalls reports calls in machines that block although their target has a twin. The
// types at a call decide whether it suspends, and the types at these calls do not show the
// twin. Each is one of
//
//	s.Get(ctx)           a method of an interface or type parameter; an implementation has a twin
//	h.next(ctx)          a func value; no type shows what it holds
//	retry(ctx, h.next)   likewise, given to a function that would suspend in it
//	helper(ctx)          a function without annotation that calls one that suspends, or blocks
//	io.ReadAll(conn)     a foreign function that receives a value whose methods have twins
//	slices.Map(l, fetch) likewise with a function, or one that is kept
//	s.Go(h.handler)      a func value for the runtime to call
//
// It uses the facts of other packages (facts.go), and finds implementations in the package and
// its imports.
func indirectCalls(r *reporter, s *survey) {
	c := &callCheck{reporter: r, survey: s, handed: map[ast.Expr]bool{}}
	c.collect()
	c.collectStored()
	for _, region := range s.regions {
		if region.runner == machine || region.runner == kept {
			c.region = region
			region.walk(c.node)
		}
	}
	c.conversions()
}

// callCheck is the state of indirectCalls.
type callCheck struct {
	*reporter
	*survey
	region *region

	implementations []implementation
	signatures      []types.Type      // of functions that have twins and are used as values
	handed          map[ast.Expr]bool // called functions, and names that belong to a selector
	stored          stored
}

// implementation is a method that blocks when it is called through an interface.
type implementation struct {
	*types.Func
	plain *reason // why it blocks, if it has no twin
}

// collect finds what calls may reach.
func (c *callCheck) collect() {
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			if t, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && (pkg == c.survey.pass.Pkg || t.Exported()) {
				c.recordMethods(t)
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
				c.recordValue(n)
			case *ast.Ident:
				c.recordValue(n)
			}
			return true
		})
	}
}

// recordMethods records the methods of a type that have twins, or that block without one.
func (c *callCheck) recordMethods(name *types.TypeName) {
	twinFunction, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok || types.IsInterface(twinFunction) {
		return
	}
	for m := range twinFunction.Methods() {
		if ours(m.Pkg()) {
			continue
		}
		if c.twins.Twin(m) != nil {
			c.implementations = append(c.implementations, implementation{m, nil})
		} else if r := c.blocks(m); r != nil {
			c.implementations = append(c.implementations, implementation{m, r})
		}
	}
}

// ours reports whether a package belongs to the runtime: implementations of its interfaces
// are never called that way.
func ours(pkg *types.Package) bool {
	return pkg != nil && (pkg.Path() == jobPath || pkg.Path() == coordPath)
}

// recordValue records a function with a twin that is used as a value.
func (c *callCheck) recordValue(e ast.Expr) {
	if fn := c.twinFunction(e); fn != nil && !c.handed[e] {
		c.signatures = append(c.signatures, c.info.TypeOf(e))
	}
}

// twinFunction returns the function with a twin that e names, or nil.
func (c *callCheck) twinFunction(e ast.Expr) *types.Func {
	point, ok := c.twins.Suspends(&ast.CallExpr{Fun: e}, c.info)
	if !ok || point.Twin == nil {
		return nil
	}
	return point.Callee
}

func (c *callCheck) node(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if !started(n, stack) {
			c.call(n)
			c.sequence(n, stack)
		}
	case *ast.Ident, *ast.SelectorExpr:
		c.value(n.(ast.Expr), stack)
	}
}

// sequence reports a sequence with a twin that is created outside of a range statement.
func (c *callCheck) sequence(call *ast.CallExpr, stack []ast.Node) {
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
	c.report(call, keptSequence(types.ExprString(call.Fun), point.Twin.Name()))
}

func (c *callCheck) call(call *ast.CallExpr) {
	if tv := c.info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return
	}
	c.runs(call)
	if point, ok := c.twins.Suspends(call, c.info); ok {
		if c.givenValues(call, &point); point.Kind == source.KindKept {
			c.keptValue(call)
		}
		return
	}
	fn := c.callee(call)
	switch {
	case fn == nil:
		c.funcValue(call)
		return
	case fn.Pkg() == nil || isObjectOf(fn, jobPath, "Blocking"):
		return
	}
	if recv := fn.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		c.method(call, fn)
		return
	}
	if r := c.blocks(fn); r != nil {
		c.report(call, plainBlocks(types.ExprString(call.Fun), *r))
		return
	}
	c.arguments(call, fn)
}

// runs reports func values that the runtime will call: as with any call, the type does not
// show what they hold.
func (c *callCheck) runs(call *ast.CallExpr) {
	functions, _ := analyse.RunsAsJob(call, c.info)
	for _, arg := range functions {
		if c.function(stripInstantiation(arg)) != nil && !c.byInterface(arg) {
			continue
		}
		if v, ok := c.info.ObjectOf(nameIn(arg)).(*types.Var); ok && c.runnable[v] && c.startsMachine(call, c.region.runner, arg) {
			continue
		}
		if _, lit := arg.(*ast.FuncLit); lit || c.info.Types[arg].IsNil() {
			continue
		}
		c.report(arg, valueRun(types.ExprString(arg)))
	}
}

// byInterface reports whether e is a method of an interface or of a type parameter that has
// no twin, while an implementation has one.
func (c *callCheck) byInterface(e ast.Expr) bool {
	fn := c.function(stripInstantiation(e))
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) || c.twinFunction(e) != nil {
		return false
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	return ok && c.implementation(fn, iface, "an interface") != nil
}
