package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// localTypes reports values that an annotated function stores in an interface that can outlive the
// call, if their type is declared in the function. The language gives each function types of its
// own, and the machine is another function: a key of a sync.Map or of a context that one form has
// stored is not found by the other, and errors.As does not know the other's error.
//
// An interface that is only looked at does not matter: most functions of the standard library,
// what is formatted or logged, what is decoded into, and variables of the function itself.
func localTypes(r *reporter, s *survey) {
	for _, file := range s.files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && source.IsAnnotated(fn) {
				c := &localTypeCheck{reporter: r, survey: s, decl: fn, holds: map[types.Object]types.Type{}}
				c.variables()
				ast.PreorderStack(fn.Body, []ast.Node{fn}, c.visit)
			}
		}
	}
}

type localTypeCheck struct {
	*reporter
	*survey
	decl  *ast.FuncDecl
	holds map[types.Object]types.Type // interface variables of the function: a local type in them
}

// variables finds what the interface variables of the function hold.
func (c *localTypeCheck) variables() {
	record := func(to, value ast.Expr) {
		id, ok := to.(*ast.Ident)
		if !ok || id.Name == "_" || !c.own(id) {
			return
		}
		if t := c.localType(value); t != nil && types.IsInterface(c.info.TypeOf(to)) {
			c.holds[c.info.ObjectOf(id)] = t
		}
	}
	ast.Inspect(c.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				record(n.Lhs[i], n.Rhs[i])
			}
		case *ast.ValueSpec:
			for i := range min(len(n.Names), len(n.Values)) {
				record(n.Names[i], n.Values[i])
			}
		}
		return true
	})
}

func (c *localTypeCheck) visit(n ast.Node, stack []ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		c.call(n)
	case *ast.AssignStmt:
		for i := range min(len(n.Lhs), len(n.Rhs)) {
			if !c.own(n.Lhs[i]) {
				c.stores(n.Rhs[i], c.info.TypeOf(n.Lhs[i]))
			}
		}
	case *ast.IndexExpr:
		if m, ok := coreOf(c.info.TypeOf(n.X)).(*types.Map); ok && !c.own(n) {
			c.stores(n.Index, m.Key())
		}
	case *ast.SendStmt:
		if ch, ok := coreOf(c.info.TypeOf(n.Chan)).(*types.Chan); ok {
			c.stores(n.Value, ch.Elem())
		}
	case *ast.ReturnStmt:
		c.returned(n, stack)
	case *ast.CompositeLit:
		c.literal(n, stack)
	}
	return true
}

// returned looks at the results of the function itself. Those of its literals go to the function,
// or to callers that keep them.
func (c *localTypeCheck) returned(n *ast.ReturnStmt, stack []ast.Node) {
	for _, around := range stack {
		if _, ok := around.(*ast.FuncLit); ok {
			return
		}
	}
	results := c.info.Defs[c.decl.Name].Type().(*types.Signature).Results()
	for i := range min(len(n.Results), results.Len()) {
		c.stores(n.Results[i], results.At(i).Type())
	}
}

// literal looks at the fields of structs, and at keys and values of maps, whose types are declared
// elsewhere. A []any is a list of arguments more often than something that is kept.
func (c *localTypeCheck) literal(lit *ast.CompositeLit, stack []ast.Node) {
	t := c.info.TypeOf(lit)
	if c.localPart(t) != nil {
		return
	}
	switch of := coreOf(t).(type) {
	case *types.Struct:
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				c.stores(kv.Value, c.info.TypeOf(kv.Key))
			} else if i < of.NumFields() {
				c.stores(e, of.Field(i).Type())
			}
		}
	case *types.Map:
		if assign, ok := stack[len(stack)-1].(*ast.AssignStmt); ok && !slices.ContainsFunc(assign.Lhs, func(to ast.Expr) bool { return !c.own(to) }) {
			return
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				c.stores(kv.Key, of.Key())
				c.stores(kv.Value, of.Elem())
			}
		}
	}
}

// keepers are the packages of the standard library whose functions keep what they get as an
// interface, or look for it.
var keepers = map[string]bool{
	"sync": true, "sync/atomic": true, "context": true, "container/list": true, "container/ring": true, "container/heap": true, "expvar": true,
}

// call looks at the arguments of a call.
func (c *localTypeCheck) call(call *ast.CallExpr) {
	tv := c.info.Types[call.Fun]
	sig, ok := coreOf(tv.Type).(*types.Signature)
	if tv.IsType() || !ok {
		return
	}
	fn := c.callee(call)
	standard := fn != nil && fn.Pkg() != nil && isStandard(fn.Pkg().Path())
	for i, arg := range call.Args {
		param := parameter(sig, i, call.Ellipsis.IsValid())
		if param == nil {
			continue
		}
		given := c.localType(arg)
		_, isPointer := given.(*types.Pointer)
		listed := sig.Variadic() && i >= sig.Params().Len()-1
		switch {
		case given == nil:
		case standard && keepers[fn.Pkg().Path()], isError(given) && wraps(fn), !standard && !isPointer && !listed, !standard && isError(given):
			c.stores(arg, param)
		}
	}
}

// wraps reports whether fn, of the standard library, keeps errors in the one that it returns.
func wraps(fn *types.Func) bool {
	return isObjectOf(fn, "fmt", "Errorf") || isObjectOf(fn, "errors", "Join")
}

// isStandard reports whether a package belongs to the standard library: its path has no domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != "main" && !strings.HasPrefix(path, "command-line-arguments")
}

func isError(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// own reports whether e is a variable of the function, or an element of a container in one.
func (c *localTypeCheck) own(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := c.info.ObjectOf(e).(*types.Var)
		return e.Name == "_" || ok && c.decl.Body.Pos() <= v.Pos() && v.Pos() < c.decl.Body.End()
	case *ast.IndexExpr:
		return c.own(e.X)
	case *ast.SelectorExpr:
		_, isPointer := c.info.TypeOf(e.X).Underlying().(*types.Pointer)
		return !isPointer && c.own(e.X)
	}
	return false
}

// stores reports e if it has a type of the function's body and is converted to an interface.
func (c *localTypeCheck) stores(e ast.Expr, target types.Type) {
	if target == nil || !types.IsInterface(target) {
		return
	}
	if _, ok := types.Unalias(target).(*types.TypeParam); ok {
		return
	}
	if t := c.localType(e); t != nil {
		c.report(e, localTypeStored(types.ExprString(e), c.localPart(t).Name()))
	}
}

// localType returns the type of e if it mentions one that is declared in the function. If e is an
// interface, the type of what it is known to hold counts.
func (c *localTypeCheck) localType(e ast.Expr) types.Type {
	e = ast.Unparen(e)
	t := c.info.TypeOf(e)
	switch {
	case t == nil:
		return nil
	case !types.IsInterface(t):
		if c.localPart(t) == nil {
			return nil
		}
		return types.Unalias(t)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return c.holds[c.info.ObjectOf(e)]
	case *ast.CallExpr:
		if c.info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return c.localType(e.Args[0])
		}
	}
	return nil
}

// localPart returns a type that is declared in the function and part of the name of t, or nil.
func (c *localTypeCheck) localPart(t types.Type) *types.TypeName {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if obj := t.Obj(); c.decl.Pos() <= obj.Pos() && obj.Pos() < c.decl.End() {
			return obj
		}
		for arg := range t.TypeArgs().Types() {
			if obj := c.localPart(arg); obj != nil {
				return obj
			}
		}
	case *types.Map:
		if obj := c.localPart(t.Key()); obj != nil {
			return obj
		}
		return c.localPart(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array, a channel
		return c.localPart(t.Elem())
	}
	return nil
}
