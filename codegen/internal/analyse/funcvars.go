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
// blocks. But if every assignment to a variable is known, so are its possible values. A variable
// that ever holds a literal that suspends, the plain form of a twin, or what a variable with a
// companion holds, gets a companion, which holds the machine entry of the variable's value, and
// calls of the variable become calls of the companion. Source, then result:
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
//
// A parameter of function type has a companion that the caller brings (see source.Companion). It
// is nil if the caller knows of no entry; so is that of a variable to which another value, say a
// field, is assigned. A call of such a variable tests the companion: if it is nil, the call is
// plain and blocks.
//
// No value of a function type ever reports a suspension. What is passed, stored, compared with
// nil, or called by a go statement is the variable itself, which holds the plain function.

// FuncVar is a variable of the function that holds functions.
type FuncVar struct {
	Var   *types.Var
	Entry *types.Var // the companion
	Read  bool       // it is used other than by calling it

	// Perhaps means that the companion may be nil although the variable is not.
	Perhaps bool

	param  bool       // its companion is a parameter, too, or an element of one
	values []ast.Expr // what is assigned to it
	known  bool       // so far, nothing else has been assigned to it
	copied bool       // it is assigned to another such variable
	called bool
}

// OnlyLiteral returns the literal that the variable holds, or nil if it may hold anything else.
func (f *FuncVar) OnlyLiteral(info *types.Info) *ast.FuncLit {
	if f.Perhaps || f.copied {
		return nil
	}
	var only *ast.FuncLit
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		switch {
		case !ok && info.Types[e].IsNil():
		case !ok || only != nil:
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
	c.declareParams()
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
	c.spreadPerhaps()
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

// spreadPerhaps finds the variables whose companions may be nil although they are not. Calls need
// those variables themselves, too.
func (c *funcCollector) spreadPerhaps() {
	for again := true; again; {
		again = false
		for _, f := range c.order {
			if c.facts.Literals.vars[f.Var] != f || f.Perhaps {
				continue
			}
			f.Perhaps = f.param || slices.ContainsFunc(f.values, func(e ast.Expr) bool {
				other := c.facts.FuncVarOf(e)
				return other != nil && other.Perhaps || c.facts.blocks(e)
			})
			f.Read = f.Read || f.Perhaps
			again = again || f.Perhaps
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
	if f.param {
		return true
	}
	for _, e := range f.values {
		lit, ok := ast.Unparen(e).(*ast.FuncLit)
		if ok && fs.literalSuspends(lit) || !ok && fs.bringsEntry(e) {
			return true
		}
	}
	return false
}

// EntryOf returns the suspension that a call of the value e would be, if e is a function or a
// method value with an entry for machines. Otherwise it returns nil.
func (fs *Facts) EntryOf(e ast.Expr) *source.Suspension {
	s, ok := fs.Source.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, fs.Info)
	if !ok || s.Kind != source.KindEnter || s.Method != nil && !fs.bindsLate(e, s.Method) || fs.Imports.IsOpen(fs.TypeOf(e)) {
		return nil
	}
	return &s
}

// blocks reports whether calls of a variable that holds e are plain, so that they may block.
func (fs *Facts) blocks(e ast.Expr) bool {
	return !fs.Info.Types[e].IsNil() && !fs.bringsEntry(e)
}

// bringsEntry reports whether a value has an entry for a companion: it is a literal that may be a
// machine, a function or a method value with an entry, or a variable with a companion.
func (fs *Facts) bringsEntry(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return !fs.CallsRecover(lit.Body)
	}
	return fs.FuncVarOf(e) != nil || fs.EntryOf(e) != nil || fs.BindsAssigned(e) != nil
}

// BindsAssigned is Binds for a value that is assigned by a statement of its own, so that nothing
// else is evaluated between the receiver and the assignment.
func (fs *Facts) BindsAssigned(e ast.Expr) *source.Suspension {
	if !fs.Literals.alone[ast.Unparen(e)] {
		return nil
	}
	return fs.Binds(e)
}

// Binds returns the entry of e if e is a method value whose receiver has to be evaluated where e
// is written, or a value of a marked type, which itself has to be. A method of an interface and a
// promoted method have none.
func (fs *Facts) Binds(e ast.Expr) *source.Suspension {
	if fs.EntryOf(e) != nil {
		return nil
	}
	if enter := source.EnterOfType(fs.TypeOf(e)); enter != nil {
		return &source.Suspension{Kind: source.KindKept, Enter: enter}
	}
	s, ok := fs.Source.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, fs.Info)
	if !ok || s.Kind != source.KindEnter || s.Method == nil || s.Method.Kind() != types.MethodVal || len(s.Method.Index()) > 1 || fs.Imports.IsOpen(fs.TypeOf(e)) {
		return nil
	}
	if types.IsInterface(fs.TypeOf(ast.Unparen(e).(*ast.SelectorExpr).X)) {
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

// noteGiven makes machines of the suspending literals that a call passes to parameters with
// companions.
func (fs *Facts) noteGiven(call *ast.CallExpr, s *source.Suspension) {
	for _, g := range s.Given(call, fs.Info) {
		for _, e := range g.Values {
			if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok && fs.literalSuspends(lit) && !fs.Imports.IsOpen(fs.TypeOf(lit)) {
				fs.noteEntered(lit)
			}
		}
	}
}

// noteEntered makes a machine of a value if it is a literal with an entry for a companion.
func (fs *Facts) noteEntered(e ast.Expr) {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok && fs.bringsEntry(lit) {
		fs.machine(lit).Entered = true
	}
}
