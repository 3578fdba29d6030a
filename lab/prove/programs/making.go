package programs

import "fmt"

// builtin calls one of the predeclared functions that are statements, or copy.
func (w *writer) builtin() {
	if v := w.pick(table); v != nil && w.chance(3) {
		w.line("delete(%s, %s)", v.name, w.expr(integer, w.size.depth))
		return
	}
	if v := w.pick(w.oneType(slice, table, words)); v != nil && w.chance(4) {
		w.line("clear(%s)", v.name)
		return
	}
	if v := w.pick(words); v != nil && w.chance(2) {
		w.line("delete(%s, %s)", v.name, w.expr(text, w.size.depth))
		return
	}
	w.line("%s = copy((%s)[(%s)&1:], %s)", w.place(integer), w.expr(slice, 1), w.expr(integer, 2), w.expr(slice, 2))
}

// localType declares a type or a constant in the function, and uses it across suspensions.
func (w *writer) localType() {
	w.names++
	name, v, k := fmt.Sprint("T", w.names), fmt.Sprint("local", w.names), fmt.Sprint("k", w.names)
	if w.chance(3) {
		w.line("const %s, %sb = %s, iota + %d", k, k, w.literal(integer), w.r.IntN(3))
		w.line("t.Log(\"%%v %%v\", %s + %s, %sb)", k, w.expr(integer, 2), k)
		return
	}
	w.line("type %s struct{ X int; Y []%s; z GS }", name, name)
	w.line("%s := %s{X: %s, Y: []%s{{X: %s}}, z: %s}", v, name, w.expr(integer, 2), name, w.expr(integer, 2), w.expr(record, 2))
	w.line("%s.X += %s", v, w.expr(integer, 2))
	w.line("%s.Y[0].z.A, %s.z.B = %s, %s", v, v, w.expr(integer, 2), w.expr(text, 2))
	w.line("t.Log(\"%%v\", %s)", v)
	if w.fn.suspends && w.chance(16) { // the compiler builds another job.Job for it
		w.line("t.Log(\"%%v\", Gcell[%s]{%s}.Take(t, %s{X: %s}))", name, v, name, w.expr(integer, 1))
	}
}

// holdLiteral declares a variable that holds a suspending literal, or one of a few such literals.
func (w *writer) holdLiteral() {
	if !w.fn.suspends || w.fn.up != nil {
		w.capture()
		return
	}
	w.names++
	name := fmt.Sprint("held", w.names)
	recursive := w.chance(3)
	if recursive {
		w.line("var %s func(k int) int", name)
		w.line("%s = func(k int) int {", name)
	} else {
		w.line("%s := func(k int) int {", name)
	}
	w.heldBody(func() {
		if recursive {
			w.line("if k&7 < 3 {")
			w.line("\treturn %s(3 + k&3) + %s", name, w.expr(integer, 1))
			w.line("}")
		}
	})
	if w.chance(5) {
		w.line("if %s {", w.expr(boolean, 1))
		w.line("\t%s = func(k int) int {", name)
		w.indent++
		w.heldBody(nil)
		w.indent--
		w.line("}")
	}
	w.scope.vars = append(w.scope.vars, &variable{name: name, typ: held, fixed: true})
	w.line("t.Log(\"%%v\", %s(%s))", name, w.expr(integer, 2))
}

// heldBody writes the body of a literal with a parameter k and a result, and the closing brace.
func (w *writer) heldBody(before func()) {
	w.literalOf(true, func() {
		w.block(func() {
			w.scope.vars = append(w.scope.vars, &variable{name: "k", typ: integer})
			w.line("t.Burn()")
			if before != nil {
				before()
			}
			w.statement()
			w.line("return k + %s", w.expr(integer, 2))
		}, 0)
	})
	w.line("}")
}

// collect creates literals that capture the variable of a loop, and calls them after it.
func (w *writer) collect() {
	w.names++
	list, i, f := fmt.Sprint("funcs", w.names), fmt.Sprint("n", w.names), fmt.Sprint("f", w.names)
	w.line("var %s []func(int) int", list)
	w.line("for %s := 0; %s < 3; %s++ {", i, i, i)
	w.block(func() {
		w.scope.vars = append(w.scope.vars, &variable{name: i, typ: integer})
		w.line("t.Burn()")
		w.line("%s = append(%s, func(k int) int { %s += k; return %s })", list, list, i, i)
	}, 1+w.r.IntN(2))
	w.line("}")
	w.line("for _, %s := range %s {", f, list)
	w.line("\tt.Log(\"%%v\", %s(%s) + %s)", f, w.expr(integer, 2), w.expr(integer, 2))
	w.line("}")
}

// breakBlock writes a switch with only a default, which is left by its label. In Go this serves as
// a block that break can leave.
func (w *writer) breakBlock() {
	w.names++
	label := fmt.Sprint("B", w.names)
	w.line("%s:", label)
	w.line("switch {")
	w.line("default:")
	w.block(func() {
		w.line("if %s {", w.expr(boolean, 2))
		w.line("\tbreak %s", label)
		w.line("}")
	}, 1+w.r.IntN(2))
	w.line("}")
}

// channel sends to a channel with spare capacity and receives from it until it is empty.
func (w *writer) channel() {
	ch := "ch" + itoa(w.names)
	w.names++
	w.line("%s := make(chan int, 2)", ch)
	w.line("%s <- %s", ch, w.expr(integer, w.size.depth))
	w.line("%s <- %s", ch, w.expr(integer, 1))
	if w.chance(2) {
		w.line("close(%s)", ch)
	}
	w.line("t.Log(\"%%v %%v\", <-%s - %s, <-%s)", ch, w.expr(integer, 2), ch)
}

// cell swaps a value in a variable of a generic type.
func (w *writer) cell() {
	if !w.fn.suspends {
		w.assign()
		return
	}
	t := w.oneType(integer, text, record, slice)
	w.names++
	name := fmt.Sprint("cell", w.names)
	w.line("%s := Gcell[%s]{%s}", name, t, w.expr(t, 2))
	w.line("t.Log(\"%%v %%v\", %s.Swap(t, %s), %s)", name, w.expr(t, 2), name)
	w.line("t.Log(\"%%v %%v\", %s.Take(t, %s), %s.v)", name, w.expr(t, 2), name)
}

// runLiteral runs a literal as a job and waits for it.
func (w *writer) runLiteral() {
	w.names++
	a, b := fmt.Sprint("n", w.names), fmt.Sprint("err", w.names)
	w.jobOf(a, b, "job.Run(ctx, ")
	w.scope.vars = append(w.scope.vars, &variable{name: a, typ: integer}, &variable{name: b, typ: failure})
	w.line("t.Log(\"%%v %%v\", %s, %s != nil)", a, b)
}

// jobOf runs a literal as a job, waits for it, and declares its results.
func (w *writer) jobOf(value, err, run string) {
	w.line("%s, %s := %sfunc(ctx context.Context) (int, error) {", value, err, run)
	w.literalOf(w.options.LiteralsSuspend, func() {
		w.fn.run = false // there is one worker, which the plain form blocks when it waits
		w.block(nil, 1)
		w.indent++
		w.line("return %s, %s", w.expr(integer, 2), w.expr(failure, 2))
		w.indent--
	})
	w.line("}).Await()")
}

// scopeOf runs a literal in a scope, and in it a child that it waits for.
func (w *writer) scopeOf() {
	w.names++
	a, b, s := fmt.Sprint("n", w.names), fmt.Sprint("err", w.names), fmt.Sprint("s", w.names)
	w.line("%s := job.InScope(ctx, func(ctx context.Context, %s *job.Scope) error {", b, s)
	w.literalOf(w.options.LiteralsSuspend, func() {
		w.fn.run = false
		w.block(nil, 1)
		w.indent++
		w.jobOf(a, "err", "job.Spawn("+s+", ")
		w.line("t.Log(\"%%v %%v\", %s, err != nil)", a)
		w.indent--
		w.block(nil, 1)
		w.indent++
		w.line("return %s", w.expr(failure, 2))
		w.indent--
	})
	w.line("})")
	w.scope.vars = append(w.scope.vars, &variable{name: b, typ: failure})
	w.line("t.Log(\"%%v\", %s != nil)", b)
}
