package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Variables that hold functions which suspend.
//
// Nothing in the type of a function says whether it suspends, so a call of a function value blocks. But
// a variable of the function itself is known if every assignment to it is: if it
// only ever holds literals, twins' plain forms and nil. Such a variable gets a companion that holds the
// entry of what the variable holds, and calls go there. Source, then result:
//
//	visit := func(n *node) error { return fetch(ctx, n.url) }
//	err := visit(root)
//
//	f.visitEnter = func(t *statemachine.Task, arg1 *node) (*crawlFunc1Frame, error) {
//		return crawlFunc1Enter(t, ctx, arg1)
//	}
//	f.visit1, f.err = f.visitEnter(t, f.root)
//
// The companion is captured like any other variable, which is what makes recursion through a
// variable work. The variable itself stays where anybody else has a use for it.

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

// onlyLiteral is the literal that the variable holds if it never holds anything else, or nil.
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

// findFuncVars finds the variables of the function that hold what suspends. What suspends depends on
// the variables, and what a variable holds on what suspends: it is found by going on as long as
// there is one more.
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

// dropUnknown forgets variables that are given other variables which have no companions.
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
func (u *unit) entered(e ast.Expr) *Suspension {
	s, ok := u.fn.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, u.info)
	if !ok || s.Kind != KindEnter || s.TypeArgs.Len() > 0 || s.Method != nil && !u.bindsLate(e, s.Method) {
		return nil
	}
	return &s
}

// bindsLate reports whether a method value can be made when it is called as well as where it stands.
func (u *unit) bindsLate(e ast.Expr, method *types.Selection) bool {
	if method.Kind() == types.MethodExpr {
		return false
	}
	x := ast.Unparen(e).(*ast.SelectorExpr).X
	return u.bindsItself(ast.Unparen(e), method) || u.isStable(x) && !isPointerType(u.typeOf(x)) && !isPointer(method.Obj().(*types.Func).Signature().Recv())
}

// enterOf renames the function that e is, so that it is printed as its entry.
func (u *unit) enterOf(e ast.Expr) ast.Expr {
	u.renameCallee(&ast.CallExpr{Fun: e}, u.entered(e).Enter)
	return ast.Unparen(e)
}

// funcCollector walks a function for its variables that hold functions.
type funcCollector struct {
	u     *unit
	vars  map[*types.Var]*funcVar
	order []*funcVar
	seen  map[*ast.Ident]bool // calls, and left-hand sides

	literals []*ast.FuncLit
}

// of is the variable of the function that e names, if it holds functions and has been declared.
func (c *funcCollector) of(e ast.Expr) *funcVar {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := c.u.info.ObjectOf(id).(*types.Var)
	return c.vars[v]
}

func (c *funcCollector) declare(id *ast.Ident) {
	v, ok := c.u.info.Defs[id].(*types.Var)
	if !ok || len(c.literals) > 0 {
		return
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		f := &funcVar{v: v, known: true}
		c.vars[v] = f
		c.order = append(c.order, f)
	}
}

func (c *funcCollector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		c.literals = append(c.literals, n)
		ast.Inspect(n.Body, c.visit)
		c.literals = c.literals[:len(c.literals)-1]
		return false
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			if id, ok := lhs.(*ast.Ident); ok && n.Tok == token.DEFINE {
				c.declare(id)
			}
		}
		c.assigned(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		var names []ast.Expr
		for _, id := range n.Names {
			c.declare(id)
			names = append(names, id)
		}
		if len(n.Values) > 0 {
			c.assigned(names, n.Values)
		}
	case *ast.ForStmt:
		if init, ok := n.Init.(*ast.AssignStmt); ok {
			ast.Inspect(init, c.visit)
			for _, lhs := range init.Lhs {
				c.unknown(lhs) // each iteration has a copy
			}
		}
	case *ast.RangeStmt:
		c.unknown(n.Key)
		c.unknown(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.unknown(n.X)
		}
	case *ast.GoStmt:
		if f := c.of(n.Call.Fun); f != nil {
			f.read = true
		}
	case *ast.CallExpr:
		c.called(n)
	case *ast.Ident:
		if f := c.of(n); f != nil && c.u.info.Uses[n] != nil && !c.seen[n] {
			f.read = true
		}
	}
	return true
}

func (c *funcCollector) unknown(e ast.Expr) {
	if e == nil {
		return
	}
	if f := c.of(e); f != nil {
		f.known = false
	}
}

// assigned notes what is assigned. What a literal assigns, it may assign at any time.
func (c *funcCollector) assigned(lhs, rhs []ast.Expr) {
	for i, e := range lhs {
		f := c.of(e)
		if f == nil {
			continue
		}
		f.read = f.read || len(lhs) > 1
		c.seen[ast.Unparen(e).(*ast.Ident)] = true
		if len(lhs) != len(rhs) || len(c.literals) > 0 || !c.holdable(rhs[i]) {
			f.known = false
			continue
		}
		f.values = append(f.values, rhs[i])
		if other := c.of(rhs[i]); other != nil {
			other.called = true // perhaps, by that name
		}
	}
}

// holdable reports whether a variable may hold e and be known.
func (c *funcCollector) holdable(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return !c.u.callsRecover(lit.Body)
	}
	return c.u.info.Types[e].IsNil() || c.of(e) != nil || c.u.entered(e) != nil
}

// called: literals that a known variable holds become machines, which call the companion.
func (c *funcCollector) called(call *ast.CallExpr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	f := c.of(call.Fun)
	if !ok || f == nil {
		return
	}
	f.called = true
	for _, lit := range c.literals {
		if !c.isHeld(lit) {
			return
		}
	}
	c.seen[id] = true
}

func (c *funcCollector) isHeld(lit *ast.FuncLit) bool {
	for _, f := range c.order {
		for _, e := range f.values {
			if f.known && ast.Unparen(e) == lit {
				return true
			}
		}
	}
	return false
}
