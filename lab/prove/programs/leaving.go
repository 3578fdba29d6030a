package programs

import (
	"fmt"
	"strings"
)

// leave leaves a loop or the function, or panics. It does so inside of a branch, since the
// following code would otherwise be dead.
func (w *writer) leave() {
	w.line("if %s {", w.expr(boolean, 2))
	w.indent++
	switch n := w.r.IntN(8); {
	case n < 4 && len(w.fn.loops) > 0:
		w.leaveLoop()
	case n < 7 && w.fn.types != nil:
		w.returnStatement()
	case n < 7 && w.fn.plainReturn:
		w.line("return")
	case n < 7:
		w.line("t.Log(\"stays\")")
	default:
		w.line("panic(%s)", w.expr(w.oneType(integer, text, failure, anything), 2))
	}
	w.indent--
	w.line("}")
}

func (w *writer) leaveLoop() {
	i := w.r.IntN(len(w.fn.loops))
	l := &w.fn.loops[i]
	word := "break"
	if l.continues && w.chance(2) {
		word = "continue"
	}
	l.named = true
	w.line("%s %s", word, l.label)
}

// returnStatement returns from the function.
func (w *writer) returnStatement() {
	if w.fn.results != nil && w.chance(3) {
		for _, v := range w.fn.results {
			if w.hidden(v) {
				w.line("return %s", w.returnValues())
				return
			}
		}
		w.line("return")
		return
	}
	if values := w.returnValues(); values != "" {
		w.line("return %s", values)
		return
	}
	w.line("return")
}

func (w *writer) returnValues() string {
	var values []string
	for _, t := range w.fn.types {
		values = append(values, w.expr(t, 2))
	}
	return strings.Join(values, ", ")
}

// hidden reports whether another variable of the same name hides v.
func (w *writer) hidden(v *variable) bool {
	for s := w.scope; s != nil; s = s.up {
		for _, u := range s.vars {
			if u.name == v.name {
				return u != v
			}
		}
	}
	return false
}

func (w *writer) deferStatement() {
	switch w.r.IntN(8) {
	case 6:
		w.line("defer Gcatch(t)")
	case 7:
		w.line("defer func() { panic(%s) }()", w.expr(w.oneType(integer, text), 1))
		if w.chance(2) {
			w.line("defer Gcatch(t)")
		}
	case 0:
		w.line("defer t.Log(\"deferred %%v\", %s)", w.expr(integer, w.size.depth))
	case 1:
		w.line("defer %s", w.deferredMethod())
	default:
		w.deferLiteral()
	}
}

func (w *writer) deferredMethod() string {
	if w.options.DefersSuspend && w.fn.suspends && w.chance(2) {
		return w.oneOf(
			fmt.Sprintf("trace.Step(t, %s)", w.expr(integer, 2)),
			fmt.Sprintf("%s.Wait(t, %s)", w.operand(w.oneType(record, recordAt)), w.expr(integer, 2)))
	}
	return w.oneOf(
		fmt.Sprintf("%s.Plus(t, %s)", w.operand(w.oneType(recordAt, methods)), w.expr(integer, 2)),
		fmt.Sprintf("%s(%s)", w.operand(function), w.expr(integer, 2)))
}

// deferLiteral defers a literal that may recover and change results.
func (w *writer) deferLiteral() {
	w.line("defer func() {")
	w.literalOf(w.options.DefersSuspend, func() {
		w.fn.plainReturn = true
		w.block(func() {
			if w.chance(2) {
				w.line("if v := recover(); v != nil {")
				w.line("\tt.Log(\"recovered %%v\", v)")
				w.line("}")
			}
			for _, v := range w.fn.up.results {
				if w.chance(2) && !w.hidden(v) {
					w.line("%s = %s", v.name, w.expr(v.typ, 2))
				}
			}
		}, 1+w.r.IntN(2))
	})
	w.line("}()")
}

// jump writes a goto, forward over a block or backward.
func (w *writer) jump() {
	w.names++
	label := fmt.Sprint("J", w.names)
	if w.chance(2) {
		w.line("if %s {", w.expr(boolean, 2))
		w.line("\tgoto %s", label)
		w.line("}")
		w.line("{")
		w.block(nil, 1+w.r.IntN(2))
		w.line("}")
		w.line("%s:", label)
		w.line("t.Log(\"at %s\")", label)
		return
	}
	w.line("{")
	w.scope = &scope{up: w.scope}
	w.indent++
	v := &variable{name: fmt.Sprint("n", w.names), typ: integer, fixed: true}
	w.line("var %s int", v.name)
	w.scope.vars = append(w.scope.vars, v)
	w.line("%s:", label)
	w.line("t.Burn()")
	for range 1 + w.r.IntN(2) {
		w.statement()
	}
	w.line("if %s++; %s < 2 && %s {", v.name, v.name, w.expr(boolean, 2))
	w.line("\tgoto %s", label)
	w.line("}")
	w.indent--
	w.scope = w.scope.up
	w.line("}")
}
