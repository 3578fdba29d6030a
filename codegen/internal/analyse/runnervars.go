package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// Variables that hold functions until they are passed to the runtime:
//
//	work := func(ctx context.Context) error { return fetch(ctx, url) }
//	s.Go(work)
//
// The type of a func value does not show whether it suspends. But if a variable is assigned only
// where it is declared, and used only as an argument of the runtime's functions, then its value
// might as well be written as the argument. So the value is translated as the argument would be,
// in the place where it is written. Method values are bound there too, as in plain Go.
//
// Any other use (a call, a comparison, an argument of another function) would receive a function
// that may report that it has suspended. So such a variable stays as it is, and vet reports it.

// findRunnerArguments finds these variables in the function and in its literals.
func (fs *Facts) findRunnerArguments() {
	g := &argumentScan{facts: fs, values: map[*types.Var]argument{}, uses: map[*ast.Ident]argumentUse{}}
	ast.Inspect(fs.Body, g.visit)
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			g.use(id)
		}
		return true
	})
	for v, value := range g.values {
		fs.Literals.arguments[v] = value.expr
	}
}

// argument is the value of such a variable.
type argument struct {
	expr ast.Expr
	in   *ast.FuncLit // the innermost literal around it, or nil
}

// argumentUse is the use of a variable as the argument of a runner.
type argumentUse struct {
	in     *ast.FuncLit // as in argument
	blocks bool         // the runner blocks
}

// argumentScan collects variables with known values, and the arguments of runners.
type argumentScan struct {
	facts    *Facts
	values   map[*types.Var]argument
	uses     map[*ast.Ident]argumentUse
	literals []*ast.FuncLit
	later    []*ast.CallExpr // the calls of defer and go statements
}

func (g *argumentScan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		g.literals = append(g.literals, n)
		ast.Inspect(n.Body, g.visit)
		g.literals = g.literals[:len(g.literals)-1]
		return false
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
			for i, lhs := range n.Lhs {
				g.recordDeclaration(lhs, n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i, id := range n.Names {
				g.recordDeclaration(id, n.Values[i])
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

func (g *argumentScan) in() *ast.FuncLit {
	if n := len(g.literals); n > 0 {
		return g.literals[n-1]
	}
	return nil
}

func (g *argumentScan) recordDeclaration(lhs, value ast.Expr) {
	id, ok := lhs.(*ast.Ident)
	if !ok {
		return
	}
	v, ok := g.facts.Info.Defs[id].(*types.Var)
	if !ok {
		return
	}
	f := g.facts.UsageOf(v)
	value = ast.Unparen(value)
	_, isLiteral := value.(*ast.FuncLit)
	if _, follows := g.facts.follows(value); f.Mutated || f.Addressed || !isLiteral && !follows {
		return
	}
	g.values[v] = argument{value, g.in()}
}

func (g *argumentScan) call(call *ast.CallExpr) {
	roots := source.RootsIn(call, g.facts.Info)
	if roots.Waits && slices.Contains(g.later, call) {
		return
	}
	for _, arg := range roots.Functions {
		if id, ok := arg.(*ast.Ident); ok {
			g.uses[id] = argumentUse{g.in(), roots.Waits}
		}
	}
}

// use drops the variable that id names if id is not an argument of a runner. A runner that
// blocks understands a function that suspends only if a machine calls the runner. So its
// argument must be in the same literal as the variable's value.
func (g *argumentScan) use(id *ast.Ident) {
	v, ok := g.facts.Info.Uses[id].(*types.Var)
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

// valueOf returns the function that a runner's argument denotes: the argument itself, or the
// value of a variable.
func (fs *Facts) valueOf(arg ast.Expr) ast.Expr {
	id, ok := arg.(*ast.Ident)
	if !ok {
		return arg
	}
	v, _ := fs.Info.Uses[id].(*types.Var)
	if value := fs.Literals.arguments[v]; value != nil {
		return value
	}
	return arg
}

// Held describes the functions that an annotated function has as values.
type Held struct {
	Literals []*ast.FuncLit // they become machines if they suspend
	Entered  []*types.Var   // variables, parameters among them, whose calls suspend if what they hold does
	Run      []*types.Var   // variables that hold functions for the runtime to call
	Plain    []ast.Expr     // what is given to a parameter with a companion, but has no entry there
}

// HeldFunctions describes the functions that the annotated function decl has as values. It serves
// tools that analyse source the way the generator does. info must cover the whole file, with the
// twins of its functions.
func HeldFunctions(fset *token.FileSet, pkg *types.Package, info *types.Info, file *ast.File, decl *ast.FuncDecl) Held {
	object, ok := info.Defs[decl.Name].(*types.Func)
	if !ok {
		return Held{}
	}
	p := &source.Package{Path: pkg.Path(), Name: pkg.Name(), Fset: fset, Types: pkg, Info: info, Twins: &source.Twins{}}
	f := &source.File{Syntax: file}
	fn := &source.Function{Package: p, File: f, Decl: decl, Object: object}
	f.Functions = []*source.Function{fn}
	u := newFacts(fn, typetext.New(p, f))
	u.analyse()
	h := Held{Plain: u.givenPlain()}
	for _, l := range u.Literals.Order {
		if l.Entered {
			h.Literals = append(h.Literals, l.Node) // given to a parameter with a companion
		}
	}
	for v, held := range u.Literals.vars {
		if !slices.ContainsFunc(held.values, u.blocks) {
			h.Entered = append(h.Entered, v)
		}
		for _, e := range held.values {
			if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
				h.Literals = append(h.Literals, lit)
			}
		}
	}
	for v, value := range u.Literals.arguments {
		h.Run = append(h.Run, v)
		if lit, ok := value.(*ast.FuncLit); ok {
			h.Literals = append(h.Literals, lit)
		}
	}
	return h
}

// givenPlain returns what calls give to parameters with companions although it has no entry there.
// Deferred calls pass no entries.
func (fs *Facts) givenPlain() []ast.Expr {
	var list []ast.Expr
	deferred := map[*ast.CallExpr]bool{}
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			deferred[n.Call] = true
		case *ast.CallExpr:
			s := fs.Source.Package.Twins.Entry(n, fs.Info)
			for _, g := range s.Given(n, fs.Info) {
				for _, e := range g.Values {
					if deferred[n] || g.Spread || fs.blocks(e) && fs.Binds(e) == nil {
						list = append(list, ast.Unparen(e))
					}
				}
			}
		}
		return true
	})
	return list
}
