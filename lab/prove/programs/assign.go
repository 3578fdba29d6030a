package programs

import "fmt"

// assign writes an assignment in one of the possible forms.
func (w *writer) assign() {
	switch w.r.IntN(12) {
	case 9:
		w.line("%s %s", w.place(integer), w.oneOf(
			fmt.Sprintf("<<= (%s)&3", w.expr(integer, 2)), fmt.Sprintf("&^= %s", w.expr(integer, 2)),
			fmt.Sprintf("/= (%s)|1", w.expr(integer, 2)), fmt.Sprintf("%%= %s", w.value(integer))))
	case 10:
		to := w.place(text)
		w.line("%s, _, %s = %s, %s, %s", w.place(integer), to, w.expr(integer, 2), w.expr(boolean, 2), w.expr(text, 2))
		w.limitString(to)
	case 0:
		w.line("%s %s %s", w.place(integer), w.oneOf("+=", "-=", "*=", "|=", "^=", "&="), w.expr(integer, w.size.depth))
	case 1:
		to := w.place(text)
		w.line("%s += %s", to, w.expr(text, w.size.depth))
		w.limitString(to)
	case 2:
		w.line("%s%s", w.place(integer), w.oneOf("++", "--"))
	case 3:
		w.line("%s, %s = %s, %s", w.place(integer), w.place(integer), w.expr(integer, 2), w.expr(integer, 2))
	case 4:
		w.line("%s, %s = %s", w.place(integer), w.place(text), w.twoValues())
	case 5:
		w.line("%s, %s = %s", w.place(integer), w.place(boolean), w.oneOf(
			fmt.Sprintf("(%s)[%s]", w.expr(table, 1), w.expr(integer, 2)),
			fmt.Sprintf("(%s).(int)", w.expr(anything, 2)),
			fmt.Sprintf("<-Gfull(%s)", w.expr(integer, 2))))
	case 6:
		w.appendTo()
	default:
		list := w.visible(func(v *variable) bool { return !v.fixed && v.typ != param })
		t := integer
		if len(list) > 0 {
			t = list[w.r.IntN(len(list))].typ
		}
		to := w.place(t)
		w.line("%s = %s", to, w.expr(t, w.size.depth))
		if t == text {
			w.limitString(to)
		}
	}
}

// limitString limits the length of the string in an assigned variable: a string that doubles in a
// loop would fill the memory long before the fuel is used up.
func (w *writer) limitString(name string) {
	w.line("if len(%s) > 99 {\n%s = %s[:9]\n}", name, name, name)
}

// twoValues returns a call that returns an int and a string.
func (w *writer) twoValues() string {
	if !w.fn.suspends || w.chance(3) {
		return fmt.Sprintf("Gpair(t, %s)", w.expr(integer, 2))
	}
	return fmt.Sprintf("Gspread(t, %s)", w.expr(integer, 2))
}

// appendTo appends to a variable or an element in place, to a slice without spare capacity.
func (w *writer) appendTo() {
	if v := w.pick(slice); v != nil && !v.fixed && w.chance(2) {
		w.line("%s = append(%s[:len(%s):len(%s)], %s)", v.name, v.name, v.name, v.name, w.expr(integer, w.size.depth))
		return
	}
	if w.chance(3) {
		if v := w.pick(grid); v != nil && !v.fixed {
			w.line("%s[%s] = append([]int(nil), %s)", v.name, w.expr(integer, 1), w.expr(integer, w.size.depth))
			w.line("%s = append(%s[:len(%s):len(%s)], %s)", v.name, v.name, v.name, v.name, w.expr(slice, 2))
			return
		}
	}
	v := &variable{name: "lists" + itoa(w.names)}
	w.names++
	w.line("%s := map[int][]int{}", v.name)
	k := w.expr(integer, 1)
	w.line("%s[%s] = append(%s[%s], %s)", v.name, k, v.name, w.oneOf(k, w.value(integer)), w.expr(integer, w.size.depth))
	w.line("t.Log(\"%%v\", %s)", v.name)
}

// place returns something assignable of type t. There always is something: the globals and the
// blank identifier.
func (w *writer) place(t typ) string {
	assignable := func(t typ) *variable {
		list := w.visible(func(v *variable) bool { return v.typ == t && !v.fixed })
		if len(list) == 0 {
			return nil
		}
		return list[w.r.IntN(len(list))]
	}
	if t == integer && w.chance(2) {
		if place := w.element(); place != "" {
			return place
		}
	}
	if v := assignable(t); v != nil {
		return v.name
	}
	switch t {
	case integer:
		return w.oneOf("Gg0", "Gg1")
	case text:
		return "Ggs"
	case boolean:
		return "Ggb"
	}
	return "_"
}

// element returns an int inside of another value, or "".
func (w *writer) element() string {
	base := func(t typ) string {
		v := w.pick(t)
		if v == nil || v.fixed {
			return ""
		}
		return v.name
	}
	index := fmt.Sprintf("(%s)&1", w.expr(integer, 2))
	if w.chance(6) {
		index = w.value(integer)
	}
	if place := w.parameterElement(index); place != "" {
		return place
	}
	t := w.oneType(slice, array, table, pointer, record, recordAt, words, grid, embedded)
	name := base(t)
	if name == "" {
		return ""
	}
	switch t {
	case slice, array:
		return fmt.Sprintf("%s[%s]", name, index)
	case table:
		return fmt.Sprintf("%s[%s]", name, w.expr(integer, 2))
	case pointer:
		return "*" + name
	case words:
		return fmt.Sprintf("%s[%s]", name, w.expr(text, 2))
	case grid:
		return fmt.Sprintf("%s[%s][0]", name, index)
	case embedded:
		return name + w.oneOf(".A", ".E", ".Q", ".GS.C["+index+"]")
	default:
		return name + w.oneOf(".A", ".C["+index+"]")
	}
}
