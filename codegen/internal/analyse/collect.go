package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// funcCollector searches a function for variables that hold functions.
type funcCollector struct {
	facts *Facts
	vars  map[*types.Var]*FuncVar
	order []*FuncVar
	seen  map[*ast.Ident]bool // calls, and left-hand sides

	copied map[*ast.Ident]bool // declared by a loop: each iteration has its own copy

	literals []*ast.FuncLit
	calls    []literalCall
}

// literalCall is a call of a variable inside literals that variables hold.
type literalCall struct {
	variableOf *FuncVar
	in         []*ast.FuncLit
}

// variableOf returns the variable of the function that e names if it holds functions and has been
// declared, or nil.
func (c *funcCollector) variableOf(e ast.Expr) *FuncVar {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := c.facts.Info.ObjectOf(id).(*types.Var)
	return c.vars[v]
}

func (c *funcCollector) declare(id *ast.Ident) {
	v, ok := c.facts.Info.Defs[id].(*types.Var)
	if !ok || len(c.literals) > 0 {
		return
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok && source.EnterOfType(v.Type()) == nil {
		f := &FuncVar{Var: v, known: !c.copied[id]}
		c.vars[v] = f
		c.order = append(c.order, f)
	}
}

// declareParams declares the parameters that have companions.
func (c *funcCollector) declareParams() {
	if c.facts.Outer != nil {
		return
	}
	for _, p := range c.facts.Source.Companions() {
		switch name := p.Param.Name(); {
		case name == "" || name == "_":
		case p.Variadic:
			c.declareList(p)
		default:
			f := &FuncVar{Var: p.Param, Read: true, param: true, known: true}
			c.vars[p.Param] = f
			c.order = append(c.order, f)
		}
	}
}

func (c *funcCollector) visit(n ast.Node) bool {
	if len(c.literals) == 0 {
		c.facts.conversions(n, func(e ast.Expr, _ *types.Named) {
			if f := c.variableOf(e); f != nil {
				f.called, f.copied = true, true // by whoever calls the value
			}
		})
	}
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
		c.recordAssignment(n.Lhs, n.Rhs)
	case *ast.ValueSpec:
		var names []ast.Expr
		for _, id := range n.Names {
			c.declare(id)
			names = append(names, id)
		}
		if len(n.Values) > 0 {
			c.recordAssignment(names, n.Values)
		}
	case *ast.ForStmt:
		if init, ok := n.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
			for _, lhs := range init.Lhs {
				c.copied[lhs.(*ast.Ident)] = true
			}
		}
	case *ast.RangeStmt:
		c.unknown(n.Key)
		c.unknown(n.Value)
		c.declareElement(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.unknown(n.X)
		}
	case *ast.GoStmt:
		if f := c.variableOf(n.Call.Fun); f != nil {
			f.Read = true
		}
	case *ast.CallExpr:
		c.recordCall(n)
		c.recordGiven(n)
	case *ast.Ident:
		if f := c.variableOf(n); f != nil && c.facts.Info.Uses[n] != nil && !c.seen[n] {
			f.Read = true
		}
	}
	return true
}

func (c *funcCollector) unknown(e ast.Expr) {
	if e == nil {
		return
	}
	if f := c.variableOf(e); f != nil {
		f.known = false
	}
}

// recordAssignment records the values of an assignment. An assignment within a literal may happen
// at any time, so after one the variable's value is unknown.
func (c *funcCollector) recordAssignment(lhs, rhs []ast.Expr) {
	for i, e := range lhs {
		f := c.variableOf(e)
		if f == nil {
			continue
		}
		f.Read = f.Read || len(lhs) > 1
		if len(lhs) == 1 && len(rhs) == 1 {
			c.facts.Literals.alone[ast.Unparen(rhs[0])] = true
		}
		c.seen[ast.Unparen(e).(*ast.Ident)] = true
		if len(lhs) != len(rhs) || len(c.literals) > 0 {
			f.known = false
			continue
		}
		f.values = append(f.values, rhs[i])
		if other := c.variableOf(rhs[i]); other != nil {
			other.called = true // perhaps, under f's name
		}
	}
}

// recordCall records a call of a variable. Literals that known variables hold become machines,
// which call the companion.
func (c *funcCollector) recordCall(call *ast.CallExpr) {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	f := c.variableOf(call.Fun)
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

// recordGiven records the variables that a call passes to parameters with companions.
func (c *funcCollector) recordGiven(call *ast.CallExpr) {
	s := c.facts.Source.Package.Twins.Entry(call, c.facts.Info)
	for _, g := range s.Given(call, c.facts.Info) {
		for _, e := range g.Values {
			if f := c.variableOf(e); f != nil {
				f.called, f.copied = true, true
			}
		}
	}
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

// FuncVarOf returns the variable with a companion that e names, or nil.
func (fs *Facts) FuncVarOf(e ast.Expr) *FuncVar {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := fs.Info.ObjectOf(id).(*types.Var)
	return fs.Literals.vars[v]
}

// HeldIn returns the variable v as one with a companion, or nil.
func (fs *Facts) HeldIn(v *types.Var) *FuncVar { return fs.Literals.vars[v] }

// noteAssigned makes machines of the literals that are assigned to variables with
// companions, and marks the statement to be flattened.
func (fs *Facts) noteAssigned(n ast.Node, around []ast.Node) {
	var lhs, rhs []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		lhs, rhs = n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, id := range n.Names {
			lhs = append(lhs, id)
		}
		rhs = n.Values
	}
	for i, e := range lhs {
		if fs.FuncVarOf(e) == nil {
			continue
		}
		fs.mark(around, n)
		if i < len(rhs) {
			fs.noteEntered(rhs[i])
		}
	}
}
