package analyse

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Checking: source that cannot be lowered is refused here, with all findings at once, before
// anything is generated.
//
// The switch below lists every kind of node that a function body can have. A kind that
// is not listed, say of a future version of the language, is refused: an unconsidered
// kind must not pass silently.

// check refuses what cannot be lowered.
func (fs *Facts) check() {
	c := &bodyCheck{facts: fs}
	if fs.Source.Package.WithoutC && fromC(fs.Signature) {
		fs.refuse(usesCgo(fs.Source.Extent(fs.Source.Decl.Name)))
		return
	}
	c.walk(fs.Body)
}

// bodyCheck walks the body and tracks what encloses the current node.
type bodyCheck struct {
	facts    *Facts
	literals int // function literals around
	usesC    bool
}

func (c *bodyCheck) walk(n ast.Node) { ast.Inspect(n, c.visit) }

func (c *bodyCheck) visit(n ast.Node) bool {
	if n == nil {
		return true
	}
	if e, ok := n.(ast.Expr); ok && c.facts.Source.Package.WithoutC && !c.usesC && c.facts.ofC(e) {
		c.usesC = true // reported once: each enclosing expression involves C, too
		c.facts.refuse(usesCgo(c.facts.Source.Extent(e)))
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		c.literal(n)
		return false
	case *ast.CallExpr:
		c.call(n)
	case *ast.DeferStmt:
		if c.facts.Deferred[n] != nil {
			c.facts.refusePassedUnsafe(n.Call)
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
		c.facts.refuse(UnknownSyntax(c.facts.Source.Extent(n), n))
		return false
	}
	return true
}

// literal checks a function literal, which is a separate function. A call in it that could
// suspend blocks, as in plain code, unless the literal becomes a machine.
func (c *bodyCheck) literal(lit *ast.FuncLit) {
	if l := c.facts.Literals.Machines[lit]; l != nil {
		l.Facts.check()
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
	if name, ok := c.facts.Builtin(call.Fun); ok && name == "recover" && c.facts.Literal == nil {
		c.facts.refuse(ownRecover(c.facts.Source.Extent(call)))
	}
	if fn, _, _ := source.Callee(call, c.facts.Info); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "runtime" && fn.Name() == "LockOSThread" {
		c.facts.refuse(lockedThread(c.facts.Source.Extent(call)))
	}
	c.facts.checkReceiver(call)
	if c.facts.Points[call] != nil {
		c.facts.refusePassedUnsafe(call)
	}
}

// ofC reports whether e involves C: it names C, or its type is unknown because of C.
func (fs *Facts) ofC(e ast.Expr) bool {
	tv, typed := fs.Info.Types[e]
	switch e := e.(type) {
	case *ast.Ident:
		switch obj := fs.Info.ObjectOf(e).(type) {
		case *types.PkgName:
			return obj.Imported().Path() == "C"
		case *types.Var:
			return fromC(obj.Type())
		}
	case *ast.CallExpr, *ast.SelectorExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
		return !typed || fromC(tv.Type)
	}
	return typed && !tv.IsBuiltin() && fromC(tv.Type)
}

// fromC reports whether values of t come from C or hold values that do, so that their
// sizes are unknown.
func fromC(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return isInvalid(t.Elem())
	case *types.Slice:
		return isInvalid(t.Elem())
	case *types.Chan:
		return isInvalid(t.Elem())
	case *types.Map:
		return fromC(t.Key()) || isInvalid(t.Elem())
	case *types.Signature:
		return fromC(t.Params()) || fromC(t.Results())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return fromC(v.Type()) })
	case *types.Named:
		if _, ok := t.Underlying().(*types.Signature); ok {
			return false
		}
		_, behind := t.Underlying().(interface{ Elem() types.Type })
		_, array := t.Underlying().(*types.Array)
		return (!behind || array) && fromC(t.Underlying())
	case *types.Array:
		return fromC(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return fromC(f.Type()) })
	}
	return false
}

func isInvalid(t types.Type) bool {
	if _, named := types.Unalias(t).(*types.Named); named {
		return false // only its name matters
	}
	return fromC(t)
}

// checkYield refuses a yield that the machine itself does not call.
func (c *bodyCheck) checkYield(id *ast.Ident) {
	if !c.facts.isYield(id) {
		return
	}
	for call, s := range c.facts.Points {
		if s.Kind == source.KindEmit && ast.Unparen(call.Fun) == ast.Expr(id) {
			return
		}
	}
	c.facts.refuse(escapingYield(c.facts.Source.Extent(id), id.Name))
}
