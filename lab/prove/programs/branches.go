package programs

import "fmt"

// inside writes statements inside of something that break can leave.
func (w *writer) inside(l loop, before func(), n int) loop {
	w.fn.loops = append(w.fn.loops, l)
	w.block(before, n)
	l = w.fn.loops[len(w.fn.loops)-1]
	w.fn.loops = w.fn.loops[:len(w.fn.loops)-1]
	return l
}

// labeledStmt writes a statement with f, with a label in front if something in it uses one.
func (w *writer) labeledStmt(continues bool, f func(loop) loop) {
	w.names++
	l := loop{label: fmt.Sprint("L", w.names), continues: continues}
	body := w.aside(func() { l = f(l) })
	if l.named {
		w.line("%s:", l.label)
	}
	w.out.WriteString(body)
}

func (w *writer) ifStatement() {
	head := "if "
	w.scope = &scope{up: w.scope}
	if w.chance(3) {
		e := w.expr(integer, 2)
		v := w.declare(integer)
		head += fmt.Sprintf("%s := %s; %s > ", v.name, e, v.name)
		head += w.expr(integer, 2)
	} else {
		head += w.expr(boolean, w.size.depth)
	}
	w.line("%s {", head)
	w.block(nil, 1+w.r.IntN(3))
	switch w.r.IntN(4) {
	case 0:
		w.line("} else if %s {", w.expr(boolean, 2))
		w.block(nil, 1+w.r.IntN(2))
		w.line("} else {")
		w.block(nil, 1+w.r.IntN(2))
	case 1:
		w.line("} else {")
		w.block(nil, 1+w.r.IntN(2))
	}
	w.line("}")
	w.scope = w.scope.up
}

func (w *writer) switchStatement() {
	w.labeledStmt(false, func(l loop) loop {
		w.scope = &scope{up: w.scope}
		defer func() { w.scope = w.scope.up }()
		t := w.oneType(integer, text, boolean)
		init := ""
		if w.chance(4) {
			e := w.expr(integer, 2)
			v := w.declare(integer)
			init = fmt.Sprintf("%s := %s; ", v.name, e)
		}
		if t == boolean && w.chance(2) {
			w.line("switch %s{", init)
		} else {
			w.line("switch %s%s {", init, w.value(t))
		}
		n := 1 + w.r.IntN(4)
		byDefault := w.r.IntN(n + 2)
		for i := range n {
			if i == byDefault {
				w.line("default:")
			} else if w.chance(3) {
				w.line("case %s, %s:", w.expr(t, 2), w.value(t))
			} else {
				w.line("case %s:", w.caseExpr(t))
			}
			l = w.inside(l, nil, 1+w.r.IntN(2))
			if i < n-1 && w.chance(5) {
				w.line("\tfallthrough")
			}
		}
		w.line("}")
		return l
	})
}

// caseExpr returns a case that is not constant, since two equal constants do not compile.
func (w *writer) caseExpr(t typ) string {
	if w.chance(2) {
		return w.value(t)
	}
	return w.observe(t, 2)
}

func (w *writer) typeSwitch() {
	w.labeledStmt(false, func(l loop) loop {
		e := w.expr(anything, 2)
		w.names++
		bound := fmt.Sprint("x", w.names)
		init := ""
		if w.chance(4) {
			init = fmt.Sprintf("%s++; ", w.place(integer))
		}
		w.line("switch %s%s := (%s).(type) {", init, bound, e)
		for _, c := range []struct {
			text string
			typ  typ
		}{{"int", integer}, {"string", text}, {"GS", record}, {"bool, [2]int", anything}, {"nil", anything}} {
			if w.chance(3) {
				continue
			}
			w.line("case %s:", c.text)
			l = w.inside(l, func() {
				w.scope.vars = append(w.scope.vars, &variable{name: bound, typ: c.typ})
				w.line("t.Log(\"case %%v\", %s)", bound)
			}, 1)
		}
		w.line("default:")
		l = w.inside(l, func() { w.line("_ = %s", bound) }, 1)
		w.line("}")
		return l
	})
}

// selectStatement writes a select with one ready case, or with a default and none.
func (w *writer) selectStatement() {
	w.labeledStmt(false, func(l loop) loop {
		none := "chan int(nil)"
		w.line("select {")
		switch w.r.IntN(5) {
		case 3:
			w.line("case make(chan int, 1) <- %s:", w.expr(integer, w.size.depth))
			l = w.inside(l, nil, 2)
			w.line("case %s = <-%s:", w.place(integer), none)
			l = w.inside(l, nil, 1)
		case 4:
			w.names++
			v, ok := fmt.Sprint("n", w.names), fmt.Sprint("b", w.names)
			w.line("case %s, %s := <-Gclosed(%s):", v, ok, w.expr(integer, 2))
			l = w.inside(l, func() {
				w.scope.vars = append(w.scope.vars, &variable{name: v, typ: integer}, &variable{name: ok, typ: boolean})
				w.line("t.Log(\"received %%v %%v\", %s, %s)", v, ok)
			}, 1)
			w.line("case (%s) <- %s:", none, w.expr(integer, 2))
			l = w.inside(l, nil, 1)
		case 0:
			w.line("case <-%s:", none)
			l = w.inside(l, nil, 1)
			w.names++
			v := fmt.Sprint("n", w.names)
			w.line("case %s := <-Gfull(%s):", v, w.expr(integer, 2))
			l = w.inside(l, func() {
				w.scope.vars = append(w.scope.vars, &variable{name: v, typ: integer})
				w.line("t.Log(\"received %%v\", %s)", v)
			}, 1)
		case 1:
			place := w.place(integer)
			w.line("case %s = <-Gfull(%s):", place, w.expr(integer, 2))
			l = w.inside(l, nil, 1)
			w.line("case (%s) <- %s:", none, w.expr(integer, 2))
			l = w.inside(l, nil, 1)
		default:
			w.line("case Gnone(%s) <- %s:", w.expr(integer, 1), w.expr(integer, 2))
			l = w.inside(l, nil, 1)
			w.line("default:")
			l = w.inside(l, nil, 2)
		}
		w.line("}")
		return l
	})
}
