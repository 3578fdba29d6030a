package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
)

// Functions as values; see indirect.go.

// funcValue reports a call of a function that is known only at run time.
func (c *callCheck) funcValue(call *ast.CallExpr) {
	fun := ast.Unparen(call.Fun)
	if _, lit := fun.(*ast.FuncLit); lit {
		return
	}
	sig, ok := coreOf(c.info.TypeOf(fun)).(*types.Signature)
	if !ok || startsOnly(sig) {
		return
	}
	if id, ok := fun.(*ast.Ident); ok {
		v, ok := c.info.ObjectOf(id).(*types.Var)
		switch {
		case !ok:
		case c.entered[v] && v.Kind() == types.ParamVar:
			c.enteredParameter(call, sig)
			return
		case c.entered[v] || c.isYield(v):
			return
		}
	}
	if !takesContext(sig) && !slices.ContainsFunc(c.signatures, func(t types.Type) bool { return types.Identical(t, sig) }) {
		c.note(c.region.decl, blindCall{Type: typeName(sig)})
		if f, ok := c.storedAt(fun); ok {
			c.report(call, storedBlocks(types.ExprString(call.Fun), f))
		}
		return
	}
	c.report(call, valueBlocks(types.ExprString(call.Fun)))
}

// enteredParameter reports a call that suspends if a machine has given the function, but blocks
// since plain code gives one to the twin.
func (c *callCheck) enteredParameter(call *ast.CallExpr, sig *types.Signature) {
	c.note(c.region.decl, blindCall{Type: typeName(sig)})
	if f, ok := c.storedAt(ast.Unparen(call.Fun)); ok {
		c.report(call, paramBlocks(types.ExprString(call.Fun), f))
	}
}

// givenValues reports functions that a machine gives to one which would suspend in them, but has
// no entry of them. What blocks in a literal is reported there.
func (c *callCheck) givenValues(call *ast.CallExpr, point *source.Suspension) {
	for _, g := range point.Given(call, c.info) {
		for _, e := range g.Values {
			if e = ast.Unparen(e); c.plain[e] {
				c.givenValue(e, call, g.Func)
			}
		}
	}
}

func (c *callCheck) givenValue(e ast.Expr, call *ast.CallExpr, sig *types.Signature) {
	value, to := types.ExprString(e), types.ExprString(call.Fun)
	f, stored := c.storedAt(e)
	_, lit := e.(*ast.FuncLit)
	switch {
	case lit || c.info.Types[e].IsNil():
	case c.twinFunction(e) != nil:
		c.report(e, formGiven(value, to, c.deferred[call]))
	case c.function(stripInstantiation(e)) != nil:
	case takesContext(sig) || slices.ContainsFunc(c.signatures, func(t types.Type) bool { return types.Identical(t, sig) }):
		c.report(e, valueGiven(value, to))
	case stored:
		c.report(e, storedBlocks(value, f))
	}
}

// startsOnly reports whether a function of this type returns something to await, as the finding
// recommends: the call starts the work, and the await suspends.
func startsOnly(sig *types.Signature) bool {
	if sig.Results().Len() != 1 {
		return false
	}
	result := sig.Results().At(0).Type()
	awaiter, _, _ := types.LookupFieldOrMethod(result, true, nil, "GetAwaiter")
	_, awaitable := awaiter.(*types.Func)
	return awaitable || isJob(result)
}

// isYield reports whether v is the yield of the surrounding stream; calling it emits a value.
func (c *callCheck) isYield(v *types.Var) bool {
	lit := source.StreamLiteral(c.region.decl)
	return lit != nil && lit.Type.Pos() <= v.Pos() && v.Pos() < lit.Body.Pos()
}

func takesContext(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && source.IsContext(sig.Params().At(0).Type())
}

// value reports a function with a twin that is passed on or kept: its callers call the plain
// form.
func (c *callCheck) value(e ast.Expr, stack []ast.Node) {
	fn := c.twinFunction(e)
	if fn == nil || c.handed[e] {
		c.plainFunction(e)
		return
	}
	if c.becomesKept(e, stack) {
		return
	}
	instead := "call it where the function does, or give it to job.Run or a scope's Go"
	for i := len(stack) - 1; i >= 0; i-- {
		switch around := stack[i].(type) {
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			continue
		case *ast.CallExpr:
			callee := c.callee(around)
			if isObjectOf(callee, jobPath, "Blocking") {
				return
			}
			if ast.Unparen(around.Fun) == e || within(around.Fun, e) || c.startsJob(around) || c.startsMachine(around, c.region.runner, e) || callee != nil && c.suspends(around) || c.enters(around) {
				return // it is a call, or plainform checks it, or its own machine calls it
			}
			if callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == parallelPath {
				instead = c.insteadOf(around)
			}
		case *ast.AssignStmt:
			for i, rhs := range around.Rhs {
				if within(rhs, e) && i < len(around.Lhs) && c.holds(around.Lhs[i]) {
					return
				}
			}
		case *ast.ValueSpec:
			for i, rhs := range around.Values {
				if within(rhs, e) && i < len(around.Names) && c.holds(around.Names[i]) {
					return
				}
			}
		}
		break
	}
	c.report(e, formPassed(types.ExprString(e), instead))
}

// becomesKept reports whether a function becomes a value of a marked type, which machines enter if
// one of them has made it.
func (c *callCheck) becomesKept(e ast.Expr, stack []ast.Node) bool {
	var around ast.Node
	var results *types.Tuple
	switch r := c.region; {
	case r == nil:
	case r.lit != nil:
		results = signatureIn(r.lit, c.info).Results() // the stack begins in its body
	default:
		results = signatureIn(r.decl, c.info).Results()
	}
	for _, n := range slices.Backward(stack) {
		switch n.(type) {
		case *ast.ParenExpr, *ast.KeyValueExpr:
			continue
		}
		if around == nil {
			around = n
		}
		if typ := signatureIn(n, c.info); typ != nil {
			results = typ.Results()
			break
		}
	}
	return around != nil && analyse.BecomesKept(e, around, c.info, results)
}

// signatureIn returns the signature of n if it is a function.
func signatureIn(n ast.Node, info *types.Info) *types.Signature {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return info.Defs[n.Name].(*types.Func).Signature()
	case *ast.FuncLit:
		return info.TypeOf(n).(*types.Signature)
	}
	return nil
}

// keptValue reports a call of a value of a marked type which plain code has made: it has no entry.
func (c *callCheck) keptValue(call *ast.CallExpr) {
	if f, ok := c.storedAt(ast.Unparen(call.Fun)); ok {
		c.report(call, markedBlocks(types.ExprString(call.Fun), f))
	}
}

// plainFunction reports a blocking function of the package that is passed on.
func (c *callCheck) plainFunction(e ast.Expr) {
	fn := c.function(e)
	if fn == nil || c.handed[e] {
		return
	}
	if r := c.blocks(fn); r != nil {
		c.report(e, plainPassed(types.ExprString(e), *r))
	}
}

// holds reports whether e is a variable whose calls suspend, or whose value the runtime calls.
func (c *callCheck) holds(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := c.info.ObjectOf(id).(*types.Var)
	return c.entered[v] || c.runnable[v]
}

func within(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}
