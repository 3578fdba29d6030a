package analyse

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// findPoints marks each suspension point and every node that contains one. Function literals
// are separate functions: their calls block, as in plain code.
func (fs *Facts) findPoints() {
	var around []ast.Node
	detached := map[*ast.CallExpr]bool{}
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			around = around[:len(around)-1]
			return true
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			detached[n.Call] = true // the function runs elsewhere
		case *ast.DeferStmt:
			detached[n.Call] = true // or later
			fs.noteDeferred(n, around)
		case *ast.RangeStmt:
			if _, ok := fs.StreamIn(n); ok || n.Value != nil && fs.FuncVarOf(n.Value) != nil { // see FuncList
				fs.mark(around, n)
			}
		case *ast.AssignStmt, *ast.ValueSpec:
			fs.noteAssigned(n, around)
		case *ast.CallExpr:
			if s, ok := fs.suspension(n); ok && !detached[n] {
				fs.Points[n] = &s
				if s.Kind == source.KindLiteral {
					fs.machine(ast.Unparen(n.Fun).(*ast.FuncLit))
				}
				fs.noteGiven(n, &s)
				fs.mark(around, n)
			}
		}
		fs.noteKept(n, around)
		around = append(around, n)
		return true
	})
}

// noteDeferred records a deferred call that suspends.
func (fs *Facts) noteDeferred(n *ast.DeferStmt, around []ast.Node) {
	s, ok := fs.suspension(n.Call)
	if !ok || s.Kind == source.KindKept || s.Kind == source.KindEnter && s.Twin == nil {
		return // it suspends only if it is given an entry, and a deferred call gives none
	}
	fs.Deferred[n] = &s
	if lit, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); ok {
		fs.machine(lit).Deferred = true
	}
	if f := fs.FuncVarOf(n.Call.Fun); f != nil && f.Perhaps {
		fs.mark(around, n) // it has to ask whether there is an entry
	}
}

// suspension describes a call that is a suspension point, and reports whether it is one.
func (fs *Facts) suspension(call *ast.CallExpr) (source.Suspension, bool) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return source.Suspension{Kind: source.KindLiteral}, fs.literalSuspends(lit)
	}
	if fs.FuncVarOf(call.Fun) != nil {
		return source.Suspension{Kind: source.KindValue}, true
	}
	if s, ok := fs.entersGiven(call); ok {
		return s, true
	}
	if fs.Literal == nil && fs.isYield(call.Fun) {
		return source.Suspension{Kind: source.KindEmit}, true
	}
	return fs.Source.Package.Twins.Suspends(call, fs.Info)
}

// mark records that n and the nodes around it suspend.
func (fs *Facts) mark(around []ast.Node, n ast.Node) {
	fs.suspending[n] = true
	for _, outer := range slices.Backward(around) {
		if fs.suspending[outer] {
			return // and so are those around it: an expression may have thousands
		}
		fs.suspending[outer] = true
	}
}

// Suspends reports whether n is a suspension point, contains one, or is decomposed: it has to be
// taken apart.
func (fs *Facts) Suspends(n ast.Node) bool { return fs.suspending[n] }

// BindsItself reports whether x.M can be evaluated when it is called instead of when it is
// deferred. It can if x is a variable, the method has a pointer receiver, and the pointer is
// the variable's address or a value that never changes.
func (fs *Facts) BindsItself(fun ast.Expr, sel *types.Selection) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok || len(sel.Index()) != 1 || !source.IsPointer(sel.Obj().(*types.Func).Signature().Recv()) {
		return false
	}
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := fs.Info.Uses[id].(*types.Var)
	if !ok || !Within(fs.Source.Decl, v.Pos()) {
		return false
	}
	return !typeset.IsPointer(v.Type()) || fs.IsStable(id)
}

// IsStable reports whether e is a variable of the function that keeps the value it
// was declared with.
func (fs *Facts) IsStable(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := fs.Info.Uses[id].(*types.Var)
	if !ok || v.IsField() || !Within(fs.Source.Decl, v.Pos()) || typeset.HoldsLock(v.Type()) {
		return false
	}
	for _, r := range fs.signatureResults() {
		if r == v {
			return false
		}
	}
	f := fs.UsageOf(v)
	return !f.Mutated && !f.Addressed
}

// hasDefers reports whether the function defers calls. Then more code runs when the function
// ends, and the function may continue after a panic.
func (fs *Facts) hasDefers() bool {
	found := false
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// CallsRecover reports whether the function itself calls recover.
func (fs *Facts) CallsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name, _ := fs.Builtin(n.Fun)
			found = found || name == "recover"
		}
		return !found
	})
	return found
}

// streamSignature returns the signature of a stream's machine: it returns nothing.
func streamSignature(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(sig.Recv(), nil, nil, sig.Params(), nil, sig.Variadic())
}

// isYield reports whether e is the stream's yield.
func (fs *Facts) isYield(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && fs.Source.Stream != nil && fs.Source.Stream.Yield != nil && fs.Info.Uses[id] == fs.Source.Stream.Yield
}

// shareParameters makes all ranges over one stream share the function's parameters, since in
// plain Go the literal captures them. A parameter that is assigned gets a cell, and all machines
// of the stream point to it.
func (fs *Facts) shareParameters() {
	note := func(v *types.Var) {
		if f := fs.usageOf(v); v != nil && f.Mutated {
			f.Captured = true
		}
	}
	if recv := fs.Signature.Recv(); recv != nil {
		note(recv)
	}
	for v := range fs.Signature.Params().Variables() {
		note(v)
	}
}

// Streamed is the operand of a range over a stream; either Call or Of is set.
type Streamed struct {
	Call *ast.CallExpr // of a function with a twin, which Point describes
	Of   ast.Expr      // a *job.Stream, of which All was called

	Point source.Suspension
}

// StreamIn returns the stream that s ranges over, and reports whether there is one.
func (fs *Facts) StreamIn(s *ast.RangeStmt) (Streamed, bool) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return Streamed{}, false
	}
	if point, ok := fs.Source.Package.Twins.Stream(call, fs.Info); ok {
		return Streamed{Call: call, Point: point}, true
	}
	fn, _, method := source.Callee(call, fs.Info)
	if fn == nil || method == nil || method.Kind() != types.MethodVal || len(method.Index()) != 1 || !source.IsStreamRange(fn) {
		return Streamed{}, false
	}
	return Streamed{Of: ast.Unparen(call.Fun).(*ast.SelectorExpr).X}, true
}
