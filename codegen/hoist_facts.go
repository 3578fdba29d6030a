package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// analyse finds the suspension points and what the function does with each of
// its variables.
func (u *unit) analyse() {
	if u.outer == nil {
		ast.Inspect(u.body, u.noteFacts)
		u.noteCaptures()
		u.findGiven()
	}
	u.findFuncVars()
	u.findPoints()
	u.defers = u.hasDefers()
	u.findRuns()
	if u.streams() {
		u.shareParameters()
	}
	u.findFragile()
	for _, v := range u.signatureResults() {
		if f := u.factsOf(v); f.captured {
			f.mutated = true // by return statements
		}
	}
	for _, l := range u.inside {
		l.unit.analyse()
	}
}

// findPoints marks each suspension point and every node around it. Function
// literals are other functions: what they call blocks as in plain code.
func (u *unit) findPoints() {
	var around []ast.Node
	detached := map[*ast.CallExpr]bool{}
	ast.Inspect(u.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			around = around[:len(around)-1]
			return true
		case *ast.FuncLit:
			return false
		case *ast.GoStmt:
			detached[n.Call] = true // its function runs elsewhere
		case *ast.DeferStmt:
			detached[n.Call] = true // or later
			u.noteDeferred(n)
		case *ast.RangeStmt:
			if _, ok := u.streamIn(n); ok {
				u.mark(around, n)
			}
		case *ast.AssignStmt, *ast.ValueSpec:
			u.noteAssigned(n, around)
		case *ast.CallExpr:
			if s, ok := u.suspension(n); ok && !detached[n] {
				u.points[n] = &s
				if s.Kind == source.KindLiteral {
					u.machine(ast.Unparen(n.Fun).(*ast.FuncLit))
				}
				u.mark(around, n)
			}
		}
		around = append(around, n)
		return true
	})
}

// noteDeferred notes a deferred call that suspends.
func (u *unit) noteDeferred(n *ast.DeferStmt) {
	s, ok := u.suspension(n.Call)
	if !ok || s.Kind == source.KindOperation {
		return
	}
	u.deferred[n] = &s
	u.epilogue = u.label("epilogue")
	if lit, ok := ast.Unparen(n.Call.Fun).(*ast.FuncLit); ok {
		u.machine(lit).deferred = true
	}
}

// suspension is the suspension point that a call is, if it is one.
func (u *unit) suspension(call *ast.CallExpr) (source.Suspension, bool) {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return source.Suspension{Kind: source.KindLiteral}, u.literalSuspends(lit)
	}
	if u.funcVarOf(call.Fun) != nil {
		return source.Suspension{Kind: source.KindValue}, true
	}
	if u.operates(call) {
		return source.Suspension{Kind: source.KindOperation}, true
	}
	if u.self == nil && u.isYield(call.Fun) {
		return source.Suspension{Kind: source.KindEmit}, true
	}
	return u.fn.Package.Twins.Suspends(call, u.info)
}

// mark notes that n suspends, and so do the nodes around it.
func (u *unit) mark(around []ast.Node, n ast.Node) {
	for _, outer := range around {
		u.suspending[outer] = true
	}
	u.suspending[n] = true
}

func (u *unit) suspends(n ast.Node) bool { return u.suspending[n] }

func (u *unit) factsOf(obj types.Object) *facts {
	f := u.facts[obj]
	if f == nil {
		v, isVar := obj.(*types.Var)
		f = &facts{unnamed: isVar && u.imports.IsOpen(v.Type())}
		u.facts[obj] = f
	}
	return f
}

// signatureResults are the result parameters that have names.
func (u *unit) signatureResults() []*types.Var {
	var list []*types.Var
	for v := range u.sig.Results().Variables() {
		if v.Name() != "" && v.Name() != "_" {
			list = append(list, v)
		}
	}
	return list
}

// noteFacts notes assignments and addresses.
func (u *unit) noteFacts(n ast.Node) bool {
	for _, lhs := range assignedBy(n) {
		u.noteMutation(lhs)
	}
	switch n := n.(type) {
	case *ast.RangeStmt:
		u.noteOldRange(n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			u.noteAddress(n.X)
		}
	case *ast.SliceExpr:
		if typeset.Perhaps(u.typeOf(n.X), typeset.IsA[*types.Array]) {
			u.noteAddress(n.X)
		}
	case *ast.SelectorExpr:
		if u.takesAddress(n) {
			u.noteAddress(n.X)
		}
	}
	return true
}

// takesAddress reports whether sel calls, or makes a value of, a method with a
// pointer receiver on something that is no pointer.
func (u *unit) takesAddress(sel *ast.SelectorExpr) bool {
	s := u.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	recv := s.Obj().(*types.Func).Signature().Recv()
	if !source.IsPointer(recv) {
		return false
	}
	return !isPointerType(s.Recv())
}

// noteOldRange: with :=, a loop's variables are new in each iteration since Go 1.22,
// and were shared by all before.
func (u *unit) noteOldRange(n *ast.RangeStmt) {
	if n.Tok != token.DEFINE || u.loopVarPerIteration() {
		return
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if id, ok := e.(*ast.Ident); ok && u.info.Defs[id] != nil {
			u.factsOf(u.info.Defs[id]).mutated = true
		}
	}
}

// loopVarPerIteration reports whether each iteration of a loop has variables of its
// own, which the language version of the file decides.
func (u *unit) loopVarPerIteration() bool {
	v := u.info.FileVersions[u.fn.File.Syntax]
	if v == "" {
		v = u.fn.Package.Language
	}
	return v == "" || version.Compare(v, "go1.22") >= 0
}

// noteMutation notes an assignment to (part of) a variable, unless the
// assignment declares it.
func (u *unit) noteMutation(lhs ast.Expr) {
	if v := u.rootVar(lhs); v != nil {
		u.factsOf(v).mutated = true
	}
}

func (u *unit) noteAddress(e ast.Expr) {
	if v := u.rootVar(e); v != nil {
		u.factsOf(v).addressed = true
	}
}

// rootVar is the variable that e is, or is a part of without an indirection.
func (u *unit) rootVar(e ast.Expr) *types.Var {
	if e == nil {
		return nil
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := u.info.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		s := u.info.Selections[e]
		if s == nil || s.Kind() != types.FieldVal || isPointerType(u.typeOf(e.X)) {
			return nil
		}
		return u.rootVar(e.X)
	case *ast.IndexExpr:
		if typeset.Perhaps(u.typeOf(e.X), typeset.IsA[*types.Array]) {
			return u.rootVar(e.X)
		}
	}
	return nil
}

func (u *unit) typeOf(e ast.Expr) types.Type {
	if t := u.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func isPointerType(t types.Type) bool {
	return typeset.Always(t, typeset.IsA[*types.Pointer])
}

// noteCaptures marks variables that are mentioned, or assigned, in a function
// literal which does not declare them.
func (u *unit) noteCaptures() {
	var literals []*ast.FuncLit
	var visit func(n ast.Node) bool
	outer := func(v *types.Var) bool {
		return len(literals) > 0 && v != nil && !v.IsField() && !within(literals[len(literals)-1], v.Pos())
	}
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
			ast.Inspect(n.Type, visit)
			ast.Inspect(n.Body, visit)
			literals = literals[:len(literals)-1]
			return false
		case *ast.Ident:
			if v, ok := u.info.Uses[n].(*types.Var); ok && outer(v) {
				u.factsOf(v).captured = true
			}
		}
		for _, lhs := range assignedBy(n) {
			if v := u.rootVar(lhs); outer(v) {
				u.factsOf(v).inLiteral = true
			}
		}
		return true
	}
	ast.Inspect(u.body, visit)
}

// assignedBy are the left-hand sides of a statement.
func assignedBy(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	}
	return nil
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }
