package codegen

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// deferral keeps a deferred call in the frame. It evaluates what the defer statement
// does: the function value or the bound receiver, and the arguments. Source, then
// result:
//
//	defer r.mu.Unlock()
//
//	{
//		unlock1 := f.r.mu.Unlock
//		f.defers.Push(func(raise func()) {
//			defer unlock1()
//			raise()
//		})
//	}
//
// The native defer inside is what makes recover work: see package statemachine. A
// literal, or a function of the file, that does not call recover needs no such defer:
// it could not tell the difference.
//
//	f.defers.PushPlain(func() { … })
type deferral struct {
	straight
	node  *ast.DeferStmt
	names []string // locals for the values evaluated now
	vals  []rope
	call  rope

	// For f(g()): the results of g.
	tuple     []string
	forwarded rope
	late      bool // f is evaluated by a call, so before g

	plain bool // the call does not recover

	// Of a call that suspends, in the place of call: what its entry does, and whether
	// that asks for a panic.
	entry    rope
	recovers bool
}

func (d *deferral) refs(use, _ func(*variable)) {
	for _, v := range d.vals {
		v.uses(use)
	}
	d.forwarded.uses(use)
	d.call.uses(use)
	d.entry.uses(use)
}

func (d *deferral) borrows(f func(*variable)) {
	for _, v := range d.vals {
		v.borrows(f)
	}
	d.forwarded.borrows(f)
	d.call.borrows(f)
	d.entry.borrows(f)
}

func (d *deferral) print(p *printer) {
	block := len(d.names)+len(d.tuple) > 0
	if block {
		p.line("{")
	}
	if !d.late {
		d.printTuple(p)
	}
	if len(d.names) > 0 {
		var vals []string
		for _, v := range d.vals {
			vals = append(vals, p.rope(v))
		}
		p.line("%s := %s", strings.Join(d.names, ", "), strings.Join(vals, ", "))
	}
	if d.late {
		d.printTuple(p)
	}
	n := p.u.names
	switch {
	case d.entry != nil:
		d.printEntry(p)
	case d.plain:
		p.line("%s.%s.PushPlain(%s)", n.recv, n.defers, d.function(p))
	default:
		p.line("%s.%s.Push(func(%s func()) {\ndefer %s\n%s()\n})", n.recv, n.defers, n.raise, p.rope(d.call), n.raise)
	}
	if block {
		p.line("}")
	}
}

func (d *deferral) printEntry(p *printer) {
	n := p.u.names
	panicking := "_"
	if d.recovers {
		panicking = n.panicking
	}
	p.line("%s.%s.PushEntry(func(%s *%s, %s *%s) %s {\n%s\n})", n.recv, n.defers,
		n.task, p.runtime("Task"), panicking, p.runtime("Panicking"), p.runtime("After"), p.rope(d.entry))
}

func (d *deferral) printTuple(p *printer) {
	if len(d.tuple) > 0 {
		p.line("%s := %s", strings.Join(d.tuple, ", "), p.rope(d.forwarded))
	}
}

func (u *unit) deferStatement(s *ast.DeferStmt) {
	if u.suspends(s) {
		u.spillAll(u.callOperands(s.Call), false)
	}
	u.add(u.deferring(s))
}

// deferring is the instruction of a defer statement whose suspension points, if
// any, have been evaluated.
func (u *unit) deferring(s *ast.DeferStmt) *deferral {
	d := &deferral{node: s, late: u.hasCall(s.Call.Fun), plain: !u.mayRecover(s.Call)}
	if p := u.deferred[s]; p != nil {
		u.deferringPoint(d, s, p)
	} else {
		d.call = u.deferredCall(d, s.Call, nil)
	}
	return d
}

// deferredCall is the call with what has been evaluated in its places. Arguments that
// the source does not have come first, except for the receiver of a method expression.
func (u *unit) deferredCall(d *deferral, call *ast.CallExpr, method *types.Selection, more ...rope) rope {
	(&mentionScan{u: u}).runner(call)
	fun := u.deferredFunc(d, call)
	args := u.keptArguments(d, call)
	at := 0
	if method != nil && method.Kind() == types.MethodExpr {
		at = 1
	}
	args = slices.Insert(args, at, more...)
	return append(append(append(fun, text("(")), joined(args)...), text(")"))
}

func (u *unit) keptArguments(d *deferral, call *ast.CallExpr) []rope {
	var args []rope
	for _, arg := range call.Args {
		if tuple, ok := u.typeOf(arg).(*types.Tuple); ok {
			return u.forward(d, arg, tuple)
		}
		args = append(args, u.keptValue(d, arg))
	}
	return spread(call, args)
}

// deferredFunc is the callee: a function by its name, a literal, or a value that is
// evaluated now.
func (u *unit) deferredFunc(d *deferral, call *ast.CallExpr) rope {
	fun := ast.Unparen(call.Fun)
	if _, ok := fun.(*ast.FuncLit); ok {
		return u.inLiteral(fun)
	}
	if _, ok := u.builtin(fun); ok {
		return u.inLiteral(fun)
	}
	if fn, _, sel := source.Callee(call, u.info); fn != nil && (sel == nil || sel.Kind() == types.MethodExpr || u.bindsItself(fun, sel)) {
		return u.inLiteral(fun)
	}
	if u.isStable(fun) {
		return u.inLiteral(fun)
	}
	return u.evaluatedNow(d, calledName(call), u.value(fun))
}

// bindsItself reports whether x.M can be evaluated when it is called instead of when it
// is deferred: x is a variable, the method has a pointer receiver, and the pointer is
// the variable's address or its value forever.
func (u *unit) bindsItself(fun ast.Expr, sel *types.Selection) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok || len(sel.Index()) != 1 || !source.IsPointer(sel.Obj().(*types.Func).Signature().Recv()) {
		return false
	}
	id, ok := ast.Unparen(s.X).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := u.info.Uses[id].(*types.Var)
	if !ok || !within(u.fn.Decl, v.Pos()) {
		return false
	}
	return !isPointerType(v.Type()) || u.isStable(id)
}

// isStable reports whether e is a variable of the function that keeps the value it
// was declared with.
func (u *unit) isStable(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := u.info.Uses[id].(*types.Var)
	if !ok || v.IsField() || !within(u.fn.Decl, v.Pos()) || holdsLock(v.Type()) {
		return false
	}
	for _, r := range u.signatureResults() {
		if r == v {
			return false
		}
	}
	f := u.factsOf(v)
	return !f.mutated && !f.addressed
}

// keptValue is an argument as the kept call passes it.
func (u *unit) keptValue(d *deferral, arg ast.Expr) rope {
	switch e := ast.Unparen(arg); {
	case u.isConstant(e), u.info.Types[e].IsNil(), u.info.Types[e].IsType():
		return u.inLiteral(e)
	case u.isStable(e):
		return u.inLiteral(e)
	}
	val := u.value(arg)
	if _, done := u.evaluated[ast.Unparen(arg)]; !done && u.needsType(ast.Unparen(arg)) {
		val = u.convertedTo(u.typeOf(arg), val, arg)
	}
	return u.evaluatedNow(d, "arg", val)
}

// forward is for f(g()): the results of g become arguments.
func (u *unit) forward(d *deferral, arg ast.Expr, tuple *types.Tuple) []rope {
	var list []rope
	for range tuple.Len() {
		name := u.names.fresh("arg")
		d.tuple = append(d.tuple, name)
		list = append(list, rope{text(name)})
	}
	d.forwarded = u.value(arg)
	return list
}

func (u *unit) evaluatedNow(d *deferral, stem string, val rope) rope {
	name := u.names.fresh(stem)
	d.names, d.vals = append(d.names, name), append(d.vals, val)
	return rope{text(name)}
}

// inLiteral is node as it is spelled inside of a function literal.
func (u *unit) inLiteral(node ast.Node) rope {
	s := &mentionScan{u: u, root: node, literals: 1}
	s.walk(node)
	return rope{{span: s.span()}}
}

// hasDefers reports whether the function defers calls, so that it has more to do when
// it ends, and may continue after a panic.
func (u *unit) hasDefers() bool {
	found := false
	ast.Inspect(u.body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}
