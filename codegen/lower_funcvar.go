package codegen

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
)

// companions assigns to the companions of assigned variables the entries of the values;
// without values, none.
func (u *unit) companions(lhs, rhs []ast.Expr, declares bool) {
	for i, e := range lhs {
		f := u.FuncVarOf(e)
		if f == nil {
			continue
		}
		d := ir.Dest{V: u.entryOf(f)}
		if id := ast.Unparen(e).(*ast.Ident); declares && u.Info.Defs[id] != nil {
			d.Declares = true
		}
		if len(rhs) == 0 {
			u.add(&ir.Zero{Vars: []*ir.Variable{d.V}})
		} else {
			u.add(&ir.Assign{Dst: []ir.Dest{d}, Src: u.companion(f, rhs[i]), Typed: true})
		}
	}
}

// entryOf is the companion as a variable of u.
func (u *unit) entryOf(f *analyse.FuncVar) *ir.Variable {
	if v := u.vars[f.Entry]; v != nil {
		return v
	}
	if v := u.capture(f.Entry); v != nil {
		return v
	}
	return u.declare(f.Entry)
}

// onlyCalled reports whether one of the variables is of no use but to be called: its
// companion is enough.
func (u *unit) onlyCalled(lhs []ast.Expr) bool {
	if len(lhs) != 1 {
		return false
	}
	f := u.FuncVarOf(lhs[0])
	return f != nil && !f.Read
}

// companion is the entry of a value: a function that enters it.
func (u *unit) companion(f *analyse.FuncVar, e ast.Expr) ir.Rope {
	if u.Info.Types[e].IsNil() {
		return ir.Rope{ir.Text("nil")}
	}
	if other := u.FuncVarOf(e); other != nil {
		return ir.Rope{ir.Use(u.entryOf(other))}
	}
	sig := f.Var.Type().Underlying().(*types.Signature)
	names, args := []string{}, []ir.Rope{{ir.TaskName}}
	for range sig.Params().Len() {
		names = append(names, u.names.Fresh("arg"))
		args = append(args, ir.Rope{ir.Text(names[len(names)-1])})
	}
	if last := len(args) - 1; sig.Variadic() {
		args[last] = append(args[last], ir.Text("..."))
	}
	var entry ir.Rope
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		entry = u.enterLiteral(u.lowered(lit), true, args...)
	} else {
		entry = append(append(u.inLiteral(u.enterOf(e)), ir.Text("(")), append(joined(args), ir.Text(")"))...)
	}
	head := append(u.companionType(f, names), ir.Text(" {\n"))
	if f.OnlyLiteral(u.Info) != nil {
		return append(append(append(head, ir.Text("return ")), entry...), ir.Text("\n}"))
	}
	return append(append(head, u.enteredBody(sig, entry)...), ir.Text("}"))
}

// enteredBody calls an entry and returns its results: a machine that has not suspended
// becomes a nil interface, not a nil pointer in one.
func (u *unit) enteredBody(sig *types.Signature, entry ir.Rope) ir.Rope {
	m, none := ir.CalleeName, ir.NilName
	var results string
	for i := range sig.Results().Len() {
		results += ", r" + strconv.Itoa(i+1)
	}
	body := append(ir.Rope{m, ir.Text(results + " := ")}, entry...)
	return append(body, ir.Text("\nif "), m, ir.Text(" == "), none, ir.Text(" {\nreturn "), none, ir.Text(results+"\n}\nreturn "), m, ir.Text(results+"\n"))
}

// companionType is the type of a companion: that of the variable, with a task before the
// parameters and the suspended callee before the results. With names, it is the head of a
// function of this type with parameters called so.
func (u *unit) companionType(f *analyse.FuncVar, names []string) ir.Rope {
	sig := f.Var.Type().Underlying().(*types.Signature)
	task := ir.Rope{ir.Text("*"), ir.StatemachineName, ir.Text(".Task")}
	if names != nil {
		task = append(ir.Rope{ir.TaskName, ir.Text(" ")}, task...)
	}
	params := []ir.Rope{task}
	for i := range sig.Params().Len() {
		var param ir.Rope
		if names != nil {
			param = ir.Rope{ir.Text(names[i] + " ")}
		}
		typ := sig.Params().At(i).Type()
		if last := i == sig.Params().Len()-1; last && sig.Variadic() {
			param = append(param, ir.Text("..."), ir.TypeText(typ.Underlying().(*types.Slice).Elem(), u.Node))
		} else {
			param = append(param, ir.TypeText(typ, u.Node))
		}
		params = append(params, param)
	}
	results := append([]ir.Rope{u.calleeType(f)}, u.typesOf(sig.Results(), u.Node)...)
	r := append(ir.Rope{ir.Text("func(")}, joined(params)...)
	return append(append(append(r, ir.Text(") (")), joined(results)...), ir.Text(")"))
}

// calleeType is the type of the suspended callee of a call of the variable.
func (u *unit) calleeType(f *analyse.FuncVar) ir.Rope {
	if lit := f.OnlyLiteral(u.Info); lit != nil {
		return ir.Rope{ir.Text("*"), ir.Opened(ir.FrameOf{Lit: lit})}
	}
	sig := f.Var.Type().Underlying().(*types.Signature)
	r := append(ir.Rope{ir.Text("interface{ Results(*"), ir.StatemachineName, ir.Text(".Task) (")}, joined(u.typesOf(sig.Results(), u.Node))...)
	return append(r, ir.Text(") }"))
}

// typesOf are the types of a list of parameters or results.
func (u *unit) typesOf(list *types.Tuple, at ast.Node) []ir.Rope {
	var ropes []ir.Rope
	for v := range list.Variables() {
		ropes = append(ropes, ir.Rope{ir.TypeText(v.Type(), at)})
	}
	return ropes
}

// suspendValue calls what a variable holds by its companion.
func (u *unit) suspendValue(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	f := u.FuncVarOf(call.Fun)
	u.spillArgs(call)
	u.hold(p, f.Var.Name(), u.calleeType(f))
	p.Resumed = u.label("resumed")
	args := []ir.Rope{{ir.TaskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	entry := append(ir.Rope{ir.Use(u.entryOf(f)), ir.Text("(")}, joined(spread(call, args))...)
	u.enterCallee(p, append(entry, ir.Text(")")), dst)
}

// enterOf renames the function that e is, so that it is printed as its entry.
func (u *unit) enterOf(e ast.Expr) ast.Expr {
	u.renameCallee(&ast.CallExpr{Fun: e}, u.EntryOf(e).Enter)
	return ast.Unparen(e)
}
