package analyse

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Orders that depend on how the compiler treats a variable.
//
// In a few places, whether gc reads a variable early or late depends on where the variable is:
// a plain local of the function, in the compiler's sense, or on the heap. A cell is always on
// the heap. The difference is visible only if a function literal that assigns the variable is
// called in the same statement.
//
//	log(any(p), f())             p is copied before f if it stays on the stack
//	m[k] = append(m[k], f())     m and k are read after f if they are variables (k of some
//	                             types), before it if they are pointers' targets
//
// The second order can be written out, so the statement is taken apart (it is decomposed). The
// first depends on the compiler's escape analysis, which cannot be repeated here, so the
// statement is refused.

// findOrderHazards checks all statements of the function.
func (fs *Facts) findOrderHazards() {
	var around []ast.Node
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if fs.Literals.Machines[n] != nil {
				return false // it is analysed separately
			}
		case *ast.DeclStmt:
			if n.Decl.(*ast.GenDecl).Tok == token.TYPE && len(fs.Literals.Machines) > 0 {
				fs.decompose(n, around) // the machines need it outside of the function
			}
		case *ast.AssignStmt:
			fs.checkAppend(n, around)
			fs.checkTuple(n, n.Lhs, n.Rhs, around)
			fs.checkBoxes([]ast.Node{n}, fs.assignOperands(n))
		case *ast.ReturnStmt:
			fs.checkTuple(n, nil, n.Results, around)
			fs.checkBoxes([]ast.Node{n}, fs.returnOperands(n))
		case *ast.SendStmt:
			fs.checkBoxes([]ast.Node{n}, []Operand{{Expr: n.Value, To: typeset.ChanElem(fs.TypeOf(n.Chan))}})
		case ast.Expr:
			if !fs.Info.Types[n].IsType() {
				fs.checkBoxes(around, fs.Operands(n))
			}
		}
		around = append(around, n)
		return true
	})
}

func innermostStatement(around []ast.Node) ast.Node {
	for i := len(around) - 1; i >= 0; i-- {
		switch around[i].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		case ast.Stmt:
			return around[i]
		}
	}
	return nil
}

func (fs *Facts) assignOperands(s *ast.AssignStmt) []Operand {
	if len(s.Lhs) != len(s.Rhs) || s.Tok != token.ASSIGN {
		return nil
	}
	var ops []Operand
	for i, rhs := range s.Rhs {
		ops = append(ops, Operand{Expr: rhs, To: fs.LeftType(s.Lhs[i])})
	}
	return ops
}

func (fs *Facts) returnOperands(s *ast.ReturnStmt) []Operand {
	var ops []Operand
	if results := fs.Signature.Results(); len(s.Results) == results.Len() {
		for i, e := range s.Results {
			ops = append(ops, Operand{Expr: e, To: results.At(i).Type()})
		}
	}
	return ops
}

// checkBoxes refuses operands that gc may or may not copy early, if a function value is
// called in the same statement, the innermost one of around.
func (fs *Facts) checkBoxes(around []ast.Node, ops []Operand) {
	for _, o := range ops {
		v := fs.hazardousVar(o)
		if v == nil {
			continue
		}
		if s := innermostStatement(around); s != nil && fs.callsValues(s, o.Expr) {
			fs.refuse(unorderedOperand(fs.Source.Extent(o.Expr), v.Name()))
		}
	}
}

// hazardousVar returns the variable whose place decides when o is read, or nil.
func (fs *Facts) hazardousVar(o Operand) *types.Var {
	v := fs.RootVar(o.Expr)
	if v == nil || !Within(fs.Body, v.Pos()) {
		return nil // parameters are always read late
	}
	if f := fs.UsageOf(v); !f.InLiteral || f.Addressed {
		return nil
	}
	if !fs.fitsRegisters(v.Type()) || !fs.copiesIfLocal(o) {
		return nil
	}
	return v
}

// copiesIfLocal corresponds to the lowering's wantsTemp, for an operand that is not addressable.
func (fs *Facts) copiesIfLocal(o Operand) bool {
	t := fs.TypeOf(o.Expr)
	if typeset.HasParam(t) || fs.IsConstant(o.Expr) {
		return false
	}
	switch {
	case o.Key != nil:
		return !typeset.HasParam(o.Key) && fs.KeyBy(o.Key.Key(), o.Key.Elem()) == KeySlow
	case o.Compared:
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return true
		}
	}
	return o.To != nil && types.IsInterface(o.To) && !typeset.IsParam(o.To) && !types.IsInterface(t) && fs.BoxedByAddress(t)
}

// fitsRegisters corresponds to the compiler's CanSSA: other types are always read late.
func (fs *Facts) fitsRegisters(t types.Type) bool { return typeset.EachOnce(t, true, fs.isOfRegisters) }

func (fs *Facts) isOfRegisters(t types.Type, part func(types.Type) bool) bool {
	const most = 4
	if typeset.HasParam(t) || fs.Sizes.Sizeof(t) > most*fs.Sizes.Sizeof(types.Typ[types.Uintptr]) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() <= 1 && part(t.Elem())
	case *types.Struct:
		if t.NumFields() > most {
			return fs.IsDirect(t)
		}
		for f := range t.Fields() {
			if !part(f.Type()) {
				return false
			}
		}
	}
	return true
}

// callsValues reports whether s calls a function value, or a function with a function value as
// an argument. It ignores the call that receives the operand itself.
func (fs *Facts) callsValues(s ast.Node, operand ast.Expr) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || found {
			return false
		}
		if b, ok := n.(*ast.BlockStmt); ok && b != s {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && !Within(call, operand.Pos()) {
			found = fs.mayCallLiteral(call)
		}
		return !found
	})
	return found
}

func (fs *Facts) mayCallLiteral(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if fs.Info.Types[fun].IsType() {
		return false
	}
	if _, ok := fs.Builtin(fun); ok {
		return false
	}
	if fn, _, _ := source.Callee(call, fs.Info); fn == nil {
		return true
	}
	for _, arg := range call.Args {
		if typeset.Perhaps(fs.TypeOf(arg), typeset.IsA[*types.Signature]) {
			return true
		}
	}
	return false
}
