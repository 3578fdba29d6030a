package analyse

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// FuncList is a variadic parameter of functions. Its companion has their entries. A variable that
// ranges over the parameter has an element of the companion for its own:
//
//	for _, op := range ops {
//		err = op(ctx)
//
//	f.op = list[i]
//	f.opEnter = statemachine.CompanionAt(f.opsEnter, i)
//
// The elements of the companion must stay those of the parameter. So nothing may assign elements,
// and the slice itself may only be ranged over, indexed and measured. It is tempting to let it be
// passed on, as f(ops...), but the callee may assign elements, too.
type FuncList struct {
	Var   *types.Var
	Entry *types.Var       // the companion
	Func  *types.Signature // of each of the functions
}

// ListOf returns the variadic parameter with a companion that e names, or nil.
func (fs *Facts) ListOf(e ast.Expr) *FuncList {
	v, _ := fs.Info.Uses[identOf(e)].(*types.Var)
	return fs.Literals.lists[v]
}

// ListIn returns the variable v as one with a companion, or nil.
func (fs *Facts) ListIn(v *types.Var) *FuncList { return fs.Literals.lists[v] }

// declareList declares a variadic parameter, unless its elements may change.
func (c *funcCollector) declareList(p source.Companion) {
	fs := c.facts
	if c.changesList(p.Param) {
		return
	}
	l := &FuncList{Var: p.Param, Func: p.Func}
	l.Entry = types.NewVar(p.Param.Pos(), p.Param.Pkg(), fs.Imports.Fresh(p.Param.Name()+"Enter"), p.Param.Type())
	fs.Literals.lists[l.Var], fs.Literals.Lists[l.Entry] = l, l
	fs.usage[l.Entry] = fs.usageOf(l.Var)
}

// changesList reports whether v is used in a way that may assign elements.
func (c *funcCollector) changesList(v *types.Var) bool {
	harmless := map[*ast.Ident]bool{}
	changes := false
	element := func(e ast.Expr) bool {
		index, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && c.facts.Info.Uses[identOf(index.X)] == v
	}
	ast.Inspect(c.facts.Body, func(n ast.Node) bool {
		for _, lhs := range AssignedBy(n) {
			changes = changes || lhs != nil && element(lhs)
		}
		switch n := n.(type) {
		case *ast.UnaryExpr:
			changes = changes || n.Op == token.AND && element(n.X)
		case *ast.RangeStmt:
			harmless[identOf(n.X)] = true
		case *ast.IndexExpr:
			harmless[identOf(n.X)] = true
		case *ast.CallExpr:
			if name, ok := c.facts.Builtin(n.Fun); ok && name == "len" {
				harmless[identOf(n.Args[0])] = true
			}
		case *ast.Ident:
			changes = changes || c.facts.Info.Uses[n] == v && !harmless[n]
		}
		return !changes
	})
	return changes
}

// declareElement declares the variable of a range over a variadic parameter with a companion.
func (c *funcCollector) declareElement(n *ast.RangeStmt) {
	if n.Tok != token.DEFINE || n.Value == nil || len(c.literals) > 0 || c.facts.ListOf(n.X) == nil || !c.facts.LoopVarPerIteration() {
		return
	}
	if v, ok := c.facts.Info.Defs[identOf(n.Value)].(*types.Var); ok {
		f := &FuncVar{Var: v, Read: true, param: true, known: true}
		c.vars[v] = f
		c.order = append(c.order, f)
	}
}
