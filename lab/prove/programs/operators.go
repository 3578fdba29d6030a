package programs

import "fmt"

func (w *writer) integerExpr(d int) string {
	x := func() string { return w.expr(integer, d) }
	switch w.r.IntN(19) {
	case 16:
		return fmt.Sprintf("int(%s(%s))", w.oneOf("int8", "uint16", "int32"), x())
	case 17:
		return w.oneOf(
			fmt.Sprintf("[]GS{{A: %s}, {C: %s}}[(%s)&1].A", x(), w.expr(array, d), x()),
			fmt.Sprintf("map[string]int{%s: %s}[%s]", w.expr(text, d), x(), w.value(text)),
			fmt.Sprintf("[...]int{2: %s, %s}[(%s)&3]", x(), x(), x()),
			fmt.Sprintf("GR(%s).A", w.value(record)),
			fmt.Sprintf("(*[2]int)([]int{%s, %s})[1]", x(), x()))
	case 18:
		return w.oneOf(
			fmt.Sprintf("(%s)[%s]", w.expr(words, d), w.expr(text, d)),
			fmt.Sprintf("(%s)[(%s)&1][0]", w.expr(grid, d), x()),
			fmt.Sprintf("Gadd(%s, %s)", w.value(integer), x()),
			fmt.Sprintf("Gadd(%s...)", w.expr(slice, d)),
			fmt.Sprintf("Gcall(%s, %s)", w.expr(function, d), x()))
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", w.value(integer), w.oneOf("+", "-", "*", "&", "|", "^", "&^"), x())
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", x(), w.oneOf("+", "-", "*"), w.value(integer))
	case 5:
		return fmt.Sprintf("(%s %s %s)", w.value(integer), w.oneOf("/", "%"), w.oneOf("("+x()+"|1)", w.value(integer)))
	case 6:
		return fmt.Sprintf("(%s %s (%s&3))", w.value(integer), w.oneOf("<<", ">>"), x())
	case 7:
		return fmt.Sprintf("%s(%s)", w.oneOf("-", "^", "+"), x())
	case 8:
		return fmt.Sprintf("len(%s)", w.expr([]typ{text, slice, table}[w.r.IntN(3)], d))
	case 9:
		return fmt.Sprintf("%s(%s, %s)", w.oneOf("min", "max"), w.value(integer), x())
	case 10:
		return w.elementExpr(d)
	case 11:
		return fmt.Sprintf("<-Gfull(%s)", x())
	case 12:
		return fmt.Sprintf("%s.(int)", w.oneOf("Gbox("+x()+")", "any("+x()+")", "("+w.expr(anything, d)+")"))
	case 13:
		return fmt.Sprintf("func(n int) int { Gg0++; return n + %s }(%s)", w.value(integer), x())
	case 14:
		return fmt.Sprintf("int(%s(complex(float64(%s), float64(%s))))", w.oneOf("real", "imag"), w.value(integer), x())
	default:
		return fmt.Sprintf("(%s).%s", w.expr(w.oneType(record, recordAt), d), w.oneOf("A", "C[1]", "C[0]"))
	}
}

func (w *writer) oneType(list ...typ) typ { return list[w.r.IntN(len(list))] }

// elementExpr returns an element of something, seldom out of bounds.
func (w *writer) elementExpr(d int) string {
	index := fmt.Sprintf("(%s)&1", w.expr(integer, d))
	if w.chance(8) {
		index = w.value(integer)
	}
	switch w.r.IntN(5) {
	case 0:
		return fmt.Sprintf("%s[%s]", w.operand(slice), index)
	case 1:
		return fmt.Sprintf("(%s)[%s]", w.expr(slice, d), index)
	case 2:
		return fmt.Sprintf("(%s)[%s]", w.expr(array, d), index)
	case 3:
		return fmt.Sprintf("(%s)[%s]", w.expr(table, d), w.expr(integer, d))
	default:
		return fmt.Sprintf("int(%s[%s])", w.oneOf(`("xy" + `+w.expr(text, d)+`)`, w.value(text)), index)
	}
}

func (w *writer) textExpr(d int) string {
	x := func() string { return w.expr(text, d) }
	switch w.r.IntN(7) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s + %s)", x(), x())
	case 3:
		return fmt.Sprintf("string(%s(%s))", w.oneOf("[]byte", "[]rune"), x())
	case 4:
		return fmt.Sprintf("(%s + \"--\")%s", x(), w.bounds(d))
	case 5:
		return fmt.Sprintf("Gshow(%s)", w.expr(w.oneType(integer, boolean, record, array, anything), d))
	default:
		return fmt.Sprintf("(%s).B", w.expr(w.oneType(record, recordAt), d))
	}
}

func (w *writer) booleanExpr(d int) string {
	switch w.r.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", w.value(integer), w.oneOf("==", "!=", "<", "<=", ">", ">="), w.expr(integer, d))
	case 3:
		return fmt.Sprintf("(%s %s %s)", w.expr(text, d), w.oneOf("==", "<", "!="), w.value(text))
	case 4, 5, 6:
		return fmt.Sprintf("(%s %s %s)", w.value(boolean), w.oneOf("&&", "||"), w.expr(boolean, d))
	case 7:
		return fmt.Sprintf("(%s %s %s)", w.expr(boolean, d), w.oneOf("&&", "||"), w.expr(boolean, d))
	case 8:
		t := w.oneType(record, array, anything, ratio)
		return fmt.Sprintf("(%s == %s)", w.value(t), w.expr(t, d))
	default:
		return fmt.Sprintf("!%s", w.expr(boolean, d))
	}
}

func (w *writer) compositeExpr(t typ, d int) string {
	x := func() string { return w.expr(integer, d) }
	switch t {
	case slice:
		switch w.r.IntN(6) {
		case 0, 1:
			return fmt.Sprintf("[]int{%s, %s}", x(), x())
		case 2:
			return fmt.Sprintf("append([]int{%s}, %s, %s)", x(), x(), x())
		case 3:
			return fmt.Sprintf("append([]int(nil), %s...)", w.expr(slice, d))
		case 4:
			return fmt.Sprintf("[]int{%s, %s}%s", x(), x(), w.bounds(d))
		default:
			v := w.value(slice)
			if w.chance(2) {
				return fmt.Sprintf("%s[:len(%s):len(%s)]%s", v, v, v, w.bounds(d))
			}
			return fmt.Sprintf("append(%s[:len(%s):len(%s)], %s, %s)", v, v, v, x(), x())
		}
	case array:
		return w.oneOf(fmt.Sprintf("[2]int{%s, %s}", x(), x()), fmt.Sprintf("[2]int{1: %s}", x()), fmt.Sprintf("[2]int([]int{%s, %s})", x(), x()))
	case words:
		return w.oneOf(fmt.Sprintf("map[string]int{%s: %s}", w.expr(text, d), x()), fmt.Sprintf("map[string]int{\"a\": %s, %s: %s}", x(), w.value(text), x()))
	case grid:
		return w.oneOf(fmt.Sprintf("[][]int{%s, {%s}}", w.expr(slice, d), x()), fmt.Sprintf("append([][]int{{%s}}, %s)", x(), w.expr(slice, d)))
	case embedded:
		return w.oneOf(fmt.Sprintf("GE{%s, &GP{%s}, %s}", w.expr(record, d), x(), x()), fmt.Sprintf("GE{E: %s, GP: &GP{Q: %s}}", x(), x()))
	case table:
		return w.oneOf(fmt.Sprintf("map[int]int{%s: %s}", x(), x()), fmt.Sprintf("map[int]int{1: %s, %s: %s}", x(), w.value(integer), x()))
	}
	fields := w.oneOf(
		fmt.Sprintf("GS{A: %s, B: %s}", x(), w.expr(text, d)),
		fmt.Sprintf("GS{%s, %s, [2]int{%s, 1}}", x(), w.expr(text, d), x()),
		fmt.Sprintf("GS{C: %s, A: %s}", w.expr(array, d), x()))
	if t == recordAt {
		return "&" + fields
	}
	return fields
}

// convertedExpr returns an expression of a numeric type other than int.
func (w *writer) convertedExpr(t typ, d int) string {
	if w.chance(2) {
		return fmt.Sprintf("%s(%s + %s)", t, w.value(integer), w.expr(integer, d))
	}
	last := "^"
	if t == ratio {
		last = "/"
	}
	return fmt.Sprintf("(%s %s %s)", w.value(t), w.oneOf("+", "-", "*", last), w.expr(t, d))
}

// otherExpr returns an expression of a type that has no operators.
func (w *writer) otherExpr(t typ, d int) string {
	switch t {
	case pointer:
		return w.oneOf(fmt.Sprintf("Gptr(%s)", w.expr(integer, d)), w.value(pointer))
	case anything:
		return fmt.Sprintf("%s(%s)", w.oneOf("any", "Gbox"), w.expr(w.oneType(integer, text, record, array, boolean, small, slice), d))
	case failure:
		return fmt.Sprintf("trace.Err((%s)&3)", w.expr(integer, d))
	case function:
		return w.functionExpr(d)
	case methods:
		of := w.oneType(record, recordAt, number, embedded)
		return fmt.Sprintf("GI(%s)", withType(of, w.expr(of, d)))
	}
	return fmt.Sprintf("Gid(%s)", w.leaf(t))
}

// functionExpr returns a function value. It contains no suspension, which would block in a
// literal that is kept.
func (w *writer) functionExpr(d int) string {
	switch w.r.IntN(4) {
	case 0:
		return fmt.Sprintf("%s.Less", w.operand(number))
	case 1:
		return fmt.Sprintf("%s.Plain", w.operand(w.oneType(record, recordAt)))
	}
	var body string
	w.literalOf(false, func() { body = w.expr(integer, d) })
	if v := w.pick(integer); v != nil && !v.fixed && w.chance(2) {
		return fmt.Sprintf("(func(k int) int { %s += k; return %s })", v.name, body)
	}
	return fmt.Sprintf("(func(k int) int { return k + %s })", body)
}

// literalOf writes a function literal with f writing its body.
func (w *writer) literalOf(suspends bool, f func()) {
	w.fn = &frame{up: w.fn, suspends: suspends && w.fn.suspends, budget: min(6, w.size.statements), run: w.fn.run}
	f()
	w.fn = w.fn.up
}
