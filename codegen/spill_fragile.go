package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Orders that depend on how the compiler sees a variable.
//
// In a few places, whether gc reads a variable early or late depends on where it is: a
// plain local of the function, in the compiler's sense, or on the heap. A cell always
// is on the heap. The difference shows only if a function literal that assigns the
// variable is called in the same statement.
//
//	log(any(p), f())             p is copied before f if it stays on the stack
//	m[k] = append(m[k], f())     m and k are read after f if they are variables (k of some
//	                             types), before it if they are pointers' targets
//
// The second can be written out, so the statement is taken apart (it is forced). The
// first depends on the compiler's escape analysis, which cannot be repeated here:
// it is refused.

// findFragile looks at all statements of the function.
func (u *unit) findFragile() {
	var around []ast.Node
	ast.Inspect(u.body, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if u.literals.machines[n] != nil {
				return false // it looks for itself
			}
		case *ast.DeclStmt:
			if n.Decl.(*ast.GenDecl).Tok == token.TYPE && len(u.literals.machines) > 0 {
				u.force(n, around) // the machines need it outside of the function
			}
		case *ast.AssignStmt:
			u.fragileAppend(n, around)
			u.fragileTuple(n, n.Lhs, n.Rhs, around)
			u.fragileBoxes(n, u.assignOperands(n))
		case *ast.ReturnStmt:
			u.fragileTuple(n, nil, n.Results, around)
			u.fragileBoxes(n, u.returnOperands(n))
		case *ast.SendStmt:
			u.fragileBoxes(n, []operandOf{{expr: n.Value, to: typeset.ChanElem(u.typeOf(n.Chan))}})
		case ast.Expr:
			if !u.info.Types[n].IsType() {
				u.fragileBoxes(innermostStatement(around), u.operands(n))
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

func (u *unit) assignOperands(s *ast.AssignStmt) []operandOf {
	if len(s.Lhs) != len(s.Rhs) || s.Tok != token.ASSIGN {
		return nil
	}
	var ops []operandOf
	for i, rhs := range s.Rhs {
		ops = append(ops, operandOf{expr: rhs, to: u.leftType(s.Lhs[i])})
	}
	return ops
}

func (u *unit) returnOperands(s *ast.ReturnStmt) []operandOf {
	var ops []operandOf
	if results := u.sig.Results(); len(s.Results) == results.Len() {
		for i, e := range s.Results {
			ops = append(ops, operandOf{expr: e, to: results.At(i).Type()})
		}
	}
	return ops
}

// fragileBoxes refuses operands that gc copies early or not, if a function value
// is called in the same statement.
func (u *unit) fragileBoxes(s ast.Node, ops []operandOf) {
	for _, o := range ops {
		v := u.fragileVar(o)
		if v != nil && s != nil && u.callsValues(s, o.expr) {
			u.refuse(unorderedOperand(u.at(o.expr), v.Name()))
		}
	}
}

// fragileVar is the variable whose place decides when o is read, or nil.
func (u *unit) fragileVar(o operandOf) *types.Var {
	v := u.rootVar(o.expr)
	if v == nil || !within(u.body, v.Pos()) {
		return nil // parameters are always read late
	}
	if f := u.factsOf(v); !f.inLiteral || f.addressed {
		return nil
	}
	if !u.fitsRegisters(v.Type()) || !u.copiesIfLocal(o) {
		return nil
	}
	return v
}

// copiesIfLocal is wantsTemp for something that is no addressable place.
func (u *unit) copiesIfLocal(o operandOf) bool {
	t := u.typeOf(o.expr)
	if hasTypeParam(t) || u.isConstant(o.expr) {
		return false
	}
	switch {
	case o.key != nil:
		return !hasTypeParam(o.key) && u.keyBy(o.key.Key(), o.key.Elem()) == keySlow
	case o.compared:
		switch t.Underlying().(type) {
		case *types.Struct, *types.Array:
			return true
		}
	}
	return o.to != nil && types.IsInterface(o.to) && !isTypeParam(o.to) && !types.IsInterface(t) && u.boxedByAddress(t)
}

// fitsRegisters is the compiler's CanSSA: others are always read late.
func (u *unit) fitsRegisters(t types.Type) bool { return eachOnce(t, true, u.isOfRegisters) }

func (u *unit) isOfRegisters(t types.Type, part func(types.Type) bool) bool {
	const most = 4
	if hasTypeParam(t) || u.sizes.Sizeof(t) > most*u.sizes.Sizeof(types.Typ[types.Uintptr]) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() <= 1 && part(t.Elem())
	case *types.Struct:
		if t.NumFields() > most {
			return u.isDirect(t)
		}
		for f := range t.Fields() {
			if !part(f.Type()) {
				return false
			}
		}
	}
	return true
}

// callsValues reports whether s calls a function value, or a function with
// one for an argument, other than to pass it the operand itself.
func (u *unit) callsValues(s ast.Node, operand ast.Expr) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || found {
			return false
		}
		if b, ok := n.(*ast.BlockStmt); ok && b != s {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && !within(call, operand.Pos()) {
			found = u.mayCallLiteral(call)
		}
		return !found
	})
	return found
}

func (u *unit) mayCallLiteral(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if u.info.Types[fun].IsType() {
		return false
	}
	if _, ok := u.builtin(fun); ok {
		return false
	}
	if fn, _, _ := source.Callee(call, u.info); fn == nil {
		return true
	}
	for _, arg := range call.Args {
		if typeset.Perhaps(u.typeOf(arg), typeset.IsA[*types.Signature]) {
			return true
		}
	}
	return false
}
