package codegen

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Variables that hold functions which suspend.
//
// Nothing in the type of a function says whether it suspends, so a call of a function
// value blocks. But a variable of the function itself is known if every assignment to
// it is: if it only ever holds literals, twins' plain forms and nil. Such a variable
// gets a companion that holds the entry of what the variable holds, and calls go there.
// Source, then result:
//
//	visit := func(n *node) error { return fetch(ctx, n.url) }
//	err := visit(root)
//
//	f.visitEnter = func(t *statemachine.Task, arg1 *node) (*crawlFunc1Frame, error) {
//		return crawlFunc1Enter(t, ctx, arg1)
//	}
//	f.visit1, f.err = f.visitEnter(t, f.root)
//
// The companion is captured like any other variable, which makes recursion through a
// variable work. The variable itself stays where other code uses it.

// funcVar is such a variable.
type funcVar struct {
	v      *types.Var
	entry  *types.Var // the companion
	values []ast.Expr
	known  bool // so far: nothing else is assigned to it
	read   bool // other than by calling it
	copied bool // to another such variable
	called bool
}

// onlyLiteral is the literal that the variable holds if it never holds anything else,
// or nil.
func (f *funcVar) onlyLiteral(info *types.Info) *ast.FuncLit {
	var only *ast.FuncLit
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		switch {
		case !ok && info.Types[e].IsNil():
		case !ok || only != nil || f.copied:
			return nil
		default:
			only = lit
		}
	}
	return only
}

// findFuncVars finds the variables of the function that hold what suspends. Whether
// code suspends depends on the variables, and whether a variable counts depends on what
// suspends. So the search repeats until it finds no further variable.
func (u *unit) findFuncVars() {
	c := &funcCollector{u: u, vars: map[*types.Var]*funcVar{}, seen: map[*ast.Ident]bool{}}
	ast.Inspect(u.body, c.visit)
	held := u.literals.vars
	for again := true; again; {
		again = false
		for _, f := range c.order {
			if held[f.v] == nil && f.known && f.called && u.holdsSuspending(f) {
				held[f.v], again = f, true
				clear(u.literals.suspending)
			}
		}
	}
	c.dropUnknown()
	c.spreadReads()
	for _, f := range c.order {
		if held[f.v] == f {
			for _, e := range f.values {
				if other := u.funcVarOf(e); other != nil {
					other.copied = true
				}
			}
			f.entry = types.NewVar(f.v.Pos(), f.v.Pkg(), u.imports.Fresh(f.v.Name()+"Enter"), f.v.Type())
			u.literals.entries[f.entry] = f
			u.facts[f.entry] = u.factsOf(f.v)
		}
	}
}

// dropUnknown forgets variables that are given other variables which have no
// companions.
func (c *funcCollector) dropUnknown() {
	held := c.u.literals.vars
	for again := true; again; {
		again = false
		for v, f := range held {
			for _, e := range f.values {
				if _, isVar := c.u.info.ObjectOf(identOf(e)).(*types.Var); isVar && c.u.funcVarOf(e) == nil {
					delete(held, v)
					clear(c.u.literals.suspending)
					again = true
				}
			}
		}
	}
}

// spreadReads: a literal that stays as it is calls the variables of plain functions,
// and not their companions.
func (c *funcCollector) spreadReads() {
	for again := true; again; {
		again = false
		for _, call := range c.calls {
			if !call.of.read && slices.ContainsFunc(call.in, c.staysPlain) {
				call.of.read, again = true, true
			}
		}
	}
}

// staysPlain reports whether lit, which a variable holds, is needed as a function
// value.
func (c *funcCollector) staysPlain(lit *ast.FuncLit) bool {
	return slices.ContainsFunc(c.order, func(f *funcVar) bool {
		return (f.read || c.u.literals.vars[f.v] != f) && slices.ContainsFunc(f.values, func(e ast.Expr) bool { return ast.Unparen(e) == lit })
	})
}

// identOf is the identifier that e is, or one that names nothing.
func identOf(e ast.Expr) *ast.Ident {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return id
	}
	return &ast.Ident{}
}

func (u *unit) holdsSuspending(f *funcVar) bool {
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		if ok && u.literalSuspends(lit) || !ok && (u.funcVarOf(e) != nil || u.entered(e) != nil) {
			return true
		}
	}
	return false
}

// entered is what calling the value e would enter: e is a function, or a method of a
// variable, with an entry for machines.
func (u *unit) entered(e ast.Expr) *source.Suspension {
	s, ok := u.fn.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, u.info)
	if !ok || s.Kind != source.KindEnter || s.TypeArgs.Len() > 0 || s.Method != nil && !u.bindsLate(e, s.Method) {
		return nil
	}
	return &s
}

// bindsLate reports whether a method value can be made when it is called instead of
// where it is written.
func (u *unit) bindsLate(e ast.Expr, method *types.Selection) bool {
	if method.Kind() == types.MethodExpr {
		return false
	}
	x := ast.Unparen(e).(*ast.SelectorExpr).X
	return u.bindsItself(ast.Unparen(e), method) || u.isStable(x) && !isPointerType(u.typeOf(x)) && !source.IsPointer(method.Obj().(*types.Func).Signature().Recv())
}

// enterOf renames the function that e is, so that it is printed as its entry.
func (u *unit) enterOf(e ast.Expr) ast.Expr {
	u.renameCallee(&ast.CallExpr{Fun: e}, u.entered(e).Enter)
	return ast.Unparen(e)
}
