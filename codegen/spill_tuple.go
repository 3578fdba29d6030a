package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Panics inside of an assignment: which one surfaces, and what was assigned before it.
//
// gc makes the assignments of a tuple one after another, each with its operand
// evaluated then; but what one of them could change for a later operand is evaluated
// before the first (ascompatee in cmd/compile/internal/walk/assign.go). A field counts
// as shared memory, which a local variable does not. So a machine would evaluate more
// operands early, and a panic of one of them would show this: a different panic
// surfaces, and different variables have been assigned before it. Such statements are
// taken apart, in the function's own order.

// fragileTuple marks assignments and returns for which that makes a difference.
func (u *unit) fragileTuple(s ast.Stmt, lhs, rhs []ast.Expr, around []ast.Node) {
	if len(rhs) < 2 || lhs != nil && len(lhs) != len(rhs) || inLiteral(around) {
		return
	}
	if a, ok := s.(*ast.AssignStmt); ok && a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return
	}
	if u.panicShows(lhs, rhs) {
		u.force(s, around)
	}
}

// panicShows reports whether an operand that may panic is evaluated in order, or before
// all assignments only because a result is assigned, and the difference is visible:
// another operand panicked first, or variables were assigned until then.
func (u *unit) panicShows(lhs, rhs []ast.Expr) bool {
	t := &tupleOrder{u: u, assigned: map[types.Object]bool{}}
	before := panicsNever
	for i, e := range rhs {
		how := u.mayPanic(e)
		switch {
		case how == panicsNever:
		case t.results:
			return true
		case !t.affected(e) && (t.memory || before != panicsNever && max(how, before) == panicsWithValue):
			return true
		}
		before = max(before, how)
		t.assign(lhs, i)
	}
	return false
}

// tupleOrder follows the assignments of a tuple as the compiler does.
type tupleOrder struct {
	u        *unit
	assigned map[types.Object]bool // local variables
	memory   bool                  // something that others may see has been assigned
	results  bool                  // a result, which deferred calls may see
}

// assign notes that left-hand side i has been assigned; without any, it is result i.
func (t *tupleOrder) assign(lhs []ast.Expr, i int) {
	var v *types.Var
	if lhs == nil {
		v = t.u.sig.Results().At(i)
	} else {
		if isBlank(lhs[i]) {
			return
		}
		if v = t.u.rootVar(lhs[i]); v == nil {
			if id, ok := lhs[i].(*ast.Ident); ok {
				v, _ = t.u.info.Defs[id].(*types.Var)
			}
		}
	}
	switch {
	case v == nil:
		t.memory = true
	case t.u.defers && t.u.isResult(v):
		t.results = true
	case t.u.isMemory(v):
		t.memory = true
	default:
		t.assigned[v] = true
	}
}

func (u *unit) isResult(v *types.Var) bool {
	for r := range u.sig.Results().Variables() {
		if r == v {
			return true
		}
	}
	return false
}

// isMemory reports whether others than the function's own statements may see a
// variable.
func (u *unit) isMemory(v *types.Var) bool {
	f := u.factsOf(v)
	return !within(u.node, v.Pos()) || f.addressed || f.captured && f.mutated
}

// affected reports whether the assignments so far could change e, as far as the
// compiler looks.
func (t *tupleOrder) affected(e ast.Expr) bool {
	if t.u.isConstant(e) || t.u.info.Types[e].IsNil() {
		return false
	}
	found := t.results
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && !found {
			if _, done := t.u.evaluated[x]; done {
				return false
			}
			found = t.memory && t.u.readsMemory(x)
			if id, ok := x.(*ast.Ident); ok {
				found = found || t.assigned[t.u.info.Uses[id]]
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// readsMemory is the compiler's function of that name.
func (u *unit) readsMemory(e ast.Expr) bool {
	if u.isConstant(e) || u.info.Types[e].IsNil() || u.info.Types[e].IsType() {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := u.info.Uses[e].(*types.Var)
		return ok && u.isMemory(v)
	case *ast.ParenExpr, *ast.TypeAssertExpr:
		return false
	case *ast.UnaryExpr:
		return e.Op == token.AND || e.Op == token.ARROW
	case *ast.BinaryExpr:
		return !isArithmetic(e.Op) && e.Op != token.LAND && e.Op != token.LOR || isString(u.typeOf(e))
	case *ast.SelectorExpr:
		s := u.info.Selections[e]
		return s == nil || s.Kind() != types.FieldVal || s.Indirect()
	case *ast.CallExpr:
		return !u.isConversion(e) || isString(u.typeOf(e)) && !isString(u.typeOf(e.Args[0]))
	}
	return true
}

// tuple makes the assignments of a forced tuple. Without left-hand sides they are the
// results.
func (u *unit) tuple(lhs, rhs []ast.Expr, dst func(int) dest) {
	t := &tupleOrder{u: u, assigned: map[types.Object]bool{}}
	for i, e := range rhs {
		if lhs != nil {
			for _, part := range u.placeParts(lhs[i]) {
				t.settle(part)
			}
		}
		t.settle(e)
		t.assign(lhs, i)
	}
	for i, e := range rhs {
		d := dst(i)
		if id, ok := ast.Unparen(e).(*ast.Ident); ok && d.v != nil && lhs == nil && u.variableOf(id) == d.v {
			continue // return x, where x is the result
		}
		u.add(&assign{dst: []dest{d}, src: u.value(e), typed: true})
	}
}

// settle evaluates the affected operands early.
func (t *tupleOrder) settle(e ast.Expr) {
	if t.affected(e) {
		t.u.hoist(ast.Unparen(e))
	}
}

// placeParts are the operands that determine the place of a left-hand side.
func (u *unit) placeParts(lhs ast.Expr) []ast.Expr {
	switch e := ast.Unparen(lhs).(type) {
	case *ast.IndexExpr:
		if _, ok := typeset.Core(u.typeOf(e.X)).(*types.Array); ok {
			return append([]ast.Expr{e.Index}, u.placeParts(e.X)...)
		}
		return []ast.Expr{e.X, e.Index}
	case *ast.StarExpr:
		return []ast.Expr{e.X}
	case *ast.SelectorExpr:
		if s := u.info.Selections[e]; s != nil && isPointerType(u.typeOf(e.X)) {
			return []ast.Expr{e.X}
		} else if s != nil {
			return u.placeParts(e.X)
		}
	}
	return nil
}

// panicking says how an expression may panic apart from its calls, which are made
// before.
type panicking int

const (
	panicsNever     panicking = iota
	panicsOnNil               // all such panics are alike
	panicsWithValue           // it can be told from others
)

func (u *unit) mayPanic(e ast.Expr) panicking {
	if u.dividesOrShifts(e) {
		return panicsWithValue
	}
	how := panicsNever
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			return u.isConversion(n)
		case *ast.StarExpr:
			if !u.info.Types[n].IsType() {
				how = max(how, panicsOnNil)
			}
		case *ast.SelectorExpr:
			if s := u.info.Selections[n]; s != nil && s.Indirect() {
				how = max(how, panicsOnNil)
			}
		case *ast.IndexExpr:
			if !u.isConstant(n) && !u.info.Types[n.Index].IsType() && !u.isWithin(n) {
				how = panicsWithValue
			}
		case *ast.SliceExpr, *ast.TypeAssertExpr:
			how = panicsWithValue
		}
		return true
	})
	return how
}

// isWithin reports whether an index cannot be out of range.
func (u *unit) isWithin(e *ast.IndexExpr) bool {
	switch typeset.Core(u.typeOf(e.X)).(type) {
	case *types.Array:
		return u.isConstant(e.Index)
	case *types.Map:
		m := typeset.Core(u.typeOf(e.X)).(*types.Map)
		return !types.IsInterface(m.Key())
	}
	return false
}

// dividesOrShifts reports whether e holds an operation on values that panics.
func (u *unit) dividesOrShifts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || u.isConstant(b) {
			return !found
		}
		switch b.Op {
		case token.QUO, token.REM:
			found = found || isBasicInfo(u.typeOf(b), types.IsInteger) && !u.isConstant(b.Y)
		case token.SHL, token.SHR:
			found = found || !isBasicInfo(u.typeOf(b.Y), types.IsUnsigned) && !u.isConstant(b.Y)
		}
		return !found
	})
	return found
}
