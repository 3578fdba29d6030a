package analyse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Panics inside of an assignment: which panic surfaces, and what was assigned before it.
//
// gc makes the assignments of a tuple one after another, and evaluates the operand of each just
// before. The exception is an operand that an earlier assignment could change, which is evaluated
// before the first one (ascompatee in cmd/compile/internal/walk/assign.go). A field counts as
// shared memory, and a local variable does not. So a machine would evaluate more operands early,
// and a panic in one of them would reveal this: a different panic surfaces, and different
// variables have been assigned before it. Such statements are taken apart, in the function's own
// order.

// checkAppend marks m[k] = append(m[k], …) to be taken apart.
func (fs *Facts) checkAppend(s *ast.AssignStmt, around []ast.Node) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return
	}
	place, from, call := fs.AppendToPlace(s.Lhs[0], s.Rhs[0])
	if place == nil || from == nil || !fs.holdsCall(call.Args[1:]) {
		return
	}
	changes := false
	for _, e := range []ast.Expr{place.X, place.Index} {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := fs.Info.Uses[id].(*types.Var); ok && Within(fs.Source.Decl, v.Pos()) {
				f := fs.UsageOf(v)
				changes = changes || f.InLiteral || f.Addressed
			}
		}
	}
	if !changes {
		return
	}
	if inLiteral(around) {
		fs.refuse(orderHazardInLiteral(fs.Source.Extent(s)))
		return
	}
	fs.decompose(s, around)
}

func (fs *Facts) holdsCall(list []ast.Expr) bool {
	for _, e := range list {
		if fs.HasCall(e) {
			return true
		}
	}
	return false
}

// decompose marks a statement to be taken apart. Statements in function literals are not marked.
func (fs *Facts) decompose(s ast.Stmt, around []ast.Node) {
	if inLiteral(around) {
		return
	}
	for _, n := range around {
		fs.suspending[n] = true
	}
	fs.suspending[s], fs.Decomposed[s] = true, true
}

// inLiteral reports whether one of the nodes around is a function literal.
func inLiteral(around []ast.Node) bool {
	return slices.ContainsFunc(around, func(n ast.Node) bool {
		_, ok := n.(*ast.FuncLit)
		return ok
	})
}

// checkTuple marks assignments and returns in which this order is visible.
func (fs *Facts) checkTuple(s ast.Stmt, lhs, rhs []ast.Expr, around []ast.Node) {
	if len(rhs) < 2 || lhs != nil && len(lhs) != len(rhs) || inLiteral(around) {
		return
	}
	if a, ok := s.(*ast.AssignStmt); ok && a.Tok != token.ASSIGN && a.Tok != token.DEFINE {
		return
	}
	if fs.panicShows(lhs, rhs) {
		fs.decompose(s, around)
	}
}

// panicShows reports whether a panic would reveal the order of evaluation. It would if an
// operand that may panic follows the assignment of a result. It would also if such an operand is
// evaluated in order, after memory was assigned or after another operand that may panic
// differently.
func (fs *Facts) panicShows(lhs, rhs []ast.Expr) bool {
	t := fs.Tuple(func(ast.Expr) bool { return false })
	before := panicsNever
	for i, e := range rhs {
		how := fs.mayPanic(e)
		switch {
		case how == panicsNever:
		case t.results:
			return true
		case !t.Affected(e) && (t.memory || before != panicsNever && max(how, before) == panicsWithValue):
			return true
		}
		before = max(before, how)
		t.Assign(lhs, i)
	}
	return false
}

// TupleOrder simulates the compiler's order of the assignments of a tuple.
type TupleOrder struct {
	*Facts
	evaluated func(ast.Expr) bool   // reports whether an expression already has its value
	assigned  map[types.Object]bool // local variables
	memory    bool                  // memory that others may see has been assigned
	results   bool                  // a result that deferred calls may see has been assigned
}

// Tuple returns the order of a tuple before its first assignment. evaluated reports which
// expressions already have their values.
func (fs *Facts) Tuple(evaluated func(ast.Expr) bool) *TupleOrder {
	return &TupleOrder{Facts: fs, evaluated: evaluated, assigned: map[types.Object]bool{}}
}

// Assign records that left-hand side i has been assigned; without left-hand sides, result i.
func (t *TupleOrder) Assign(lhs []ast.Expr, i int) {
	var v *types.Var
	if lhs == nil {
		v = t.Signature.Results().At(i)
	} else {
		if IsBlank(lhs[i]) {
			return
		}
		if v = t.RootVar(lhs[i]); v == nil {
			if id, ok := lhs[i].(*ast.Ident); ok {
				v, _ = t.Info.Defs[id].(*types.Var)
			}
		}
	}
	switch {
	case v == nil:
		t.memory = true
	case t.Defers && t.isResult(v):
		t.results = true
	case t.isMemory(v):
		t.memory = true
	default:
		t.assigned[v] = true
	}
}

func (fs *Facts) isResult(v *types.Var) bool {
	for r := range fs.Signature.Results().Variables() {
		if r == v {
			return true
		}
	}
	return false
}

// isMemory reports whether code other than the function's own statements may see a variable.
func (fs *Facts) isMemory(v *types.Var) bool {
	f := fs.UsageOf(v)
	return !Within(fs.Node, v.Pos()) || f.Addressed || f.Captured && f.Mutated
}

// Affected reports whether the assignments so far could change e, as far as the compiler
// checks.
func (t *TupleOrder) Affected(e ast.Expr) bool {
	if t.IsConstant(e) || t.Info.Types[e].IsNil() {
		return false
	}
	found := t.results
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && !found {
			if t.evaluated(x) {
				return false
			}
			found = t.memory && t.ReadsMemory(x)
			if id, ok := x.(*ast.Ident); ok {
				found = found || t.assigned[t.Info.Uses[id]]
			}
		}
		_, lit := n.(*ast.FuncLit)
		return !found && !lit
	})
	return found
}

// ReadsMemory corresponds to the compiler's function of that name.
func (fs *Facts) ReadsMemory(e ast.Expr) bool {
	if fs.IsConstant(e) || fs.Info.Types[e].IsNil() || fs.Info.Types[e].IsType() {
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := fs.Info.Uses[e].(*types.Var)
		return ok && fs.isMemory(v)
	case *ast.ParenExpr, *ast.TypeAssertExpr:
		return false
	case *ast.UnaryExpr:
		return e.Op == token.AND || e.Op == token.ARROW
	case *ast.BinaryExpr:
		return !isArithmetic(e.Op) && e.Op != token.LAND && e.Op != token.LOR || typeset.IsString(fs.TypeOf(e))
	case *ast.SelectorExpr:
		s := fs.Info.Selections[e]
		return s == nil || s.Kind() != types.FieldVal || s.Indirect()
	case *ast.CallExpr:
		return !fs.IsConversion(e) || typeset.IsString(fs.TypeOf(e)) && !typeset.IsString(fs.TypeOf(e.Args[0]))
	}
	return true
}

// panicking is how an expression may panic, apart from the calls in it, which are made earlier.
type panicking int

const (
	panicsNever     panicking = iota
	panicsOnNil               // all such panics are alike
	panicsWithValue           // the panic can be told from others
)

func (fs *Facts) mayPanic(e ast.Expr) panicking {
	if fs.dividesOrShifts(e) {
		return panicsWithValue
	}
	how := panicsNever
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			return fs.IsConversion(n)
		case *ast.StarExpr:
			if !fs.Info.Types[n].IsType() {
				how = max(how, panicsOnNil)
			}
		case *ast.SelectorExpr:
			if s := fs.Info.Selections[n]; s != nil && s.Indirect() {
				how = max(how, panicsOnNil)
			}
		case *ast.IndexExpr:
			if !fs.IsConstant(n) && !fs.Info.Types[n.Index].IsType() && !fs.isWithin(n) {
				how = panicsWithValue
			}
		case *ast.SliceExpr, *ast.TypeAssertExpr:
			how = panicsWithValue
		}
		return true
	})
	return how
}

// isWithin reports whether an index is certainly in range.
func (fs *Facts) isWithin(e *ast.IndexExpr) bool {
	switch typeset.Core(fs.TypeOf(e.X)).(type) {
	case *types.Array:
		return fs.IsConstant(e.Index)
	case *types.Map:
		m := typeset.Core(fs.TypeOf(e.X)).(*types.Map)
		return !types.IsInterface(m.Key())
	}
	return false
}

// dividesOrShifts reports whether e contains an operation that may panic because of its operands.
func (fs *Facts) dividesOrShifts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || fs.IsConstant(b) {
			return !found
		}
		switch b.Op {
		case token.QUO, token.REM:
			found = found || typeset.IsBasicInfo(fs.TypeOf(b), types.IsInteger) && !fs.IsConstant(b.Y)
		case token.SHL, token.SHR:
			found = found || !typeset.IsBasicInfo(fs.TypeOf(b.Y), types.IsUnsigned) && !fs.IsConstant(b.Y)
		}
		return !found
	})
	return found
}
