package programs

import (
	"fmt"
	"strings"
)

// statement writes one statement, or a few that belong together.
func (w *writer) statement() {
	if w.fn.budget--; w.fn.budget < 0 {
		return
	}
	if len(w.params) > 0 && w.chance(8) {
		w.parameterStatement()
		return
	}
	w.kindOfStatement().write(w)
}

// statementKind is a kind of statement that a program may have.
type statementKind struct {
	weight int                // its share
	when   func(*writer) bool // nil: everywhere
	write  func(*writer)
}

func isShallow(w *writer) bool { return w.indent < 5 }

func mayDefer(w *writer) bool { return isShallow(w) && w.fn.deferring }

// mayRun reports whether a literal can be run as a job, and the function can wait for it.
func mayRun(w *writer) bool { return isShallow(w) && w.fn.run && w.fn.suspends }

// statementKinds returns the kinds with their weights. One that cannot be here leaves its share to
// the next one that can: far inside, most that nests becomes a way out. It is a function since a
// variable would depend on itself.
func statementKinds() []statementKind {
	return []statementKind{
		// Variables that live across suspensions are what frames are about.
		{6, nil, (*writer).define},
		{8, nil, (*writer).assign},
		// The outcome is compared by what is logged: without a log, a fault is invisible.
		{3, nil, (*writer).log},
		{2, nil, (*writer).callStatement},
		// Control flow becomes jumps; loops have the most forms.
		{3, isShallow, (*writer).ifStatement},
		{4, isShallow, (*writer).loopStatement},
		{2, isShallow, (*writer).switchStatement},
		{1, isShallow, (*writer).typeSwitch},
		{1, isShallow, (*writer).selectStatement},
		{2, mayDefer, (*writer).deferStatement},
		// What follows a return, break or continue does not run, so they are rare.
		{1, nil, (*writer).leave},
		// Shared variables are where a copy in a frame differs from the original.
		{2, nil, (*writer).capture},
		{1, nil, (*writer).alias},
		{1, isShallow, (*writer).jump},
		{1, isShallow, (*writer).inBlock},
		// Each of these has rules of its own; in thousands of programs, a small share suffices.
		{1, nil, (*writer).startGoroutine},
		{2, nil, (*writer).spotLiteral},
		{2, nil, (*writer).builtin},
		{1, nil, (*writer).localType},
		{2, isShallow, (*writer).holdLiteral},
		{1, isShallow, (*writer).collect},
		{1, isShallow, (*writer).breakBlock},
		{1, nil, (*writer).channel},
		{1, nil, (*writer).cell},
		{1, mayRun, (*writer).runLiteral},
		{1, mayRun, (*writer).scopeOf},
		// Takes the share of what cannot be here and has nothing behind it.
		{0, nil, (*writer).assign},
	}
}

// kindOfStatement chooses a kind that can be here.
func (w *writer) kindOfStatement() statementKind {
	kinds := statementKinds()
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := w.r.IntN(total)
	last := len(kinds) - 1
	for _, k := range kinds[:last] {
		if n -= k.weight; n < 0 && (k.when == nil || k.when(w)) {
			return k
		}
	}
	return kinds[last]
}

// define declares variables.
func (w *writer) define() {
	t := w.declarable()
	switch w.r.IntN(7) {
	case 0:
		v := w.declare(t)
		w.line("var %s %s", v.name, t)
		w.line("_ = %s", v.name)
		if !w.chance(6) && (t == pointer || t == recordAt || t == function || t == methods) {
			w.line("%s = %s", v.name, w.literal(t))
		}
	case 1:
		e := w.expr(t, w.size.depth)
		w.line("var %s %s = %s", w.declare(t).name, t, e)
	case 2:
		u := w.declarable()
		a, b := w.expr(t, 2), w.expr(u, 2)
		x := w.declare(t)
		y := w.declare(u)
		w.line("%s, %s := %s, %s", x.name, y.name, withType(t, a), withType(u, b))
	case 3:
		w.defineMany()
	case 4:
		if w.chance(2) {
			w.commaOK()
			return
		}
		fallthrough
	default:
		e := w.expr(t, w.size.depth)
		w.line("%s := %s", w.declare(t).name, withType(t, e))
	}
}

// withType returns e as written where the context does not give it the type t.
func withType(t typ, e string) string {
	if t == small || t == number || t == ratio {
		return string(t) + "(" + e + ")"
	}
	return e
}

// defineMany declares the results of a call.
func (w *writer) defineMany() {
	f := w.callee(func(f signature) bool { return len(f.results) > 1 })
	if f == nil {
		w.log()
		return
	}
	e := w.callOf(*f, 2)
	var names []string
	for _, t := range f.results {
		names = append(names, w.declare(t).name)
	}
	w.line("%s := %s", strings.Join(names, ", "), e)
}

// callee returns a function that may be called here and satisfies want, or nil.
func (w *writer) callee(want func(signature) bool) *signature {
	for range 4 {
		if len(w.funcs) == 0 {
			return nil
		}
		f := w.funcs[w.r.IntN(len(w.funcs))]
		if want(f) && (w.fn.suspends || !f.async) {
			return &f
		}
	}
	return nil
}

// commaOK declares a value and whether it exists.
func (w *writer) commaOK() {
	e := w.oneOf(
		fmt.Sprintf("(%s)[%s]", w.expr(table, 1), w.expr(integer, 2)),
		fmt.Sprintf("(%s).(int)", w.expr(anything, 2)),
		fmt.Sprintf("<-Gfull(%s)", w.expr(integer, 2)))
	x := w.declare(integer)
	ok := w.declare(boolean)
	w.line("%s, %s := %s", x.name, ok.name, e)
}

// log logs values.
func (w *writer) log() {
	var args []string
	for range 1 + w.r.IntN(3) {
		t := w.declarable()
		if !t.shown() {
			t = integer
		}
		args = append(args, w.expr(t, w.size.depth))
	}
	w.line("t.Log(%q, %s)", strings.TrimSpace(strings.Repeat("%v ", len(args))), strings.Join(args, ", "))
}

// logAll logs the variables of a scope.
func (w *writer) logAll() {
	var args []string
	for _, v := range w.visible(func(v *variable) bool { return v.typ.shown() }) {
		args = append(args, v.name)
	}
	if len(args) > 0 {
		w.line("t.Log(%q, %s)", strings.TrimSpace(strings.Repeat("%v ", len(args))), strings.Join(args, ", "))
	}
}

func (w *writer) callStatement() {
	if f := w.callee(func(signature) bool { return true }); f != nil {
		w.line("%s", w.callOf(*f, 2))
		return
	}
	if w.fn.suspends && w.chance(3) {
		w.line("%s", w.oneOf("trace.Pause(t)", "<-Gfull("+w.expr(integer, 2)+")", "trace.Step(t, "+w.expr(integer, 2)+")"))
		return
	}
	w.line("%s", w.methodCall(2))
}

func (w *writer) inBlock() {
	w.line("{")
	w.block(nil, 1+w.r.IntN(3))
	w.line("}")
}

// capture creates a literal that shares variables, and calls it among other operands.
func (w *writer) capture() {
	list := w.visible(func(v *variable) bool { return v.typ == integer && !v.fixed })
	if len(list) == 0 {
		w.define()
		return
	}
	v := list[w.r.IntN(len(list))]
	var body string
	w.literalOf(false, func() { body = w.expr(integer, 2) })
	f := w.declare(function)
	w.line("%s := func(k int) int { %s %s k; return %s }", f.name, v.name, w.oneOf("+=", "="), body)
	w.line("t.Log(\"%%v\", %s + %s(%s) + %s)", v.name, f.name, w.expr(integer, 2), w.expr(integer, 2))
}

// alias creates a pointer to a variable.
func (w *writer) alias() {
	t := w.oneType(integer, record)
	list := w.visible(func(v *variable) bool { return v.typ == t && !v.fixed })
	if len(list) == 0 {
		w.define()
		return
	}
	v := list[w.r.IntN(len(list))]
	at := pointer
	if t == record {
		at = recordAt
	}
	w.line("%s := &%s", w.declare(at).name, v.name)
}

// startGoroutine starts a goroutine and waits for it.
func (w *writer) startGoroutine() {
	e := w.expr(integer, w.size.depth)
	ch := stems[integer] + "c" + itoa(w.names)
	w.names++
	w.line("%s := make(chan int, 1)", ch)
	w.line("go Gsend(%s, %s)", ch, e)
	w.line("t.Log(\"%%v\", <-%s + %s)", ch, w.expr(integer, 2))
}

// spotLiteral calls a literal in place.
func (w *writer) spotLiteral() {
	if w.indent >= 4 {
		w.log()
		return
	}
	w.names++
	name := fmt.Sprint("spot", w.names)
	w.line("%s := func() int {", name)
	w.literalOf(w.options.LiteralsSuspend, func() {
		w.block(nil, 1+w.r.IntN(2))
		w.indent++
		w.line("return %s", w.expr(integer, 2))
		w.indent--
	})
	w.line("}()")
	w.line("_ = %s", name)
	w.scope.vars = append(w.scope.vars, &variable{name: name, typ: integer})
}
