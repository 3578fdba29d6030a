package codegen

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// funcVarOf is the variable with a companion that e names, or nil.
func (u *unit) funcVarOf(e ast.Expr) *funcVar {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := u.info.ObjectOf(id).(*types.Var)
	return u.literals.vars[v]
}

// noteAssigned makes machines of the literals assigned to such variables, and has the
// statement flattened.
func (u *unit) noteAssigned(n ast.Node, around []ast.Node) {
	var lhs, rhs []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		lhs, rhs = n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, id := range n.Names {
			lhs = append(lhs, id)
		}
		rhs = n.Values
	}
	for i, e := range lhs {
		if u.funcVarOf(e) == nil {
			continue
		}
		for _, outer := range around {
			u.suspending[outer] = true
		}
		if i < len(rhs) {
			if lit, ok := ast.Unparen(rhs[i]).(*ast.FuncLit); ok {
				u.machine(lit).entered = true
			}
		}
	}
}

// companions assigns to the companions of assigned variables the entries of the values;
// without values, none.
func (u *unit) companions(lhs, rhs []ast.Expr, declares bool) {
	for i, e := range lhs {
		f := u.funcVarOf(e)
		if f == nil {
			continue
		}
		d := dest{v: u.entryOf(f)}
		if id := ast.Unparen(e).(*ast.Ident); declares && u.info.Defs[id] != nil {
			d.declares = true
		}
		if len(rhs) == 0 {
			u.add(&zero{vars: []*variable{d.v}})
		} else {
			u.add(&assign{dst: []dest{d}, src: u.companion(f, rhs[i]), typed: true})
		}
	}
}

// entryOf is the companion as a variable of u.
func (u *unit) entryOf(f *funcVar) *variable {
	if v := u.vars[f.entry]; v != nil {
		return v
	}
	if v := u.capture(f.entry); v != nil {
		return v
	}
	return u.declare(f.entry)
}

// onlyCalled reports whether one of the variables is of no use but to be called: its
// companion is enough.
func (u *unit) onlyCalled(lhs []ast.Expr) bool {
	if len(lhs) != 1 {
		return false
	}
	f := u.funcVarOf(lhs[0])
	return f != nil && !f.read
}

// companion is the entry of a value: a function that enters it.
func (u *unit) companion(f *funcVar, e ast.Expr) rope {
	if u.info.Types[e].IsNil() {
		return rope{text("nil")}
	}
	if other := u.funcVarOf(e); other != nil {
		return rope{use(u.entryOf(other))}
	}
	sig := f.v.Type().Underlying().(*types.Signature)
	names, args := []string{}, []rope{{taskName}}
	for range sig.Params().Len() {
		names = append(names, u.names.fresh("arg"))
		args = append(args, rope{text(names[len(names)-1])})
	}
	if last := len(args) - 1; sig.Variadic() {
		args[last] = append(args[last], text("..."))
	}
	var entry rope
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		entry = u.enterLiteral(u.lowered(lit), true, args...)
	} else {
		entry = append(append(u.inLiteral(u.enterOf(e)), text("(")), append(joined(args), text(")"))...)
	}
	head := late(func(p *printer) string { return "func" + p.companionSignature(f, names) + " {\n" })
	if f.onlyLiteral(u.info) != nil {
		return append(append(rope{head, text("return ")}, entry...), text("\n}"))
	}
	return append(append(rope{head}, u.enteredBody(sig, entry)...), text("}"))
}

// enteredBody calls an entry and returns its results: a machine that has not suspended
// becomes a nil interface, not a nil pointer in one.
func (u *unit) enteredBody(sig *types.Signature, entry rope) rope {
	m := late(func(p *printer) string { return p.u.names.callee })
	var results string
	for i := range sig.Results().Len() {
		results += ", r" + strconv.Itoa(i+1)
	}
	body := append(rope{m, text(results + " := ")}, entry...)
	none := late(func(p *printer) string { return p.predeclared("nil") })
	return append(body, text("\nif "), m, text(" == "), none, text(" {\nreturn "), none, text(results+"\n}\nreturn "), m, text(results+"\n"))
}

// companionSignature is the signature of a companion: that of the variable, with a task
// before the parameters and the suspended callee before the results.
func (p *printer) companionSignature(f *funcVar, names []string) string {
	sig := f.v.Type().Underlying().(*types.Signature)
	params := []string{p.runtime("Task")}
	params[0] = "*" + params[0]
	if names != nil {
		params[0] = p.u.names.task + " " + params[0]
	}
	for i := range sig.Params().Len() {
		typ := sig.Params().At(i).Type()
		var spelled string
		if last := i == sig.Params().Len()-1; last && sig.Variadic() {
			spelled = "..." + p.typ(typ.Underlying().(*types.Slice).Elem(), p.u.node)
		} else {
			spelled = p.typ(typ, p.u.node)
		}
		if names != nil {
			spelled = names[i] + " " + spelled
		}
		params = append(params, spelled)
	}
	results := []string{p.calleeType(f)}
	for v := range sig.Results().Variables() {
		results = append(results, p.typ(v.Type(), p.u.node))
	}
	return "(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ")"
}

// calleeType is the type of the suspended callee of a call of the variable.
func (p *printer) calleeType(f *funcVar) string {
	if lit := f.onlyLiteral(p.u.info); lit != nil {
		return "*" + p.u.literals.machines[lit].names.Frame + p.u.typeArgs()
	}
	sig := f.v.Type().Underlying().(*types.Signature)
	var results []string
	for v := range sig.Results().Variables() {
		results = append(results, p.typ(v.Type(), p.u.node))
	}
	return "interface{ Results(*" + p.runtime("Task") + ") (" + strings.Join(results, ", ") + ") }"
}

// suspendValue calls what a variable holds by its companion.
func (u *unit) suspendValue(call *ast.CallExpr, p *point, dst []dest) {
	f := u.funcVarOf(call.Fun)
	u.spillArgs(call)
	u.hold(p, f.v.Name(), func() (string, error) { return (&printer{u: u}).calleeType(f), nil })
	p.resumed = u.label("resumed")
	args := []rope{{taskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	entry := append(rope{use(u.entryOf(f)), text("(")}, joined(spread(call, args))...)
	u.enterCallee(p, append(entry, text(")")), dst)
}
