package durable

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// undo is a deferred compensation.
type undo struct {
	typ     string // the type of its arguments
	step    string
	callee  string // its full name
	fun     string
	params  []types.Type
	results *types.Tuple
}

// deferStmt saves a compensation as data.
func (lo *lowering) deferStmt(s *ast.DeferStmt) {
	if step, callee := lo.compensation(s); callee != nil {
		lo.saveUndo(s.Call, step, callee)
	}
}

// compensation returns the call of a step that a deferred compensation makes, and the step; nil if
// it is refused.
func (lo *lowering) compensation(s *ast.DeferStmt) (step *ast.CallExpr, callee *types.Func) {
	call := s.Call
	fn, _, _ := source.Callee(call, lo.info)
	if fn == nil || !source.IsObject(fn, source.DurablePath, "Compensate") {
		lo.refuse(otherDeferredCall(lo.fn.Extent(s)))
		return nil, nil
	}
	if len(call.Args) < 3 || call.Ellipsis.IsValid() || !lo.isOwnContext(call) {
		return nil, nil
	}
	if !lo.isOwnError(call.Args[1]) {
		lo.refuse(compensateForeignError(lo.fn.Extent(call.Args[1])))
		return nil, nil
	}
	step = &ast.CallExpr{Fun: call.Args[2], Args: append([]ast.Expr{call.Args[0]}, call.Args[3:]...)}
	callee, _, _ = source.Callee(step, lo.info)
	if callee == nil || !lo.isStep(callee) {
		lo.refuse(compensateNotStep(lo.fn.Extent(call.Args[2])))
		return nil, nil
	}
	sig := callee.Signature()
	if sig.Variadic() || sig.TypeParams().Len() > 0 || sig.Params().Len() != len(step.Args) || !lo.isCalleeKnown(step) {
		lo.refuse(compensateArguments(lo.fn.Extent(call), callee.Name()))
		return nil, nil
	}
	return step, callee
}

// saveUndo gives the turn the arguments of a compensation.
func (lo *lowering) saveUndo(call, step *ast.CallExpr, callee *types.Func) {
	name := callee.Pkg().Name() + "." + callee.Name()
	if lo.hasOtherCallee(name, callee) {
		lo.refuse(ambiguousCompensation(lo.fn.Extent(call), name))
		return
	}
	sig := callee.Signature()
	u := &undo{step: name, callee: callee.FullName(), fun: lo.expr(step.Fun), results: sig.Results()}
	i := &instr{}
	var args []string
	for n, e := range step.Args[1:] {
		param := sig.Params().At(n + 1).Type()
		if arg := lo.info.TypeOf(e); !types.AssignableTo(arg, param) {
			lo.refuse(compensateArgumentType(lo.fn.Extent(e), arg, callee.Name(), param))
			return
		}
		u.params, args = append(u.params, param), append(args, lo.expr(e))
		i.uses = append(i.uses, lo.variablesIn(e)...)
		lo.checkSavable(param, e, fmt.Sprintf("argument %d of the deferred call of %s", n+1, callee.Name()))
	}
	lo.undos = append(lo.undos, u)
	u.typ = fmt.Sprintf("%sUndo%d", lo.fn.Names.Frame, len(lo.undos))
	i.text = fmt.Sprintf("%s.Defer(%d, &%s{%s})", lo.turn, len(lo.undos), u.typ, strings.Join(args, ", "))
	lo.add(i)
}

// hasOtherCallee reports whether an earlier compensation has a step of the same name but calls
// another function.
func (lo *lowering) hasOtherCallee(step string, callee *types.Func) bool {
	return slices.ContainsFunc(lo.undos, func(u *undo) bool { return u.step == step && u.callee != callee.FullName() })
}

// isOwnError reports whether an expression is the address of the function's error.
func (lo *lowering) isOwnError(e ast.Expr) bool {
	u, ok := ast.Unparen(e).(*ast.UnaryExpr)
	if !ok || u.Op != token.AND {
		return false
	}
	id, ok := ast.Unparen(u.X).(*ast.Ident)
	return ok && lo.err.obj != nil && lo.info.Uses[id] == lo.err.obj
}
