package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// flatten turns the body into instructions.
//
// A statement without a suspension point is kept as it is. One with a suspension point
// is taken apart until the suspending operation stands alone, because Go cannot jump
// into the middle of a loop or a branch: all labels that a resumed machine jumps to
// must be in MoveNext's outermost block.
func (u *unit) flatten() {
	u.declareSignature()
	if u.epilogue != nil {
		u.add(&ir.Handler{To: u.epilogue})
	}
	u.block(u.Body.List)
	u.add(u.ending())
	if u.epilogue != nil {
		u.flattenEpilogue()
	}
}

// declareSignature makes variables of receiver, parameters and results.
func (u *unit) declareSignature() {
	u.declareRecovery()
	sig := u.Signature
	if recv := sig.Recv(); recv != nil {
		u.recv = u.parameter(recv)
	}
	for v := range sig.Params().Variables() {
		u.params = append(u.params, u.parameter(v))
	}
	for v := range sig.Results().Variables() {
		r := u.declare(v)
		r.Result, r.Place = true, ir.InFrame
		u.results = append(u.results, r)
	}
}

func (u *unit) parameter(v *types.Var) *ir.Variable {
	p := u.declare(v)
	p.Param, p.Place = true, ir.InFrame
	return p
}

// declare makes a variable of one of the source.
func (u *unit) declare(obj types.Object) *ir.Variable {
	v := &ir.Variable{Obj: obj, Name: obj.Name(), Type: obj.Type(), Usage: u.UsageOf(obj)}
	if f := u.Literals.Entries[asVar(obj)]; f != nil {
		v.Type = nil
		v.Spelled = u.companionType(f, nil)
	}
	u.vars[obj] = v
	u.all = append(u.all, v)
	return v
}

func asVar(obj types.Object) *types.Var {
	v, _ := obj.(*types.Var)
	return v
}

// block flattens a list of statements.
func (u *unit) block(list []ast.Stmt) {
	for _, s := range list {
		u.statement(s)
	}
}

// statement lowers one statement of a flattened list. The kinds of statements are those
// of [unit.check], which refuses all others.
func (u *unit) statement(s ast.Stmt) {
	u.atLine(s)
	switch s := s.(type) {
	case *ast.AssignStmt:
		u.assignment(s)
		return
	case *ast.DeclStmt:
		u.declaration(s)
		return
	case *ast.ReturnStmt:
		u.returnStatement(s)
		return
	case *ast.BranchStmt:
		u.branchStatement(s)
		return
	case *ast.LabeledStmt:
		u.labeled(s)
		return
	case *ast.DeferStmt:
		u.deferStatement(s)
		return
	case *ast.EmptyStmt:
		return
	}
	if !u.Suspends(s) {
		u.keep(s)
		return
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		u.expression(s)
	case *ast.IncDecStmt:
		u.spillAll(u.parts(s.X), false)
		u.keepRest(s)
	case *ast.SendStmt:
		u.spillAll([]analyse.Operand{{Expr: s.Chan}, {Expr: s.Value, To: typeset.ChanElem(u.TypeOf(s.Chan))}}, false)
		u.keepRest(s)
	case *ast.GoStmt:
		u.spillAll(u.CallOperands(s.Call), false)
		u.keepRest(s)
	case *ast.BlockStmt:
		u.block(s.List)
	case *ast.IfStmt:
		u.ifStatement(s)
	case *ast.ForStmt:
		u.forStatement(s, "")
	case *ast.RangeStmt:
		u.rangeStatement(s, "")
	case *ast.SwitchStmt:
		u.switchStatement(s, "")
	case *ast.TypeSwitchStmt:
		u.typeSwitch(s, "")
	case *ast.SelectStmt:
		u.selectStatement(s, "")
	default:
		u.refuse(u.unsupported(s))
	}
}

// keep leaves a statement that does not suspend as it is.
func (u *unit) keep(s ast.Stmt) {
	u.routeExits(s)
	u.keepRest(s)
}

// keepRest keeps a statement of which all that suspends has been evaluated.
func (u *unit) keepRest(s ast.Stmt) {
	u.add(&ir.Keep{Text: *u.scan(s), Stops: u.terminates(s)})
}

// expression: a call or a receive whose value is unused.
func (u *unit) expression(s *ast.ExprStmt) {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && u.Points[call] != nil {
		u.suspend(call, nil)
		return
	}
	u.spillAll(u.Operands(ast.Unparen(s.X)), false)
	u.keepRest(s)
}

// labeled: a label becomes one of MoveNext's if a goto wants it, and names the loop or
// switch after it.
func (u *unit) labeled(s *ast.LabeledStmt) {
	obj := u.Info.Defs[s.Label]
	if u.isGotoTarget(obj) {
		u.add(&ir.Mark{Label: u.gotoLabel(obj)})
	}
	if !u.Suspends(s.Stmt) {
		if u.leavesByName(s, obj) {
			u.keep(s)
		} else {
			u.statement(s.Stmt)
		}
		return
	}
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		u.forStatement(inner, s.Label.Name)
	case *ast.RangeStmt:
		u.rangeStatement(inner, s.Label.Name)
	case *ast.SwitchStmt:
		u.switchStatement(inner, s.Label.Name)
	case *ast.TypeSwitchStmt:
		u.typeSwitch(inner, s.Label.Name)
	case *ast.SelectStmt:
		u.selectStatement(inner, s.Label.Name)
	default:
		u.statement(inner)
	}
}

func (u *unit) gotoLabel(obj types.Object) *ir.Label {
	l := u.gotos[obj]
	if l == nil {
		l = u.label(obj.Name())
		u.gotos[obj] = l
	}
	return l
}

// isGotoTarget reports whether the function has a goto to the label.
func (u *unit) isGotoTarget(obj types.Object) bool {
	return u.anyBranch(u.Body, func(b *ast.BranchStmt) bool {
		return b.Tok == token.GOTO && u.Info.Uses[b.Label] == obj
	})
}

// leavesByName reports whether s holds a break or continue with the label.
func (u *unit) leavesByName(s ast.Stmt, obj types.Object) bool {
	return u.anyBranch(s, func(b *ast.BranchStmt) bool {
		return b.Tok != token.GOTO && b.Label != nil && u.Info.Uses[b.Label] == obj
	})
}

func (u *unit) anyBranch(n ast.Node, cond func(*ast.BranchStmt) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if b, ok := n.(*ast.BranchStmt); ok && cond(b) {
			found = true
		}
		return !found
	})
	return found
}

// atLine notes where a statement begins.
func (u *unit) atLine(s ast.Stmt) {
	u.add(&ir.Stand{Pos: s.Pos()})
}

func (u *unit) label(want string) *ir.Label { return &ir.Label{Want: want} }
