package vet

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen"
)

// indirectCalls reports calls in machines that block although what they reach has a twin:
// whether a call suspends is read off the types where it stands, and these say nothing of a twin
// there. Each is one of
//
//	s.Get(ctx)           an interface, or a type parameter, with a method whose implementation has a twin
//	next(ctx)            a func value, of which no type says what it holds
//	helper(ctx)          a function of the package that is not annotated and calls what suspends
//	io.ReadAll(conn)     a function from elsewhere that is given something with methods that have twins
//	slices.Map(l, fetch) likewise with a function, or one that is kept
//
// It sees one package at a time: which implementations there are, it learns from that and what
// it imports.
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

// ours reports whether a package is one of the runtime: what implements whose interfaces nobody
// calls that way.
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

// blocks returns the call by which a plain function of the package blocks where a machine would
// suspend, or nil.
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
