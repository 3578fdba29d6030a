package durable

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// # Points behind calls
//
// A step that a helper calls is a plain call: without a checkpoint, a key or a retry, and again
// after each crash. So the calls of a durable function are followed through the package, whatever
// they pass: a helper may have the context from its arguments, from the receiver, or may make
// one. Functions of other packages have no source here; the analyzer of codegen/vet follows them.
// A function that is mentioned without a call counts as called. Calls of interface methods and
// function values are not followed. There the runtime stops a point, and a step that uses the
// package.

// reached is a point or another use of package durable that means nothing outside its place.
type reached struct {
	what string     // for the reader
	at   *ast.Ident // in the function that contains it
}

// inPlace are the functions of package durable that are points or parts of steps.
var inPlace = map[string]bool{
	"Receive": true, "Sleep": true, "All": true, "Any": true, "Select": true, "Compensate": true,
	"Key": true, "Attempt": true, "Heartbeat": true, "Progress": true, "Tx": true,
}

// checkReach refuses a call from which a point can be reached.
func (lo *lowering) checkReach(pos ast.Node, fn *types.Func) {
	if found := lo.reach(fn, map[*types.Func]bool{}); found != nil {
		lo.refuse(hiddenPoint(lo.fn.Extent(pos), fn.Name(), found.what).Also("it is called", lo.fn.Package.Position(found.at.Pos())))
	}
}

// checkFunctionValues refuses functions that are mentioned without a call and are points, or reach
// one. The step of a Compensate is meant.
func (lo *lowering) checkFunctionValues() {
	meant := map[*ast.Ident]bool{}
	ast.Inspect(lo.fn.Decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fn, id, _ := source.Callee(n, lo.info)
			if meant[id] = true; fn != nil && source.IsObject(fn, source.DurablePath, "Compensate") && len(n.Args) > 2 {
				meant[lastIdent(n.Args[2])] = true
			}
		case *ast.Ident:
			fn, ok := lo.info.Uses[n].(*types.Func)
			switch {
			case !ok || meant[n] || fn.Pkg() == nil:
			case lo.isStep(fn):
				lo.refuse(stepAsValue(lo.fn.Extent(n), fn.Name()))
			default:
				lo.checkReach(n, fn)
			}
		}
		return true
	})
}

// lastIdent returns the identifier that names what an expression denotes, or nil.
func lastIdent(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// reach returns a point that a call of a function reaches, or nil.
func (lo *lowering) reach(fn *types.Func, seen map[*types.Func]bool) (found *reached) {
	fn = fn.Origin()
	if seen[fn] {
		return nil
	}
	seen[fn] = true
	decl := lo.functionOf(fn)
	if decl == nil || decl.Body == nil {
		return nil
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && found == nil {
			found = lo.reachFrom(id, seen)
		}
		return found == nil
	})
	return found
}

func (lo *lowering) reachFrom(id *ast.Ident, seen map[*types.Func]bool) *reached {
	fn, ok := lo.info.Uses[id].(*types.Func)
	switch {
	case !ok || fn.Pkg() == nil:
		return nil
	case lo.isStep(fn):
		return &reached{"the step " + fn.Name(), id}
	case lo.isDurable(fn):
		return &reached{"the durable function " + fn.Name(), id}
	case fn.Pkg().Path() == source.DurablePath && inPlace[fn.Name()] && fn.Signature().Recv() == nil:
		return &reached{"durable." + fn.Name(), id}
	}
	return lo.reach(fn, seen)
}

// functionOf returns the declaration of a function of the package, or nil.
func (lo *lowering) functionOf(fn *types.Func) *ast.FuncDecl {
	if lo.declared == nil {
		lo.declared = map[types.Object]*ast.FuncDecl{}
		for _, file := range lo.fn.Package.Files {
			for _, d := range file.Syntax.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					lo.declared[lo.info.Defs[f.Name]] = f
				}
			}
		}
	}
	return lo.declared[fn]
}
