package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// funcCollector walks a function for its variables that hold functions.
type funcCollector struct {
	u     *unit
	vars  map[*types.Var]*funcVar
	order []*funcVar
	seen  map[*ast.Ident]bool // calls, and left-hand sides

	literals []*ast.FuncLit
	calls    []literalCall
}

// literalCall is a call of a variable in literals that variables hold.
type literalCall struct {
	of *funcVar
	in []*ast.FuncLit
}

// of is the variable of the function that e names, if it holds functions and has been
// declared.
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

// assigned notes what is assigned. A literal may assign its variables at any time.
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

// called: literals that a known variable holds become machines, which call the
// companion.
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
	c.calls = append(c.calls, literalCall{f, slices.Clone(c.literals)})
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
