package lower

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
// A statement without a suspension point is kept as it is. A statement with a suspension point is
// taken apart until the suspending operation stands alone, because Go cannot jump into the middle
// of a loop or a branch: all labels that a resumed machine jumps to must be in MoveNext's
// outermost block.
func (lo *lowering) flatten() {
	lo.declareSignature()
	if lo.epilogue != nil {
		lo.add(&ir.Handler{To: lo.epilogue})
	}
	lo.block(lo.Body.List)
	lo.add(lo.ending())
	if lo.epilogue != nil {
		lo.flattenEpilogue()
	}
}

// declareSignature declares the receiver, parameters and results as variables.
func (lo *lowering) declareSignature() {
	lo.declareRecovery()
	sig := lo.Signature
	if recv := sig.Recv(); recv != nil {
		lo.recv = lo.parameter(recv)
	}
	for v := range sig.Params().Variables() {
		lo.params = append(lo.params, lo.parameter(v))
	}
	if lo.Literal == nil {
		lo.declareCompanions()
	}
	for v := range sig.Results().Variables() {
		r := lo.declare(v)
		r.Result, r.Place = true, ir.InFrame
		lo.results = append(lo.results, r)
	}
}

func (lo *lowering) parameter(v *types.Var) *ir.Variable {
	p := lo.declare(v)
	p.Param, p.Place = true, ir.InFrame
	return p
}

// declare makes a variable for one of the source.
func (lo *lowering) declare(obj types.Object) *ir.Variable {
	v := &ir.Variable{Obj: obj, Name: obj.Name(), Type: obj.Type(), Usage: lo.UsageOf(obj)}
	if f := lo.Literals.Entries[asVar(obj)]; f != nil {
		v.Type = nil
		v.Spelled = lo.companionType(f.Var.Type().Underlying().(*types.Signature), lo.calleeType(f), nil)
	}
	if l := lo.Literals.Lists[asVar(obj)]; l != nil {
		v.Type = nil
		v.Spelled = append(ir.Rope{ir.Text("[]")}, lo.companionType(l.Func, lo.anyCallee(l.Func), nil)...)
	}
	lo.vars[obj] = v
	lo.all = append(lo.all, v)
	return v
}

func asVar(obj types.Object) *types.Var {
	v, _ := obj.(*types.Var)
	return v
}

// block flattens a list of statements.
func (lo *lowering) block(list []ast.Stmt) {
	for _, s := range list {
		lo.statement(s)
	}
}

// statement lowers one statement of a flattened list. It handles the kinds of statements that
// [analyse.Facts] accepts.
func (lo *lowering) statement(s ast.Stmt) {
	lo.sourceLine(s)
	switch s := s.(type) {
	case *ast.AssignStmt:
		lo.assignment(s)
		return
	case *ast.DeclStmt:
		lo.declaration(s)
		return
	case *ast.ReturnStmt:
		lo.returnStatement(s)
		return
	case *ast.BranchStmt:
		lo.branchStatement(s)
		return
	case *ast.LabeledStmt:
		lo.labeledStmt(s)
		return
	case *ast.DeferStmt:
		lo.deferStatement(s)
		return
	case *ast.EmptyStmt:
		return
	}
	if !lo.Suspends(s) {
		lo.keep(s)
		return
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		lo.expression(s)
	case *ast.IncDecStmt:
		lo.spillAll(lo.parts(s.X), false)
		lo.keepRest(s)
	case *ast.SendStmt:
		lo.spillAll([]analyse.Operand{{Expr: s.Chan}, {Expr: s.Value, To: typeset.ChanElem(lo.TypeOf(s.Chan))}}, false)
		lo.keepRest(s)
	case *ast.GoStmt:
		lo.spillAll(lo.PutOffOperands(s.Call), false)
		lo.keepRest(s)
	case *ast.BlockStmt:
		lo.block(s.List)
	case *ast.IfStmt:
		lo.ifStatement(s)
	case *ast.ForStmt:
		lo.forStatement(s, "")
	case *ast.RangeStmt:
		lo.rangeStatement(s, "")
	case *ast.SwitchStmt:
		lo.switchStatement(s, "")
	case *ast.TypeSwitchStmt:
		lo.typeSwitch(s, "")
	case *ast.SelectStmt:
		lo.selectStatement(s, "")
	default:
		lo.refuse(lo.unknownStatement(s))
	}
}

// keep keeps a statement that does not suspend unchanged.
func (lo *lowering) keep(s ast.Stmt) {
	lo.routeExits(s)
	lo.keepRest(s)
}

// keepRest keeps a statement after all suspending parts of it have been evaluated.
func (lo *lowering) keepRest(s ast.Stmt) {
	lo.add(&ir.Keep{Text: *lo.scan(s), Stops: lo.terminates(s)})
}

// expression lowers a call or a receive whose value is unused.
func (lo *lowering) expression(s *ast.ExprStmt) {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && lo.Points[call] != nil {
		lo.suspend(call, nil)
		return
	}
	lo.spillAll(lo.Operands(ast.Unparen(s.X)), false)
	lo.keepRest(s)
}

// labeledStmt lowers a labelled statement. The label becomes one of MoveNext's if a goto uses it,
// and names the loop or switch that follows.
func (lo *lowering) labeledStmt(s *ast.LabeledStmt) {
	obj := lo.Info.Defs[s.Label]
	if lo.isGotoTarget(obj) {
		lo.add(&ir.Mark{Label: lo.gotoLabel(obj)})
	}
	if !lo.Suspends(s.Stmt) {
		if lo.leavesByName(s, obj) {
			lo.keep(s)
		} else {
			lo.statement(s.Stmt)
		}
		return
	}
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		lo.forStatement(inner, s.Label.Name)
	case *ast.RangeStmt:
		lo.rangeStatement(inner, s.Label.Name)
	case *ast.SwitchStmt:
		lo.switchStatement(inner, s.Label.Name)
	case *ast.TypeSwitchStmt:
		lo.typeSwitch(inner, s.Label.Name)
	case *ast.SelectStmt:
		lo.selectStatement(inner, s.Label.Name)
	default:
		lo.statement(inner)
	}
}

func (lo *lowering) gotoLabel(obj types.Object) *ir.Label {
	l := lo.gotos[obj]
	if l == nil {
		l = lo.label(obj.Name())
		lo.gotos[obj] = l
	}
	return l
}

// isGotoTarget reports whether the function has a goto to the label.
func (lo *lowering) isGotoTarget(obj types.Object) bool {
	return lo.anyBranch(lo.Body, func(b *ast.BranchStmt) bool {
		return b.Tok == token.GOTO && lo.Info.Uses[b.Label] == obj
	})
}

// leavesByName reports whether s contains a break or continue with the label.
func (lo *lowering) leavesByName(s ast.Stmt, obj types.Object) bool {
	return lo.anyBranch(s, func(b *ast.BranchStmt) bool {
		return b.Tok != token.GOTO && b.Label != nil && lo.Info.Uses[b.Label] == obj
	})
}

func (lo *lowering) anyBranch(n ast.Node, cond func(*ast.BranchStmt) bool) bool {
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

// sourceLine sets the source line to that of a statement.
func (lo *lowering) sourceLine(s ast.Stmt) {
	lo.add(&ir.SourceLine{Pos: s.Pos()})
}

func (lo *lowering) label(want string) *ir.Label { return &ir.Label{Want: want} }
