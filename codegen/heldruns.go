package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Functions that a variable holds until the runtime is given them:
//
//	work := func(ctx context.Context) error { return fetch(ctx, url) }
//	s.Go(work)
//
// Nothing in the type of a func value says whether it suspends. But a variable that is
// assigned where it is declared, and of no other use than to be given to the runtime's
// functions, is another way to write its value there. So the value becomes what it
// would become as the argument, where it stands. Method values are bound there, too, as
// in plain Go.
//
// Any other use (a call, a comparison, another function's argument) would meet a
// function that may say that it has suspended, so such a variable stays as it is, and
// vet names it.

// findGiven finds these variables in the function, those of its literals among them.
func (u *unit) findGiven() {
	g := &givenScan{u: u, values: map[*types.Var]given{}, uses: map[*ast.Ident]givenUse{}}
	ast.Inspect(u.body, g.visit)
	ast.Inspect(u.body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			g.use(id)
		}
		return true
	})
	for v, value := range g.values {
		u.literals.given[v] = value.expr
	}
}

// given is the value of a variable.
type given struct {
	expr ast.Expr
	in   *ast.FuncLit // the innermost literal around it, or nil
}

// givenUse is a variable as the argument of a runner.
type givenUse struct {
	in     *ast.FuncLit // as in given
	blocks bool         // the runner does
}

// givenScan looks for variables with known values, and for the arguments of runners.
type givenScan struct {
	u        *unit
	values   map[*types.Var]given
	uses     map[*ast.Ident]givenUse
	literals []*ast.FuncLit
	later    []*ast.CallExpr // of defer and go statements
}

func (g *givenScan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		g.literals = append(g.literals, n)
		ast.Inspect(n.Body, g.visit)
		g.literals = g.literals[:len(g.literals)-1]
		return false
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
			for i, lhs := range n.Lhs {
				g.declared(lhs, n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i, id := range n.Names {
				g.declared(id, n.Values[i])
			}
		}
	case *ast.DeferStmt:
		g.later = append(g.later, n.Call)
	case *ast.GoStmt:
		g.later = append(g.later, n.Call)
	case *ast.CallExpr:
		g.call(n)
	}
	return true
}

func (g *givenScan) in() *ast.FuncLit {
	if n := len(g.literals); n > 0 {
		return g.literals[n-1]
	}
	return nil
}

func (g *givenScan) declared(lhs, value ast.Expr) {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return
	}
	v, ok := g.u.info.Defs[id].(*types.Var)
	if !ok {
		return
	}
	f := g.u.factsOf(v)
	value = ast.Unparen(value)
	_, isLiteral := value.(*ast.FuncLit)
	if _, follows := g.u.follows(value); f.mutated || f.addressed || !isLiteral && !follows {
		return
	}
	g.values[v] = given{value, g.in()}
}

func (g *givenScan) call(call *ast.CallExpr) {
	r, _, ok := runnerOf(call, g.u.info)
	if !ok || r.blocks && slices.Contains(g.later, call) {
		return
	}
	for _, arg := range r.functions {
		if id, ok := arg.(*ast.Ident); ok {
			g.uses[id] = givenUse{g.in(), r.blocks}
		}
	}
}

// use forgets the variable that id names if that is not an argument of a runner. One
// that blocks understands a function that suspends only where a machine calls it: not
// in each literal.
func (g *givenScan) use(id *ast.Ident) {
	v, ok := g.u.info.Uses[id].(*types.Var)
	if !ok {
		return
	}
	value, ok := g.values[v]
	if !ok {
		return
	}
	use, ok := g.uses[id]
	if !ok || use.blocks && use.in != value.in {
		delete(g.values, v)
	}
}

// valueOf is the function that the argument of a runner is: itself, or what a variable
// holds.
func (u *unit) valueOf(arg ast.Expr) ast.Expr {
	id, ok := arg.(*ast.Ident)
	if !ok {
		return arg
	}
	v, _ := u.info.Uses[id].(*types.Var)
	if value := u.literals.given[v]; value != nil {
		return value
	}
	return arg
}
