package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
)

// Functions that plain code stores and machines call. A constructor is rarely annotated:
//
//	func newServer(c *Client) *server { return &server{onClose: func() { c.Flush(ctx) }} }
//
// Flush may block there, since plain code may call the literal. But a machine that calls
// s.onClose blocks its worker. So the check follows blocking functions from where they are
// written, through the variables, fields, containers, parameters and results of the package, to
// the calls in machines. It treats the contents of a container as one value: m["x"] stands for
// any element of m.
//
// It is tempting to compare types instead of following values. But a package has many values of
// type func(), and a single one that blocks would make every call of the others a finding.

// storedFunc is a function that blocks its caller and is used as a value.
type storedFunc struct {
	name string // its name in findings
	why  reason
}

// stored records where blocking functions are stored. A place is a variable, a field, or a
// function, which stands for its results.
type stored struct {
	in    map[types.Object]storedFunc
	first []types.Object                  // the keys of in, in the order of the source
	moves map[types.Object][]types.Object // from a place to the places that receive its value
}

// collectStored finds what each place of the package may hold. It does not start from literals
// in annotated functions: what blocks in them is reported there.
func (c *callCheck) collectStored() {
	c.stored = stored{in: map[types.Object]storedFunc{}, moves: map[types.Object][]types.Object{}}
	for _, file := range c.files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				c.recordMove(c.place(n.X), c.place(n.Value))
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 && len(n.Lhs) > 1 {
					for _, to := range n.Lhs {
						c.recordMove(c.place(n.Rhs[0]), c.place(to))
					}
				}
			case ast.Expr:
				c.stores(n, stack)
			}
			return true
		})
	}
	for _, from := range c.stored.first {
		c.spread(from)
	}
}

// recordMove records that to may receive what from holds.
func (c *callCheck) recordMove(from, to types.Object) {
	if from != nil && to != nil && from != to {
		c.stored.moves[from] = append(c.stored.moves[from], to)
	}
}

// spread records the contents of from in all places that it flows to.
func (c *callCheck) spread(from types.Object) {
	for _, to := range c.stored.moves[from] {
		if _, known := c.stored.in[to]; !known {
			c.stored.in[to] = c.stored.in[from]
			c.spread(to)
		}
	}
}

// stores records where e is stored, if it is a function that is not called there.
func (c *callCheck) stores(e ast.Expr, stack []ast.Node) {
	if _, ok := coreOf(c.info.TypeOf(e)).(*types.Signature); !ok || c.handed[e] {
		return
	}
	to := c.destination(e, stack)
	if to == nil {
		return
	}
	f, blocks := c.blockingValue(e, stack)
	if _, known := c.stored.in[to]; blocks && !known {
		c.stored.in[to] = f
		c.stored.first = append(c.stored.first, to)
	} else if !blocks {
		c.recordMove(c.place(e), to)
	}
}

// blockingValue returns the function that e denotes, if that function blocks its caller.
func (c *callCheck) blockingValue(e ast.Expr, stack []ast.Node) (f storedFunc, blocks bool) {
	if lit, ok := e.(*ast.FuncLit); ok {
		why := c.blocksIn(lit.Body)
		if why == nil || c.inMachine(stack) {
			return f, false
		}
		at := c.survey.pass.Fset.Position(lit.Pos())
		return storedFunc{fmt.Sprintf("the function literal of %s:%d", filepath.Base(at.Filename), at.Line), *why}, true
	}
	fn := c.function(e)
	if fn == nil || fn.Pkg() == nil {
		return f, false
	}
	if c.inMachine(stack) && c.becomesKept(e, stack) {
		return f, false
	}
	if c.twinFunction(e) != nil {
		return storedFunc{types.ExprString(e), reason{Calls: "its plain form", Twin: true}}, true
	}
	if why := c.blocks(fn); why != nil {
		return storedFunc{types.ExprString(e), *why}, true
	}
	return f, false
}

// inMachine reports whether the innermost declaration of a stack is an annotated function.
func (c *callCheck) inMachine(stack []ast.Node) bool {
	decl := declarationIn(stack)
	if decl == nil {
		return false
	}
	fn, ok := c.info.Defs[decl.Name].(*types.Func)
	return ok && c.twins.Twin(fn) != nil
}

func declarationIn(stack []ast.Node) *ast.FuncDecl {
	for _, n := range stack {
		if decl, ok := n.(*ast.FuncDecl); ok {
			return decl
		}
	}
	return nil
}

// place returns the place of e's value or, if e is a part of something, that of the whole.
// It returns nil if that has no name.
func (c *callCheck) place(e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		switch o := c.info.ObjectOf(nameIn(e)).(type) {
		case *types.Var:
			return o.Origin()
		case *types.Func:
			return o.Origin()
		}
	case *ast.ParenExpr:
		return c.place(e.X)
	case *ast.IndexExpr:
		return c.place(e.X)
	case *ast.IndexListExpr:
		return c.place(e.X)
	case *ast.SliceExpr:
		return c.place(e.X)
	case *ast.StarExpr:
		return c.place(e.X)
	case *ast.UnaryExpr:
		return c.place(e.X)
	case *ast.TypeAssertExpr:
		return c.place(e.X)
	case *ast.CallExpr:
		return c.placeOfResult(e)
	}
	return nil
}

// placeOfResult is place for a call: the called function; or, for a conversion and for a method
// of a runtime container such as a channel, that of the operand.
func (c *callCheck) placeOfResult(call *ast.CallExpr) types.Object {
	if c.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return c.place(call.Args[0])
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.ofCoord(call) {
		return c.place(sel.X)
	}
	return c.place(call.Fun)
}

func (c *callCheck) ofCoord(call *ast.CallExpr) bool {
	fn := c.callee(call)
	return fn != nil && fn.Signature().Recv() != nil && fn.Pkg() != nil && fn.Pkg().Path() == coordPath
}

// destination returns the place that receives e, given the nodes around e in stack. It returns
// nil if that has no name.
func (c *callCheck) destination(e ast.Expr, stack []ast.Node) types.Object {
	for i := len(stack) - 1; i >= 0; i-- {
		switch around := stack[i].(type) {
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.UnaryExpr:
		case *ast.KeyValueExpr:
			if field, ok := c.info.ObjectOf(nameIn(around.Key)).(*types.Var); ok && field.IsField() {
				return field.Origin()
			}
		case *ast.CompositeLit:
			if field := c.unkeyedField(around, e); field != nil {
				return field
			}
		case *ast.CallExpr:
			tv := c.info.Types[around.Fun]
			if !tv.IsType() && !tv.IsBuiltin() {
				return c.parameterFor(around, e)
			}
		case *ast.AssignStmt:
			return c.assignee(around.Lhs, around.Rhs, e)
		case *ast.ValueSpec:
			names := make([]ast.Expr, len(around.Names))
			for i, name := range around.Names {
				names[i] = name
			}
			return c.assignee(names, around.Values, e)
		case *ast.RangeStmt:
			return c.place(around.Value)
		case *ast.SendStmt:
			return c.place(around.Chan)
		case *ast.ReturnStmt:
			return c.returner(stack[:i])
		default:
			return nil
		}
	}
	return nil
}

// parameterFor returns the parameter that receives the argument e, of a function of the package,
// or the runtime container that e is passed to. The twin of a function has the parameters of the
// function. A call of the function itself suspends or is plain, so it is no concern: only the twin
// calls plain functions on a worker.
func (c *callCheck) parameterFor(call *ast.CallExpr, e ast.Expr) types.Object {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.ofCoord(call) {
		return c.place(sel.X)
	}
	callee := c.callee(call)
	if callee == nil || callee.Pkg() != c.survey.pass.Pkg {
		return nil
	}
	if plain := c.twins.Plain(callee); plain != nil {
		callee = plain
	} else if point, ok := c.twins.Suspends(call, c.info); ok && len(point.Companions) > 0 {
		return nil
	}
	params := callee.Origin().Signature().Params()
	for i, arg := range call.Args {
		if within(arg, e) && params.Len() > 0 {
			return params.At(min(i, params.Len()-1))
		}
	}
	return nil
}

func (c *callCheck) unkeyedField(lit *ast.CompositeLit, e ast.Expr) types.Object {
	of, ok := coreOf(c.info.TypeOf(lit)).(*types.Struct)
	for i, elt := range lit.Elts {
		if ok && within(elt, e) && i < of.NumFields() {
			return of.Field(i).Origin()
		}
	}
	return nil
}

// assignee returns the place of the name that receives e in an assignment of values to names.
func (c *callCheck) assignee(names, values []ast.Expr, e ast.Expr) types.Object {
	for i, value := range values {
		if within(value, e) && len(names) == len(values) {
			return c.place(names[i])
		}
	}
	return nil
}

// returner returns the declared function that a return statement at the top of stack returns
// from, or nil if it returns from a literal.
func (c *callCheck) returner(stack []ast.Node) types.Object {
	for i := len(stack) - 1; i >= 0; i-- {
		switch around := stack[i].(type) {
		case *ast.FuncLit:
			return nil
		case *ast.FuncDecl:
			return c.info.Defs[around.Name]
		}
	}
	return nil
}

// storedAt returns the blocking function that a call of fun may reach.
func (c *callCheck) storedAt(fun ast.Expr) (storedFunc, bool) {
	f, ok := c.stored.in[c.place(fun)]
	return f, ok
}
