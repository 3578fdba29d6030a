package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
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
func (lo *lowering) entryOf(f *analyse.FuncVar) *ir.Variable {
	if v := lo.vars[f.Entry]; v != nil {
		return v
	}
	if v := lo.capture(f.Entry); v != nil {
		return v
	}
	return lo.declare(f.Entry)
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

// companion returns the entry of a value: a function that enters it.
func (lo *lowering) companion(f *analyse.FuncVar, e ast.Expr) ir.Rope {
	if lo.Info.Types[e].IsNil() {
		return ir.Rope{ir.NilName}
	}
	if other := lo.FuncVarOf(e); other != nil {
		return ir.Rope{ir.Use(lo.entryOf(other))}
	}
	sig := f.Var.Type().Underlying().(*types.Signature)
	names, args := []string{}, []ir.Rope{{ir.RunName}}
	for range sig.Params().Len() {
		names = append(names, lo.names.Fresh("arg"))
		args = append(args, ir.Rope{ir.Text(names[len(names)-1])})
	}
	if last := len(args) - 1; sig.Variadic() {
		args[last] = append(args[last], ir.Text("..."))
	}
	var entry ir.Rope
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		entry = lo.enterLiteral(lo.machineOf(lit), true, args...)
	} else {
		entry = append(append(lo.inLiteral(lo.enterOf(e)), ir.Text("(")), append(join(args), ir.Text(")"))...)
	}
	head := append(lo.companionType(f, names), ir.Text(" {\n"))
	if f.OnlyLiteral(lo.Info) != nil {
		return append(append(append(head, ir.Text("return ")), entry...), ir.Text("\n}"))
	}
	return append(append(head, lo.enteredBody(sig, entry)...), ir.Text("}"))
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

// companionType returns the type of a companion: that of the variable, with a run before the
// parameters and the suspended callee before the results. With names, it returns the head of a
// function of this type with these parameter names.
func (lo *lowering) companionType(f *analyse.FuncVar, names []string) ir.Rope {
	sig := f.Var.Type().Underlying().(*types.Signature)
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
	results := append([]ir.Rope{lo.calleeType(f)}, lo.typesOf(sig.Results(), lo.Node)...)
	r := append(ir.Rope{ir.Text("func(")}, join(params)...)
	return append(append(append(r, ir.Text(") (")), join(results)...), ir.Text(")"))
}

// calleeType returns the type of the suspended callee in a call of the variable.
func (lo *lowering) calleeType(f *analyse.FuncVar) ir.Rope {
	if lit := f.OnlyLiteral(lo.Info); lit != nil {
		return ir.Rope{ir.Text("*"), ir.OpenPiece(ir.FrameOf{Lit: lit})}
	}
	sig := f.Var.Type().Underlying().(*types.Signature)
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

// suspendValue calls a variable's value through its companion.
func (lo *lowering) suspendValue(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	f := lo.FuncVarOf(call.Fun)
	lo.spillArgs(call)
	lo.hold(p, f.Var.Name(), lo.calleeType(f))
	p.Resumed = lo.label("resumed")
	args := []ir.Rope{{ir.RunName}}
	for _, arg := range call.Args {
		args = append(args, lo.value(arg))
	}
	entry := append(ir.Rope{ir.Use(lo.entryOf(f)), ir.Text("(")}, join(spread(call, args))...)
	lo.enterCallee(p, append(entry, ir.Text(")")), dst)
}

// enterOf renames the function e, so that it is printed as its entry.
func (lo *lowering) enterOf(e ast.Expr) ast.Expr {
	lo.renameCallee(&ast.CallExpr{Fun: e}, lo.EntryOf(e).Enter.Name())
	return ast.Unparen(e)
}
