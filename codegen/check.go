package codegen

import (
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Checking: source that cannot be lowered is refused here, before anything is
// generated, with all findings at once.
//
// The switch below lists every kind of node that a function body can have. A kind that
// is not listed, say of a future version of the language, is refused: an unconsidered
// kind must not pass silently.

// check refuses what cannot be lowered.
func (u *unit) check() {
	c := &bodyCheck{u: u}
	if u.fn.Package.WithoutC && fromC(u.sig) {
		u.refuse(usesCgo(u.at(u.fn.Decl.Name)))
		return
	}
	c.walk(u.body)
}

// bodyCheck walks the body and knows what encloses the current node.
type bodyCheck struct {
	u        *unit
	literals int // function literals around
	usesC    bool
}

func (c *bodyCheck) walk(n ast.Node) { ast.Inspect(n, c.visit) }

func (c *bodyCheck) visit(n ast.Node) bool {
	if n == nil {
		return true
	}
	if e, ok := n.(ast.Expr); ok && c.u.fn.Package.WithoutC && !c.usesC && c.u.ofC(e) {
		c.usesC = true // said once: one thing of C makes all others around it
		c.u.refuse(usesCgo(c.u.at(e)))
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		c.literal(n)
		return false
	case *ast.CallExpr:
		c.call(n)
	case *ast.DeferStmt:
		if c.u.deferred[n] != nil {
			c.u.refusePassedUnsafe(n.Call)
		}
	case *ast.Ident:
		c.checkYield(n)

	case *ast.AssignStmt, *ast.BlockStmt, *ast.BranchStmt, *ast.CaseClause, *ast.CommClause, *ast.DeclStmt,
		*ast.EmptyStmt, *ast.ExprStmt, *ast.ForStmt, *ast.GoStmt, *ast.IfStmt, *ast.IncDecStmt, *ast.LabeledStmt,
		*ast.RangeStmt, *ast.ReturnStmt, *ast.SelectStmt, *ast.SendStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
	case *ast.BasicLit, *ast.BinaryExpr, *ast.CompositeLit, *ast.IndexExpr, *ast.IndexListExpr, *ast.KeyValueExpr,
		*ast.ParenExpr, *ast.SelectorExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.UnaryExpr:
	case *ast.ArrayType, *ast.ChanType, *ast.Ellipsis, *ast.Field, *ast.FieldList, *ast.FuncType, *ast.InterfaceType,
		*ast.MapType, *ast.StructType:
	case *ast.GenDecl, *ast.TypeSpec, *ast.ValueSpec:
	case *ast.Comment, *ast.CommentGroup:
	default:
		c.u.refuse(unknownSyntax(c.u.at(n), n))
		return false
	}
	return true
}

// literal: a function literal is a function of its own. What suspends in it
// blocks, as it does in plain code, unless it becomes a machine.
func (c *bodyCheck) literal(lit *ast.FuncLit) {
	if l := c.u.literals.machines[lit]; l != nil {
		l.unit.check()
		return
	}
	c.literals++
	c.walk(lit.Type)
	c.walk(lit.Body)
	c.literals--
}

func (c *bodyCheck) call(call *ast.CallExpr) {
	if c.literals > 0 {
		return
	}
	if name, ok := c.u.builtin(call.Fun); ok && name == "recover" && c.u.self == nil {
		c.u.refuse(ownRecover(c.u.at(call)))
	}
	if fn, _, _ := source.Callee(call, c.u.info); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "runtime" && fn.Name() == "LockOSThread" {
		c.u.refuse(lockedThread(c.u.at(call)))
	}
	c.u.checkReceiver(call)
	if c.u.points[call] != nil {
		c.u.refusePassedUnsafe(call)
	}
}

// unsupported is the finding for a statement of a kind that check should have
// refused.
func (u *unit) unsupported(n ast.Node) source.Diagnostic { return unknownSyntax(u.at(n), n) }
