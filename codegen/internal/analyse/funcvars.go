package analyse

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Variables that hold functions which suspend.
//
// The type of a function does not show whether it suspends, so a call of a function value
// blocks. But if every assignment to a variable is known, so are its possible values. A known
// variable only ever holds literals, plain forms of twins, and nil. It gets a companion, which
// holds the machine entry of the variable's value, and calls of the variable become calls of the
// companion. Source, then result:
//
//	visit := func(n *node) error { return fetch(ctx, n.url) }
//	err := visit(root)
//
//	f.visitEnter = func(r *statemachine.Run, arg1 *node) (*crawlFunc1Frame, error) {
//		return crawlFunc1Enter(r, ctx, arg1)
//	}
//	f.visit1, f.err = f.visitEnter(r, f.root)
//
// The companion is captured like any other variable, so recursion through a variable
// works. The variable itself stays if other code uses it.

// FuncVar is a variable of the function that holds functions.
type FuncVar struct {
	Var    *types.Var
	Entry  *types.Var // the companion
	Read   bool       // it is used other than by calling it
	values []ast.Expr // what is assigned to it
	known  bool       // so far, nothing else has been assigned to it
	copied bool       // it is assigned to another such variable
	called bool
}

// OnlyLiteral returns the literal that the variable holds, or nil if it may hold anything else.
func (f *FuncVar) OnlyLiteral(info *types.Info) *ast.FuncLit {
	var only *ast.FuncLit
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		switch {
		case !ok && info.Types[e].IsNil():
		case !ok || only != nil || f.copied:
			return nil
		default:
			only = lit
		}
	}
	return only
}

// findFuncVars finds the variables of the function that hold suspending functions. Whether
// code suspends depends on these variables, and which variables qualify depends on the code
// that suspends. So the search repeats until it finds no further variable.
func (fs *Facts) findFuncVars() {
	c := &funcCollector{facts: fs, vars: map[*types.Var]*FuncVar{}, seen: map[*ast.Ident]bool{}, copied: map[*ast.Ident]bool{}}
	ast.Inspect(fs.Body, c.visit)
	held := fs.Literals.vars
	for again := true; again; {
		again = false
		for _, f := range c.order {
			if held[f.Var] == nil && f.known && f.called && fs.holdsSuspending(f) {
				held[f.Var], again = f, true
				clear(fs.Literals.suspending)
			}
		}
	}
	c.dropUnknown()
	c.spreadReads()
	for _, f := range c.order {
		if held[f.Var] == f {
			for _, e := range f.values {
				if other := fs.FuncVarOf(e); other != nil {
					other.copied = true
				}
			}
			f.Entry = types.NewVar(f.Var.Pos(), f.Var.Pkg(), fs.Imports.Fresh(f.Var.Name()+"Enter"), f.Var.Type())
			fs.Literals.Entries[f.Entry] = f
			fs.usage[f.Entry] = fs.usageOf(f.Var)
		}
	}
}

// dropUnknown drops variables to which a variable without a companion is assigned.
func (c *funcCollector) dropUnknown() {
	held := c.facts.Literals.vars
	for again := true; again; {
		again = false
		for v, f := range held {
			for _, e := range f.values {
				if _, isVar := c.facts.Info.ObjectOf(identOf(e)).(*types.Var); isVar && c.facts.FuncVarOf(e) == nil {
					delete(held, v)
					clear(c.facts.Literals.suspending)
					again = true
				}
			}
		}
	}
}

// spreadReads marks the variables called by literals that stay plain Go: such a literal calls
// the variable itself, not the companion.
func (c *funcCollector) spreadReads() {
	for again := true; again; {
		again = false
		for _, call := range c.calls {
			if !call.variableOf.Read && slices.ContainsFunc(call.in, c.staysPlain) {
				call.variableOf.Read, again = true, true
			}
		}
	}
}

// staysPlain reports whether a variable that holds lit needs it as an ordinary function value.
func (c *funcCollector) staysPlain(lit *ast.FuncLit) bool {
	return slices.ContainsFunc(c.order, func(f *FuncVar) bool {
		return (f.Read || c.facts.Literals.vars[f.Var] != f) && slices.ContainsFunc(f.values, func(e ast.Expr) bool { return ast.Unparen(e) == lit })
	})
}

// identOf returns e as an identifier, or an identifier that names nothing.
func identOf(e ast.Expr) *ast.Ident {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return id
	}
	return &ast.Ident{}
}

func (fs *Facts) holdsSuspending(f *FuncVar) bool {
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		if ok && fs.literalSuspends(lit) || !ok && (fs.FuncVarOf(e) != nil || fs.EntryOf(e) != nil) {
			return true
		}
	}
	return false
}

// EntryOf returns the suspension that a call of the value e would be, if e is a function or a
// method value with an entry for machines. Otherwise it returns nil.
func (fs *Facts) EntryOf(e ast.Expr) *source.Suspension {
	s, ok := fs.Source.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, fs.Info)
	if !ok || s.Kind != source.KindEnter || s.TypeArgs.Len() > 0 || s.Method != nil && !fs.bindsLate(e, s.Method) {
		return nil
	}
	return &s
}

// bindsLate reports whether a method value can be bound when it is called instead of where it
// is written.
func (fs *Facts) bindsLate(e ast.Expr, method *types.Selection) bool {
	if method.Kind() == types.MethodExpr {
		return false
	}
	x := ast.Unparen(e).(*ast.SelectorExpr).X
	return fs.BindsItself(ast.Unparen(e), method) || fs.IsStable(x) && !typeset.IsPointer(fs.TypeOf(x)) && !source.IsPointer(method.Obj().(*types.Func).Signature().Recv())
}
