package durable

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// target is a statement that break and continue may leave or continue.
type target struct {
	label  string // in the source; may be empty
	breaks string
	next   string // where continue goes; empty: it is a switch
}

// block flattens statements.
func (lo *lowering) block(list []ast.Stmt) {
	for _, s := range list {
		lo.stmt(s, "")
	}
}

// stmt flattens a statement; label is its label in the source, or empty.
func (lo *lowering) stmt(s ast.Stmt, label string) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return
	case *ast.DeclStmt:
		lo.declaration(s)
		return
	case *ast.AssignStmt:
		lo.assignment(s)
		return
	case *ast.ReturnStmt:
		lo.returnStmt(s)
		return
	case *ast.BranchStmt:
		lo.branchStmt(s)
		return
	case *ast.DeferStmt:
		lo.deferStmt(s)
		return
	}
	if !lo.hasPoint(s) {
		lo.keep(s)
		return
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		lo.block(s.List)
	case *ast.ExprStmt:
		lo.exprStmt(s)
	case *ast.IfStmt:
		lo.ifStmt(s)
	case *ast.ForStmt:
		lo.forStmt(s, label)
	case *ast.RangeStmt:
		lo.rangeStmt(s, label)
	case *ast.SwitchStmt:
		lo.switchStmt(s, label)
	case *ast.LabeledStmt:
		lo.stmt(s.Stmt, s.Label.Name)
	default:
		lo.refuse(stepInStatement(lo.fn.Extent(s)))
	}
}

// keep keeps a statement without points, printed as it is. Its text determines where it may jump.
func (lo *lowering) keep(s ast.Stmt) {
	text, to := lo.statement(s)
	uses := lo.variablesIn(s)
	if returnsBare(s) {
		uses = append(uses, lo.results()...)
	}
	lo.add(&instr{text: text, to: to, uses: uses})
}

// returnsBare reports whether a statement contains a return without values.
func returnsBare(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || len(n.Results) == 0
		}
		return true
	})
	return found
}

func (lo *lowering) exprStmt(s *ast.ExprStmt) {
	if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok && lo.kindOf(call) != noPoint {
		lo.point(s, call, nil)
		return
	}
	lo.refuseNested(s)
}

// refuseNested refuses a point inside of an expression.
func (lo *lowering) refuseNested(n ast.Node) {
	call := lo.firstPoint(n)
	lo.refuse(pointInExpression(lo.fn.Extent(call), lo.calleeName(call)))
}

func (lo *lowering) declaration(s *ast.DeclStmt) {
	decl := s.Decl.(*ast.GenDecl)
	if decl.Tok != token.VAR {
		lo.refuse(localDeclaration(lo.fn.Extent(s), decl.Tok))
		return
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		var dst []ast.Expr
		for _, id := range spec.Names {
			dst = append(dst, id)
		}
		if len(spec.Values) > 0 {
			lo.assign(s, dst, token.DEFINE, spec.Values)
			continue
		}
		for _, id := range spec.Names {
			if v := lo.variableOf(id); v != nil {
				lo.add(&instr{text: lo.mention(v) + " = " + lo.zero(v.typ), defs: []*variable{v}})
			}
		}
	}
}

func (lo *lowering) assignment(s *ast.AssignStmt) { lo.assign(s, s.Lhs, s.Tok, s.Rhs) }

// assign flattens an assignment or a declaration with values.
func (lo *lowering) assign(s ast.Stmt, dst []ast.Expr, tok token.Token, values []ast.Expr) {
	if lo.firstPoint(s) != nil {
		call, ok := ast.Unparen(values[0]).(*ast.CallExpr)
		if !ok || len(values) != 1 || lo.kindOf(call) == noPoint {
			lo.refuseNested(s)
			return
		}
		lo.point(s, call, dst)
		return
	}
	i := &instr{}
	var left, right []string
	for _, e := range values {
		right = append(right, lo.expr(e))
		i.uses = append(i.uses, lo.variablesIn(e)...)
	}
	for _, e := range dst {
		id, isName := ast.Unparen(e).(*ast.Ident)
		if !isName || tok != token.DEFINE && tok != token.ASSIGN {
			i.uses = append(i.uses, lo.variablesIn(e)...)
		}
		if isName {
			lo.checkAssignment(id)
			if v := lo.variableOf(id); v != nil && (tok == token.DEFINE || tok == token.ASSIGN) {
				i.defs = append(i.defs, v)
			}
		}
		left = append(left, lo.expr(e))
	}
	if tok == token.DEFINE {
		tok = token.ASSIGN
	}
	i.text = strings.Join(left, ", ") + " " + tok.String() + " " + strings.Join(right, ", ")
	lo.add(i)
}

// checkAssignment refuses an assignment to the context or the receiver.
func (lo *lowering) checkAssignment(id *ast.Ident) {
	obj, _ := lo.info.Uses[id].(*types.Var)
	if obj == nil {
		return
	}
	if obj == lo.ctx {
		lo.refuse(assignedContext(lo.fn.Extent(id)))
	}
	if obj == lo.recv {
		lo.refuse(assignedReceiver(lo.fn.Extent(id)))
	}
}

func (lo *lowering) returnStmt(s *ast.ReturnStmt) {
	if len(s.Results) == 1 {
		if call, ok := ast.Unparen(s.Results[0]).(*ast.CallExpr); ok && lo.kindOf(call) != noPoint {
			lo.pointInto(s, call, lo.results())
			lo.add(&instr{text: "return " + lo.turn + ".Return()", stops: true, uses: lo.results()})
			return
		}
	}
	if lo.firstPoint(s) != nil {
		lo.refuseNested(s)
		return
	}
	i := &instr{stops: true, uses: lo.variablesIn(s)}
	if text := lo.resultText(s); text != "" {
		lo.add(&instr{text: text, uses: i.uses, defs: lo.results()})
		i.uses = nil
	}
	i.text = "return " + lo.turn + ".Return()"
	i.uses = append(i.uses, lo.results()...)
	lo.add(i)
}

// resultText returns an assignment of a return statement's values to the results, or "" if there
// are none to assign.
func (lo *lowering) resultText(s *ast.ReturnStmt) string {
	var left, right []string
	for _, v := range lo.results() {
		left = append(left, lo.mention(v))
	}
	for _, e := range s.Results {
		right = append(right, lo.expr(e))
	}
	if len(right) == len(left) { // a result that returns itself needs no assignment
		for n := len(left) - 1; n >= 0; n-- {
			if left[n] == right[n] {
				left, right = slices.Delete(left, n, n+1), slices.Delete(right, n, n+1)
			}
		}
	}
	if len(right) == 0 {
		return ""
	}
	return strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
}

func (lo *lowering) branchStmt(s *ast.BranchStmt) {
	if to := lo.destination(s); to != "" {
		lo.jump(to)
	}
}

// destination returns the label that a branch out of a kept statement jumps to.
func (lo *lowering) destination(s *ast.BranchStmt) string {
	for n := len(lo.targets) - 1; n >= 0 && s.Tok != token.GOTO && s.Tok != token.FALLTHROUGH; n-- {
		t := lo.targets[n]
		switch {
		case s.Label != nil && s.Label.Name != t.label:
		case s.Tok == token.BREAK:
			return t.breaks
		case t.next != "":
			return t.next
		}
	}
	lo.refuse(unsupportedBranch(lo.fn.Extent(s), s.Tok))
	return ""
}

func (lo *lowering) ifStmt(s *ast.IfStmt) {
	lo.stmt(s.Init, "")
	if lo.firstPoint(s.Cond) != nil {
		lo.refuseNested(s.Cond)
		return
	}
	otherwise := lo.label("else")
	lo.unless(s.Cond, otherwise)
	lo.block(s.Body.List)
	if s.Else == nil {
		lo.mark(otherwise)
		return
	}
	end := lo.label("end")
	lo.jump(end)
	lo.mark(otherwise)
	if b, ok := s.Else.(*ast.BlockStmt); ok {
		lo.block(b.List)
	} else {
		lo.stmt(s.Else, "")
	}
	lo.mark(end)
}

// unless jumps if a condition does not hold.
func (lo *lowering) unless(cond ast.Expr, to string) {
	lo.add(&instr{text: "if !(" + lo.expr(cond) + ") {\ngoto " + to + "\n}", to: []string{to}, uses: lo.variablesIn(cond)})
}

// zero returns the zero value of a type.
func (lo *lowering) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
		return "nil"
	case *types.Struct, *types.Array:
		return lo.typ(t) + "{}"
	}
	return "nil"
}

// typ writes a type.
func (lo *lowering) typ(t types.Type) string {
	text, err := lo.im.TypeString(t)
	if err != nil {
		lo.refuse(unnameableType(lo.fn.Extent(lo.fn.Decl.Name), err))
	}
	return text
}
