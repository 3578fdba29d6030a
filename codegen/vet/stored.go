package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
)

// Functions that plain code stores, and machines call. A constructor is rarely annotated:
//
//	func newServer(c *Client) *server { return &server{onClose: func() { c.Flush(ctx) }} }
//
// Flush may block there, since plain code may call the literal. But a machine that calls s.onClose
// holds its worker. So the check follows functions that block from where they are written, through
// the variables, fields, containers, parameters and results of the package, to the calls in
// machines. What a container holds is known as one: the check takes m["x"] for any element of m.
//
// It is tempting to compare types instead of following values. But a package has many a func(),
// and one of them that blocks would make a finding of every call of the others.

// storedFunc is a function that blocks its caller, and is a value somewhere.
type storedFunc struct {
	name string // how a finding names it
	why  reason
}

// stored is where functions that block are stored. A place is a variable or a field, or a function
// that returns one.
type stored struct {
	in    map[types.Object]storedFunc
	first []types.Object                  // the keys of in, in the order of the source
	moves map[types.Object][]types.Object // from a place to others
}

// collectStored finds what each place of the package may hold. A literal in an annotated function
// is no beginning: what blocks in it is reported there.
func (c *indirect) collectStored() {
	c.stored = stored{in: map[types.Object]storedFunc{}, moves: map[types.Object][]types.Object{}}
	for _, file := range c.files {
		ast.PreorderStack(file, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				c.moved(c.place(n.X), c.place(n.Value))
			case *ast.AssignStmt:
				if len(n.Rhs) == 1 && len(n.Lhs) > 1 {
					for _, to := range n.Lhs {
						c.moved(c.place(n.Rhs[0]), c.place(to))
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

// moved notes that what from holds may come to to.
func (c *indirect) moved(from, to types.Object) {
	if from != nil && to != nil && from != to {
		c.stored.moves[from] = append(c.stored.moves[from], to)
	}
}

// spread tells the places behind from what from holds.
func (c *indirect) spread(from types.Object) {
	for _, to := range c.stored.moves[from] {
		if _, known := c.stored.in[to]; !known {
			c.stored.in[to] = c.stored.in[from]
			c.spread(to)
		}
	}
}

// stores notes where e goes, if it is a function and not the called one.
func (c *indirect) stores(e ast.Expr, stack []ast.Node) {
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
		c.moved(c.place(e), to)
	}
}

// blockingValue returns the function that e is, if that blocks its caller.
func (c *indirect) blockingValue(e ast.Expr, stack []ast.Node) (f storedFunc, blocks bool) {
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
	if c.twins.Twin(fn) != nil {
		return storedFunc{types.ExprString(e), reason{Calls: "its plain form", Twin: true}}, true
	}
	if why := c.blocks(fn); why != nil {
		return storedFunc{types.ExprString(e), *why}, true
	}
	return f, false
}

// inMachine reports whether the innermost declaration of a stack is an annotated function.
func (c *indirect) inMachine(stack []ast.Node) bool {
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

// place is where the value of e is or, if e is a part of something, where that is; nil: it has no
// name.
func (c *indirect) place(e ast.Expr) types.Object {
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

// placeOfResult is place for a call: the function or, for a conversion and a method of a container
// of the runtime, such as a channel, what that is of.
func (c *indirect) placeOfResult(call *ast.CallExpr) types.Object {
	if c.info.Types[call.Fun].IsType() && len(call.Args) == 1 {
		return c.place(call.Args[0])
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.ofCoord(call) {
		return c.place(sel.X)
	}
	return c.place(call.Fun)
}

func (c *indirect) ofCoord(call *ast.CallExpr) bool {
	fn := c.callee(call)
	return fn != nil && fn.Signature().Recv() != nil && fn.Pkg() != nil && fn.Pkg().Path() == coordPath
}

// destination is the place that e goes to, which is written where stack says; nil: none that has a
// name.
func (c *indirect) destination(e ast.Expr, stack []ast.Node) types.Object {
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
			return c.assigned(around.Lhs, around.Rhs, e)
		case *ast.ValueSpec:
			names := make([]ast.Expr, len(around.Names))
			for i, name := range around.Names {
				names[i] = name
			}
			return c.assigned(names, around.Values, e)
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

// parameterFor returns the parameter of a function of the package that e is passed for, or the
// container of the runtime that it is passed to.
func (c *indirect) parameterFor(call *ast.CallExpr, e ast.Expr) types.Object {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && c.ofCoord(call) {
		return c.place(sel.X)
	}
	callee := c.callee(call)
	if callee == nil || callee.Pkg() != c.survey.pass.Pkg {
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

func (c *indirect) unkeyedField(lit *ast.CompositeLit, e ast.Expr) types.Object {
	of, ok := coreOf(c.info.TypeOf(lit)).(*types.Struct)
	for i, elt := range lit.Elts {
		if ok && within(elt, e) && i < of.NumFields() {
			return of.Field(i).Origin()
		}
	}
	return nil
}

// assigned returns the place of the one of names that e becomes the value of.
func (c *indirect) assigned(names, values []ast.Expr, e ast.Expr) types.Object {
	for i, value := range values {
		if within(value, e) && len(names) == len(values) {
			return c.place(names[i])
		}
	}
	return nil
}

// returner is the declared function that returns from where the stack is; nil: a literal does.
func (c *indirect) returner(stack []ast.Node) types.Object {
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
func (c *indirect) storedAt(fun ast.Expr) (storedFunc, bool) {
	f, ok := c.stored.in[c.place(fun)]
	return f, ok
}
