package durable

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// edit replaces a piece of the source.
type edit struct {
	from, to token.Pos
	text     string
}

// raw returns the source of a node.
func (lo *lowering) raw(n ast.Node) []byte { return lo.slice(n.Pos(), n.End()) }

// slice returns the source between two positions of one file.
func (lo *lowering) slice(from, to token.Pos) []byte {
	file := lo.fn.Package.Fset.File(from)
	return lo.fn.File.Source[file.Offset(from):file.Offset(to)]
}

// expr returns an expression with its mentions replaced.
func (lo *lowering) expr(e ast.Expr) string {
	text, _ := lo.statement(e)
	return text
}

// statement returns a node's text for MoveNext: mentions are replaced, returns become returns of
// MoveNext, and branches out of the node become jumps. to are the labels of those jumps.
func (lo *lowering) statement(n ast.Node) (text string, to []string) {
	r := &rewriter{lo: lo}
	r.walk(n, false, false)
	slices.SortFunc(r.edits, func(a, b edit) int { return int(a.from - b.from) })
	var b strings.Builder
	pos := n.Pos()
	for _, e := range r.edits {
		b.Write(lo.slice(pos, e.from))
		b.WriteString(e.text)
		pos = e.to
	}
	b.Write(lo.slice(pos, n.End()))
	return b.String(), r.to
}

// rewriter collects the edits of a node.
type rewriter struct {
	lo    *lowering
	edits []edit
	to    []string
	own   map[string]bool // labels inside the node
	lits  int             // function literals around
}

// walk visits a node. breaks and continues say whether an unlabelled one stays inside.
func (r *rewriter) walk(n ast.Node, breaks, continues bool) {
	ast.Inspect(n, func(inner ast.Node) bool {
		if inner == nil {
			return false
		}
		switch inner := inner.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if inner != n {
				r.walk(inner, true, true)
				return false
			}
			breaks, continues = true, true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if inner != n {
				r.walk(inner, true, continues)
				return false
			}
			breaks = true
		case *ast.FuncLit:
			if inner != n {
				r.lits++
				r.walk(inner, true, true)
				r.lits--
				return false
			}
		case *ast.LabeledStmt:
			if r.own == nil {
				r.own = map[string]bool{}
			}
			r.own[inner.Label.Name] = true
		case *ast.BranchStmt:
			r.branchStmt(inner, breaks, continues)
			return false
		case *ast.ReturnStmt:
			if r.lits == 0 {
				r.returnStmt(inner)
				return false
			}
		case *ast.SelectorExpr:
			r.selector(inner, breaks, continues)
			return false
		case *ast.Ident:
			r.ident(inner)
		default:
			r.lo.checkNode(inner, r.lits > 0)
		}
		return true
	})
}

func (r *rewriter) replace(n ast.Node, text string) {
	r.edits = append(r.edits, edit{n.Pos(), n.End(), text})
}

func (r *rewriter) selector(e *ast.SelectorExpr, breaks, continues bool) {
	r.walk(e.X, breaks, continues) // the name after the dot stays
}

func (r *rewriter) ident(id *ast.Ident) {
	lo := r.lo
	switch obj := lo.info.Uses[id].(type) {
	case *types.PkgName:
		if name := lo.im.Name(obj.Imported()); name != id.Name {
			r.replace(id, name)
		}
		return
	case *types.Var:
		if v := lo.vars[obj]; v != nil {
			r.recordCapture(id, v)
			r.replace(id, lo.mention(v))
			return
		}
		if lo.recv != nil && obj == lo.recv {
			r.replace(id, lo.frame+"."+lo.recvField())
			return
		}
	}
	if v, ok := lo.info.Defs[id].(*types.Var); ok && lo.vars[v] != nil {
		r.replace(id, lo.mention(lo.vars[v]))
		return
	}
	obj := lo.info.Uses[id]
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == lo.fn.Package.Types || obj.Parent() != obj.Pkg().Scope() {
		return
	}
	if name := lo.im.Name(obj.Pkg()); name != "" { // a dot import
		r.replace(id, name+"."+id.Name)
	}
}

// recordCapture records a variable that a literal mentions.
func (r *rewriter) recordCapture(id *ast.Ident, v *variable) {
	if r.lits == 0 {
		return
	}
	v.pinned = true
	if r.lo.loopVars[v] {
		r.lo.refuse(capturedLoopVariable(r.lo.fn.Extent(id), id.Name))
	}
}

func (r *rewriter) returnStmt(s *ast.ReturnStmt) {
	text := "return " + r.lo.turn + ".Return()"
	if results := r.lo.resultText(s); results != "" {
		text = results + "\n" + text
	}
	r.replace(s, text)
}

func (r *rewriter) branchStmt(s *ast.BranchStmt, breaks, continues bool) {
	switch {
	case s.Label != nil && r.own[s.Label.Name], s.Tok == token.FALLTHROUGH:
	case s.Label == nil && s.Tok == token.BREAK && breaks, s.Label == nil && s.Tok == token.CONTINUE && continues:
	default:
		if to := r.lo.destination(s); to != "" {
			r.to = append(r.to, to)
			r.replace(s, "goto "+to)
		}
	}
}

// checkNode refuses constructs without a meaning in a durable function.
func (lo *lowering) checkNode(n ast.Node, inLiteral bool) {
	switch n := n.(type) {
	case *ast.GoStmt:
		lo.refuse(goStatement(lo.fn.Extent(n)))
	case *ast.SelectStmt, *ast.SendStmt:
		lo.refuse(channelOperation(lo.fn.Extent(n)))
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			lo.refuse(channelOperation(lo.fn.Extent(n)))
		}
		if n.Op == token.AND {
			for _, v := range lo.variablesIn(n.X) {
				v.pinned = true
			}
		}
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok {
				lo.checkAssignment(id)
			}
		}
	case *ast.CallExpr:
		lo.checkCall(n, inLiteral)
	}
}

func (lo *lowering) checkCall(call *ast.CallExpr, inLiteral bool) {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := lo.info.Uses[id].(*types.Builtin); ok && b.Name() == "recover" {
			lo.refuse(ownRecover(lo.fn.Extent(call)))
		}
	}
	if s, ok := lo.fn.Package.Twins.Suspends(call, lo.info); ok {
		lo.refuse(suspendingCall(lo.fn.Extent(call), s.Callee.Name()))
		return
	}
	fn, _, _ := source.Callee(call, lo.info)
	switch {
	case fn == nil || fn.Pkg() == nil:
	case lo.isDurable(fn):
		lo.refuse(durableCall(lo.fn.Extent(call), fn.Name()))
	case source.IsObject(fn, source.DurablePath, "Compensate"):
		lo.refuse(compensateNotDeferred(lo.fn.Extent(call)))
	case lo.kindOf(call) != noPoint:
		if inLiteral {
			lo.refuse(pointInLiteral(lo.fn.Extent(call), fn.Name()))
		}
	case fn.Pkg().Path() == source.DurablePath && inPlace[fn.Name()] && fn.Signature().Recv() == nil:
		lo.refuse(outsideStep(lo.fn.Extent(call), fn.Name()))
	default:
		lo.checkReach(call, fn)
	}
}

// variablesIn returns the variables that a node mentions.
func (lo *lowering) variablesIn(n ast.Node) (list []*variable) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj, ok := lo.info.Uses[id].(*types.Var); ok && lo.vars[obj] != nil {
				list = append(list, lo.vars[obj])
			}
		}
		return true
	})
	return list
}
