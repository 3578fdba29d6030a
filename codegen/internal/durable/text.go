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
	with     string
}

// raw returns the source of a node.
func (lo *lowering) raw(n ast.Node) []byte { return lo.slice(n.Pos(), n.End()) }

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
	r := &rewriting{lo: lo}
	r.walk(n, false, false)
	slices.SortFunc(r.edits, func(a, b edit) int { return int(a.from - b.from) })
	var b strings.Builder
	at := n.Pos()
	for _, e := range r.edits {
		b.Write(lo.slice(at, e.from))
		b.WriteString(e.with)
		at = e.to
	}
	b.Write(lo.slice(at, n.End()))
	return b.String(), r.to
}

// rewriting collects the edits of a node.
type rewriting struct {
	lo    *lowering
	edits []edit
	to    []string
	own   map[string]bool // labels inside the node
	lits  int             // function literals around
}

// walk visits a node. breaks and continues say whether an unlabelled one stays inside.
func (r *rewriting) walk(n ast.Node, breaks, continues bool) {
	ast.Inspect(n, func(at ast.Node) bool {
		if at == nil {
			return false
		}
		switch at := at.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if at != n {
				r.walk(at, true, true)
				return false
			}
			breaks, continues = true, true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if at != n {
				r.walk(at, true, continues)
				return false
			}
			breaks = true
		case *ast.FuncLit:
			if at != n {
				r.lits++
				r.walk(at, true, true)
				r.lits--
				return false
			}
		case *ast.LabeledStmt:
			if r.own == nil {
				r.own = map[string]bool{}
			}
			r.own[at.Label.Name] = true
		case *ast.BranchStmt:
			r.branch(at, breaks, continues)
			return false
		case *ast.ReturnStmt:
			if r.lits == 0 {
				r.returns(at)
				return false
			}
		case *ast.SelectorExpr:
			r.selector(at, breaks, continues)
			return false
		case *ast.Ident:
			r.ident(at)
		default:
			r.lo.allowed(at, r.lits > 0)
		}
		return true
	})
}

func (r *rewriting) replace(n ast.Node, with string) {
	r.edits = append(r.edits, edit{n.Pos(), n.End(), with})
}

func (r *rewriting) selector(e *ast.SelectorExpr, breaks, continues bool) {
	r.walk(e.X, breaks, continues) // the name after the dot stays
}

func (r *rewriting) ident(id *ast.Ident) {
	lo := r.lo
	switch obj := lo.info.Uses[id].(type) {
	case *types.PkgName:
		if name := lo.im.Name(obj.Imported()); name != id.Name {
			r.replace(id, name)
		}
		return
	case *types.Var:
		if v := lo.vars[obj]; v != nil {
			r.captured(id, v)
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

// captured records a variable that a literal mentions.
func (r *rewriting) captured(id *ast.Ident, v *variable) {
	if r.lits == 0 {
		return
	}
	v.pinned = true
	if r.lo.loopVars[v] {
		r.lo.refuse(id, "a function literal captures the loop variable "+id.Name, "the frame has one for all iterations", "assign it to a variable inside of the loop's body, in a block of its own")
	}
}

func (r *rewriting) returns(s *ast.ReturnStmt) {
	with := "return " + r.lo.turn + ".Return()"
	if text := r.lo.resultText(s); text != "" {
		with = text + "\n" + with
	}
	r.replace(s, with)
}

func (r *rewriting) branch(s *ast.BranchStmt, breaks, continues bool) {
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

// allowed refuses constructs without a meaning in a durable function.
func (lo *lowering) allowed(n ast.Node, inLiteral bool) {
	switch n := n.(type) {
	case *ast.GoStmt:
		lo.refuse(n, "a go statement in a durable function", "a goroutine is lost with the process", "move it into a step")
	case *ast.SelectStmt, *ast.SendStmt:
		lo.refuse(n, "a channel operation in a durable function", "a channel is lost with the process", "move it into a step, or wait for a signal")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			lo.refuse(n, "a channel operation in a durable function", "a channel is lost with the process", "move it into a step, or wait for a signal")
		}
		if n.Op == token.AND {
			for _, v := range lo.mentioned(n.X) {
				v.pinned = true
			}
		}
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if id, ok := e.(*ast.Ident); ok {
				lo.unchanged(id)
			}
		}
	case *ast.CallExpr:
		lo.allowedCall(n, inLiteral)
	}
}

func (lo *lowering) allowedCall(call *ast.CallExpr, inLiteral bool) {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := lo.info.Uses[id].(*types.Builtin); ok && b.Name() == "recover" {
			lo.refuse(call, "recover in a durable function", "a panic between two points leaves the instance at the last checkpoint", "recover in a step")
		}
	}
	if s, ok := lo.fn.Package.Twins.Suspends(call, lo.info); ok {
		lo.refuse(call, "the call of "+s.Callee.Name()+", which suspends", "a job is lost with the process", "move it into a step")
		return
	}
	fn, _, _ := source.Callee(call, lo.info)
	switch {
	case fn == nil || fn.Pkg() == nil:
	case lo.fn.Package.DurableFunctions[source.KeyOf(fn.Origin())]:
		lo.refuse(call, "the call of "+fn.Name()+", which is durable itself", "durable functions cannot call one another yet", "make it a part of this one, or start it in a step")
	case source.IsObject(fn, source.DurablePath, "Compensate"):
		lo.refuse(call, "a call of durable.Compensate that is not deferred", "it undoes an earlier step when the function has failed", "defer it, or call the step")
	case inLiteral && lo.kindOf(call) != noPoint:
		lo.refuse(call, "the call of "+fn.Name()+" in a function literal", "a literal is not saved", "call it in the function itself")
	}
}

// mentioned returns the variables that a node mentions.
func (lo *lowering) mentioned(n ast.Node) (list []*variable) {
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
