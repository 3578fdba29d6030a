package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Function literals that become machines.
//
// A function literal is a separate function, and most literals stay as they are: a suspending
// call in them blocks, as in plain code. But where a literal runs as part of the annotated
// function, blocking would hold the machine's worker. Such literals are lowered like the function
// around them. Source, then result:
//
//	err := func() error { n++; return pause(ctx) }()
//
//	f.func1, f.err = retryFunc1Enter(r, f.n, f.ctx)
//
// # What a literal captures
//
// In Go, a literal shares the variables around it. Here each captured variable becomes a
// parameter of the entry. A variable that is assigned or whose address is taken lives in a cell,
// and the parameter is the pointer to the cell (see "Closures and addresses" in the comment of
// package codegen). For any other variable, the parameter is the value. So changes are visible on
// both sides, and neither frame refers to the other.
//
// Captures are found while the literal is flattened, at the first mention of each. A literal
// within a literal gets them from the one around it, which captures what it passes on.

// machineOf returns the machine of a literal whose captures are known.
func (lo *lowering) machineOf(lit *ast.FuncLit) *lowering {
	c := lo.root().literals[lo.Literals.Machines[lit]]
	if !c.flat {
		c.flat = true
		c.flatten()
	}
	return c
}

// root returns the lowering of the annotated function.
func (lo *lowering) root() *lowering {
	for lo.parent != nil {
		lo = lo.parent
	}
	return lo
}

// capture makes a variable of a function around a literal a variable of the literal: a parameter
// of its entry. It returns nil for everything else.
func (lo *lowering) capture(obj types.Object) *ir.Variable {
	v, ok := obj.(*types.Var)
	if !ok || lo.Literal == nil || v.IsField() || !analyse.Within(lo.Source.Decl, v.Pos()) || analyse.Within(lo.Node, v.Pos()) {
		return nil
	}
	c := lo.declare(v)
	c.Param, c.Outside, c.Place = true, true, ir.InFrame
	lo.captures = append(lo.captures, v)
	return c
}

// captureArgument returns what the function passes to a literal for a captured variable: the
// pointer to its cell, or its value. If closure is set, it is spelled for the inside of a
// function literal that stays plain.
func (lo *lowering) captureArgument(obj *types.Var, closure bool) ir.Piece {
	v := lo.vars[obj]
	if v == nil {
		v = lo.capture(obj)
	}
	if v == nil { // it is in a kept statement, and has not moved
		if f := lo.UsageOf(obj); (&ir.Variable{Type: obj.Type(), Usage: f}).Shared() {
			return ir.Text("&" + obj.Name())
		}
		return ir.Text(obj.Name())
	}
	as := ir.AsValue
	if v.Shared() {
		as = ir.AsAddress
	}
	if closure {
		as += ir.AsBorrowed - ir.AsValue
	}
	return ir.UseAs(v, as)
}

// enterLiteral calls the entry of a literal. The first argument is the run.
func (lo *lowering) enterLiteral(l *lowering, closure bool, args ...ir.Rope) ir.Rope {
	l.isEntered = true
	args = slices.Insert(args, 1, lo.passedAll(l, closure)...)
	return append(append(ir.Rope{ir.Text(l.Declared.Enter + lo.typeArgsAt(l.Node) + "(")}, join(args)...), ir.Text(")"))
}

// passedAll returns what the function passes for all captures of a literal.
func (lo *lowering) passedAll(l *lowering, closure bool) []ir.Rope {
	var list []ir.Rope
	for _, obj := range l.captures {
		list = append(list, ir.Rope{lo.captureArgument(obj, closure)})
	}
	return list
}

// companions assigns the entries of values to the companions of assigned variables, or no entry
// if there are no values.
func (lo *lowering) companions(lhs, rhs []ast.Expr, declares bool) {
	for i, e := range lhs {
		f := lo.FuncVarOf(e)
		if f == nil {
			continue
		}
		d := ir.Dest{V: lo.entryOf(f)}
		if id := ast.Unparen(e).(*ast.Ident); declares && lo.Info.Defs[id] != nil {
			d.Declares = true
		}
		if len(rhs) == 0 {
			lo.add(&ir.Zero{Vars: []*ir.Variable{d.V}})
		} else {
			lo.add(&ir.Assign{Dst: []ir.Dest{d}, Src: lo.companion(f, rhs[i]), Typed: true})
		}
	}
}

// entryOf returns the companion as a variable of the function.
func (lo *lowering) entryOf(f *analyse.FuncVar) *ir.Variable { return lo.companionVariable(f.Entry) }

func (lo *lowering) companionVariable(entry *types.Var) *ir.Variable {
	if v := lo.vars[entry]; v != nil {
		return v
	}
	if v := lo.capture(entry); v != nil {
		return v
	}
	return lo.declare(entry)
}

// onlyCalled reports whether one of the variables is only ever called, so that its companion is
// enough.
func (lo *lowering) onlyCalled(lhs []ast.Expr) bool {
	if len(lhs) != 1 {
		return false
	}
	f := lo.FuncVarOf(lhs[0])
	return f != nil && !f.Read
}

// companion returns the entry of a value: a function that enters it, or nil if there is none.
func (lo *lowering) companion(f *analyse.FuncVar, e ast.Expr) ir.Rope {
	callee := lo.calleeType(f)
	only := f.OnlyLiteral(lo.Info) != nil
	return lo.entryFor(f.Var.Type().Underlying().(*types.Signature), e, callee, only)
}

// hasEntry reports whether the value e has an entry.
func (lo *lowering) hasEntry(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		l := lo.Literals.Machines[lit]
		return l != nil && l.Entered
	}
	return lo.FuncVarOf(e) != nil || lo.EntryOf(e) != nil || lo.bindings[ast.Unparen(e)] != nil
}

// bindAssigned evaluates the receiver of a method value that is assigned to a variable with a
// companion, for the value and for its entry.
func (lo *lowering) bindAssigned(lhs, rhs []ast.Expr) {
	if len(lhs) != 1 || len(rhs) != 1 || lo.FuncVarOf(lhs[0]) == nil {
		return
	}
	if entry := lo.BindsAssigned(rhs[0]); entry != nil {
		b := &binding{Suspension: entry}
		lo.bindings[ast.Unparen(rhs[0])] = b
		lo.bind(ast.Unparen(rhs[0]), b)
	}
}

// entryFor returns a function that enters the value e, with the given type for the suspended
// callee: that of the frame of a literal, or of an interface.
func (lo *lowering) entryFor(sig *types.Signature, e ast.Expr, callee ir.Rope, frame bool) ir.Rope {
	if other := lo.FuncVarOf(e); other != nil {
		return ir.Rope{ir.Use(lo.entryOf(other))}
	}
	if !lo.hasEntry(e) {
		return ir.Rope{ir.NilName}
	}
	if b := lo.bindings[ast.Unparen(e)]; b != nil {
		return lo.enterBound(sig, b)
	}
	lit, ok := ast.Unparen(e).(*ast.FuncLit)
	if !ok {
		return lo.entryBody(sig, lo.enterOf(e), nones(len(lo.EntryOf(e).Companions))...)
	}
	names, args := lo.entryParams(sig)
	entry := lo.enterLiteral(lo.machineOf(lit), true, args...)
	head := append(lo.companionType(sig, callee, names), ir.Text(" {\n"))
	if frame {
		return append(append(append(head, ir.Text("return ")), entry...), ir.Text("\n}"))
	}
	return append(append(head, lo.enteredBody(sig, entry)...), ir.Text("}"))
}

// entryParams returns the names of a companion's parameters, and what it passes on.
func (lo *lowering) entryParams(sig *types.Signature) (names []string, args []ir.Rope) {
	names, args = []string{}, []ir.Rope{{ir.RunName}}
	for range sig.Params().Len() {
		name := lo.names.Fresh("arg")
		names, args = append(names, name), append(args, ir.Rope{ir.Text(name)})
	}
	if last := len(args) - 1; sig.Variadic() {
		args[last] = append(args[last], ir.Text("..."))
	}
	return names, args
}

// entryBody returns a companion that calls an entry. more are arguments that follow the run.
func (lo *lowering) entryBody(sig *types.Signature, enter ir.Rope, more ...ir.Rope) ir.Rope {
	names, args := lo.entryParams(sig)
	args = slices.Insert(args, 1, more...)
	entry := append(append(enter, ir.Text("(")), append(join(args), ir.Text(")"))...)
	head := append(lo.companionType(sig, lo.anyCallee(sig), names), ir.Text(" {\n"))
	return append(append(head, lo.enteredBody(sig, entry)...), ir.Text("}"))
}

// nones are the companions of a callee's own parameters, of which nothing is known.
func nones(n int) []ir.Rope { return slices.Repeat([]ir.Rope{{ir.NilName}}, n) }

// binding is a method value that is given to a parameter with a companion. Its receiver is
// evaluated once, where gc evaluates the method value, for the value itself and for its entry. Of
// a value of a marked type, that is the value.
type binding struct {
	*source.Suspension
	receiver *ir.Variable // nil: not evaluated yet
}

// findBindings finds the method values that a call gives to parameters with companions. It reports
// whether the call contains other calls, which may change receivers.
func (lo *lowering) findBindings(call *ast.CallExpr, s *source.Suspension) bool {
	found := false
	for _, g := range s.Given(call, lo.Info) {
		for _, e := range g.Values {
			if entry := lo.Binds(e); entry != nil {
				lo.bindings[ast.Unparen(e)] = &binding{Suspension: entry}
				found = true
			}
		}
	}
	return found && slices.ContainsFunc(lo.CallOperands(call), func(o analyse.Operand) bool { return lo.HasCall(o.Expr) })
}

// bind evaluates the receiver of a method value.
func (lo *lowering) bind(e ast.Expr, b *binding) {
	if b.receiver != nil {
		return
	}
	if temps := lo.evaluated[e]; b.Kind == source.KindKept && temps != nil {
		b.receiver = temps[0] // a call that suspends
		return
	}
	if b.Kind == source.KindKept {
		lo.bindOperand(b, e, lo.expr(e), lo.TypeOf(e))
		return
	}
	x := ast.Unparen(e.(*ast.SelectorExpr).X)
	src, t := lo.value(x), lo.TypeOf(x)
	ptr, isPtr := typeset.Core(t).(*types.Pointer)
	switch byPtr := source.IsPointer(b.Enter.Signature().Recv()); {
	case isPtr && !byPtr:
		src, t = append(ir.Rope{ir.Text("*")}, parenthesize(src)...), ptr.Elem()
	case !isPtr && byPtr:
		src, t = append(ir.Rope{ir.Text("&")}, src...), types.NewPointer(t)
	}
	lo.bindOperand(b, x, src, t)
}

func (lo *lowering) bindOperand(b *binding, x ast.Expr, src ir.Rope, t types.Type) {
	b.receiver = lo.temp("bound", t)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: b.receiver, Declares: true}}, Src: src, Typed: true})
	lo.evaluated[x] = []*ir.Variable{b.receiver}
}

// enterBound returns a function that enters a method value whose receiver has been evaluated.
func (lo *lowering) enterBound(sig *types.Signature, b *binding) ir.Rope {
	if b.Kind == source.KindKept {
		return lo.entryBody(sig, ir.Rope{ir.Text(lo.besideType(b.Enter, b.Enter.Name()))}, ir.Rope{ir.UseAs(b.receiver, ir.AsBorrowed)})
	}
	return lo.entryBody(sig, ir.Rope{ir.UseAs(b.receiver, ir.AsBorrowedOperand), ir.Text("." + b.Enter.Name())}, nones(len(b.Companions))...)
}

// enteredBody calls an entry and returns its results. It returns a machine that has not suspended
// as a nil interface, not as an interface that holds a nil pointer.
func (lo *lowering) enteredBody(sig *types.Signature, entry ir.Rope) ir.Rope {
	m, none := ir.CalleeName, ir.NilName
	var results string
	for i := range sig.Results().Len() {
		results += ", r" + strconv.Itoa(i+1)
	}
	body := append(ir.Rope{m, ir.Text(results + " := ")}, entry...)
	return append(body, ir.Text("\nif "), m, ir.Text(" == "), none, ir.Text(" {\nreturn "), none, ir.Text(results+"\n}\nreturn "), m, ir.Text(results+"\n"))
}

// companionType returns the type of a companion: that of the function, with a run before the
// parameters and the suspended callee before the results. With names, it returns the head of a
// function of this type with these parameter names.
func (lo *lowering) companionType(sig *types.Signature, callee ir.Rope, names []string) ir.Rope {
	run := ir.Rope{ir.Text("*"), ir.StatemachineName, ir.Text(".Run")}
	if names != nil {
		run = append(ir.Rope{ir.RunName, ir.Text(" ")}, run...)
	}
	params := []ir.Rope{run}
	for i := range sig.Params().Len() {
		var param ir.Rope
		if names != nil {
			param = ir.Rope{ir.Text(names[i] + " ")}
		}
		typ := sig.Params().At(i).Type()
		if last := i == sig.Params().Len()-1; last && sig.Variadic() {
			param = append(param, ir.Text("..."), ir.TypeText(typ.Underlying().(*types.Slice).Elem(), lo.Node))
		} else {
			param = append(param, ir.TypeText(typ, lo.Node))
		}
		params = append(params, param)
	}
	results := append([]ir.Rope{callee}, lo.typesOf(sig.Results(), lo.Node)...)
	r := append(ir.Rope{ir.Text("func(")}, join(params)...)
	return append(append(append(r, ir.Text(") (")), join(results)...), ir.Text(")"))
}

// calleeType returns the type of the suspended callee in a call of the variable.
func (lo *lowering) calleeType(f *analyse.FuncVar) ir.Rope {
	if lit := f.OnlyLiteral(lo.Info); lit != nil {
		return ir.Rope{ir.Text("*"), ir.OpenPiece(ir.FrameOf{Lit: lit})}
	}
	return lo.anyCallee(f.Var.Type().Underlying().(*types.Signature))
}

// anyCallee returns the type of the suspended callee in a call of any function of a type.
func (lo *lowering) anyCallee(sig *types.Signature) ir.Rope {
	r := append(ir.Rope{ir.Text("interface{ Results(*"), ir.StatemachineName, ir.Text(".Run) (")}, join(lo.typesOf(sig.Results(), lo.Node))...)
	return append(r, ir.Text(") }"))
}

// typesOf returns the types of a list of parameters or results.
func (lo *lowering) typesOf(list *types.Tuple, pos ast.Node) []ir.Rope {
	var ropes []ir.Rope
	for v := range list.Variables() {
		ropes = append(ropes, ir.Rope{ir.TypeText(v.Type(), pos)})
	}
	return ropes
}

// suspendValue calls a variable's value through its companion. If that may be nil, it is tested.
// Source, then result:
//
//	err = op(ctx)
//
//	if f.opEnter != nil {
//		goto entered1
//	}
//	f.err = f.op(f.ctx)
//	goto resumed1
//	entered1:
//	f.op1, f.err = f.opEnter(r, f.ctx)
func (lo *lowering) suspendValue(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	f := lo.FuncVarOf(call.Fun)
	lo.spillArgs(call)
	lo.hold(p, f.Var.Name(), lo.calleeType(f))
	p.Resumed = lo.label("resumed")
	if f.Perhaps {
		entered := lo.label("entered")
		lo.add(&ir.Branch{Cond: ir.Rope{ir.Use(lo.entryOf(f)), ir.Text(" != "), ir.NilName}, To: entered})
		lo.add(&ir.Assign{Dst: dropBlanks(dst), Src: lo.expr(call), Typed: lo.retyped(call, dst)})
		lo.add(&ir.Jump{To: p.Resumed}, &ir.Mark{Label: entered})
	}
	args := lo.arguments(call)
	entry := append(ir.Rope{ir.Use(lo.entryOf(f)), ir.Text("(")}, join(args)...)
	lo.enterCallee(p, append(entry, ir.Text(")")), dst)
}

// unlessEntered jumps if the companion of a variable is nil.
func (lo *lowering) unlessEntered(f *analyse.FuncVar, to *ir.Label) ir.Instr {
	return &ir.Branch{Cond: ir.Rope{ir.Use(lo.entryOf(f)), ir.Text(" == "), ir.NilName}, To: to}
}

// declareCompanions declares the companions of the parameters.
func (lo *lowering) declareCompanions() {
	for _, c := range lo.Source.Companions() {
		if f := lo.HeldIn(c.Param); f != nil {
			lo.brought = append(lo.brought, lo.parameter(f.Entry))
			continue
		}
		if l := lo.ListIn(c.Param); l != nil {
			lo.brought = append(lo.brought, lo.parameter(l.Entry))
			continue
		}
		typ := lo.companionType(c.Func, lo.anyCallee(c.Func), nil)
		if c.Variadic {
			typ = append(ir.Rope{ir.Text("[]")}, typ...)
		}
		stem := c.Param.Name()
		if stem == "" || stem == "_" {
			stem = "arg"
		}
		v := &ir.Variable{Name: lo.Imports.Fresh(stem + "Enter"), Spelled: typ, Param: true, Place: ir.InFrame}
		lo.all = append(lo.all, v)
		lo.brought = append(lo.brought, v)
	}
}

// bring returns what a call passes to the companions of the callee's parameters, each after a
// comma.
func (lo *lowering) bring(call *ast.CallExpr, s *source.Suspension) ir.Rope {
	var list ir.Rope
	for _, g := range s.Given(call, lo.Info) {
		list = append(append(list, ir.Text(", ")), lo.companionsFor(g)...)
	}
	return list
}

// companionsFor returns the companion of what a parameter is given: for a variadic one, a slice.
func (lo *lowering) companionsFor(g source.Given) ir.Rope {
	none := ir.Rope{ir.NilName}
	if !g.Variadic {
		if len(g.Values) == 0 {
			return none
		}
		entry, _ := lo.companionFor(g.Values[0])
		return entry
	}
	var entries []ir.Rope
	var typ ir.Rope
	for _, e := range g.Values {
		entry, sig := lo.companionFor(e)
		entries = append(entries, entry)
		if sig != nil {
			typ = lo.companionType(sig, lo.anyCallee(sig), nil)
		}
	}
	if typ == nil {
		return none
	}
	list := append(append(ir.Rope{ir.Text("[]")}, typ...), ir.Text("{"))
	return append(append(list, join(entries)...), ir.Text("}"))
}

// companionFor returns the companion of a value, and its signature if it has one. A new function
// is assigned to a variable first: in the call, its lines would be between those of the source.
func (lo *lowering) companionFor(e ast.Expr) (ir.Rope, *types.Signature) {
	sig, ok := lo.TypeOf(e).Underlying().(*types.Signature)
	if !ok {
		return ir.Rope{ir.NilName}, nil
	}
	var entry ir.Rope
	if b := lo.bindings[ast.Unparen(e)]; b != nil {
		lo.bind(ast.Unparen(e), b)
		entry = lo.enterBound(sig, b)
	} else if lo.hasEntry(e) {
		entry = lo.entryFor(sig, e, lo.anyCallee(sig), false)
	} else {
		return ir.Rope{ir.NilName}, nil
	}
	if lo.FuncVarOf(e) != nil {
		return entry, sig
	}
	v := &ir.Variable{Name: "enter", Spelled: lo.companionType(sig, lo.anyCallee(sig), nil)}
	lo.all = append(lo.all, v)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: entry})
	return ir.Rope{ir.Use(v)}, sig
}

// enterOf returns the entry of the function e.
func (lo *lowering) enterOf(e ast.Expr) ir.Rope {
	s, call := lo.EntryOf(e), &ast.CallExpr{Fun: e}
	lo.renameCallee(call, s.Enter.Name())
	entry := lo.inLiteral(source.StripInstantiation(e))
	entry = append(entry, lo.typeArguments(e, s.TypeArgs)...)
	_, id, _ := source.Callee(call, lo.Info)
	delete(lo.idents, id) // elsewhere, say as the argument itself, e keeps its name
	return entry
}
