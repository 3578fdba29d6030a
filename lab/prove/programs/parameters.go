package programs

import (
	"fmt"
	"strings"
)

// The type parameters of generic functions. Variables, parameters and results have these types,
// and every form of Go that names a type names them.
const (
	pInteger  typ = "VI"
	pText     typ = "VS"
	pSlice    typ = "VL"
	pArray    typ = "VA"
	pTable    typ = "VM"
	pPointer  typ = "VP"
	pFunction typ = "VF"
	pChannel  typ = "VC"
)

// underlying are the core types of the type parameters, which are also the type arguments.
var underlying = map[typ]typ{
	pInteger: integer, pText: text, pSlice: slice, pArray: array, pTable: table, pPointer: pointer, pFunction: function, pChannel: "chan int",
}

// parameterTypes lists the type parameters.
var parameterTypes = []typ{pInteger, pText, pSlice, pArray, pTable, pPointer, pFunction, pChannel}

// actual returns the type argument for t.
func (t typ) actual() typ {
	if u := underlying[t]; u != "" {
		return u
	}
	return t
}

// typeParameters chooses the type parameters of a function, and returns their declaration.
func (w *writer) typeParameters() string {
	list := []string{"V any"}
	for _, p := range parameterTypes {
		if w.chance(3) {
			w.params = append(w.params, p)
			list = append(list, string(p)+" ~"+string(underlying[p]))
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// declarable returns a type to declare a variable with.
func (w *writer) declarable() typ {
	if len(w.params) > 0 && w.chance(2) {
		return w.params[w.r.IntN(len(w.params))]
	}
	return ordinary[w.r.IntN(len(ordinary))]
}

// parameterLiteral returns a value of a type parameter that contains no variables.
func (w *writer) parameterLiteral(t typ) string {
	switch t {
	case pSlice, pArray:
		return fmt.Sprintf("(%s{%d, %d})", t, w.r.IntN(5), w.r.IntN(5))
	case pTable:
		return fmt.Sprintf("(%s{%d: %d})", t, w.r.IntN(2), w.r.IntN(5))
	case pChannel:
		return "VC(Gfull(2))"
	}
	return fmt.Sprintf("%s(%s)", t, w.literal(t.actual()))
}

// parameterExpr returns an expression whose type is a type parameter.
func (w *writer) parameterExpr(t typ, d int) string {
	x := func() string { return w.expr(integer, d) }
	if w.chance(3) {
		return w.oneOf(
			fmt.Sprintf("Gid[%s](%s)", t, w.expr(t, d)),
			fmt.Sprintf("any(%s).(%s)", w.value(t), t),
			fmt.Sprintf("[]%s{%s, %s}[(%s)&1]", t, w.value(t), w.expr(t, d), x()),
			fmt.Sprintf("map[int]%s{%s: %s}[%s]", t, x(), w.value(t), x()),
			fmt.Sprintf("(struct{ v %s }{%s}).v", t, w.expr(t, d)),
			fmt.Sprintf("*Gptr[%s](%s)", t, w.expr(t, d)),
			fmt.Sprintf("func(v %s) %s { Gg0++; return v }(%s)", t, t, w.expr(t, d)))
	}
	switch t {
	case pInteger:
		return w.oneOf(
			fmt.Sprintf("VI(%s)", x()),
			fmt.Sprintf("(%s %s %s)", w.value(t), w.oneOf("+", "-", "*", "&", "|", "^"), w.expr(t, d)),
			fmt.Sprintf("(%s %s VI(%s))", w.expr(t, d), w.oneOf("+", "-"), x()),
			fmt.Sprintf("max(%s, %s)", w.value(t), w.expr(t, d)),
			fmt.Sprintf("-%s", w.expr(t, d)))
	case pText:
		return w.oneOf(
			fmt.Sprintf("VS(%s)", w.expr(text, d)),
			fmt.Sprintf("(%s + %s)", w.value(t), w.expr(t, d)),
			fmt.Sprintf("VS([]byte(%s))", w.expr(text, d)),
			fmt.Sprintf("(%s + \"--\")%s", w.value(t), w.bounds(d)))
	case pSlice:
		v := w.value(t)
		return w.oneOf(
			fmt.Sprintf("(VL{%s, %s})", x(), x()),
			fmt.Sprintf("append(VL(nil), %s...)", w.expr(slice, d)),
			fmt.Sprintf("append(%s[:len(%s):len(%s)], %s)", v, v, v, x()),
			fmt.Sprintf("%s[:len(%s):len(%s)]%s", v, v, v, w.bounds(d)),
			fmt.Sprintf("make(VL, (%s)&3)", x()),
			fmt.Sprintf("VL(%s)", w.expr(slice, d)))
	case pArray:
		return w.oneOf(fmt.Sprintf("(VA{%s, %s})", x(), x()), fmt.Sprintf("VA(%s)", w.expr(array, d)), fmt.Sprintf("VA([]int{%s, %s})", x(), x()))
	case pTable:
		return w.oneOf(fmt.Sprintf("(VM{%s: %s})", x(), x()), fmt.Sprintf("VM(%s)", w.expr(table, d)), "make(VM)")
	case pChannel:
		return fmt.Sprintf("VC(Gfull(%s))", x())
	}
	return fmt.Sprintf("%s(%s)", t, w.expr(t.actual(), d))
}

// bounds returns the bounds of a slice expression: both are separate expressions, which may change
// what the other reads. The sliced operand has at least two elements, or is cut to its length,
// since capacities differ.
func (w *writer) bounds(d int) string {
	low, high := fmt.Sprintf("(%s)&1", w.expr(integer, d)), fmt.Sprintf("1+(%s)&1", w.expr(integer, d))
	if w.chance(3) {
		low = w.value(integer)
	}
	if w.chance(6) {
		high = w.value(integer)
	}
	switch w.r.IntN(4) {
	case 0:
		return "[" + low + ":]"
	case 1:
		return "[:" + high + "]"
	}
	return "[" + low + ":" + high + "]"
}

// parameterSteps returns the steps from variables of type parameters to values of other types.
func parameterSteps(t typ) []step {
	switch t {
	case integer:
		return []step{{pInteger, "int(%s)"}, {pSlice, "%s[0]"}, {pArray, "%s[1]"}, {pTable, "%s[1]"}, {pPointer, "*%s"}, {pText, "len(%s)"}, {pFunction, "%s(2)"}, {pSlice, "cap(%[1]s[:1:1])"}}
	case text:
		return []step{{pText, "string(%s)"}}
	case slice:
		return []step{{pSlice, "[]int(%s)"}, {pArray, "%s[:]"}}
	case array:
		return []step{{pArray, "[2]int(%s)"}}
	case pointer:
		return []step{{pArray, "&%s[1]"}, {pSlice, "&%s[0]"}, {pPointer, "(*int)(%s)"}}
	case small:
		return []step{{pText, "(%[1]s+\"x\")[0]"}}
	case anything:
		return []step{{pInteger, "any(%s)"}, {pSlice, "any(%s)"}, {pArray, "any(%s)"}, {pText, "any(%s)"}}
	}
	return nil
}

// parameterElement returns an assignable int inside of a variable of a type parameter, or "".
func (w *writer) parameterElement(index string) string {
	if len(w.params) == 0 {
		return ""
	}
	t := w.params[w.r.IntN(len(w.params))]
	v := w.pick(t)
	if v == nil || v.fixed {
		return ""
	}
	switch t {
	case pSlice, pArray:
		return fmt.Sprintf("%s[%s]", v.name, index)
	case pTable:
		return fmt.Sprintf("%s[%s]", v.name, w.expr(integer, 2))
	case pPointer:
		return "*" + v.name
	}
	return ""
}

// parameterStatement writes a statement about a type parameter.
func (w *writer) parameterStatement() {
	t := w.params[w.r.IntN(len(w.params))]
	w.names++
	name := fmt.Sprint("par", w.names)
	switch {
	case t == pChannel:
		w.line("%s := make(VC, 2)", name)
		w.line("%s <- %s", name, w.expr(integer, 2))
		w.line("select {\ncase %s <- %s:\ndefault:\n}", name, w.expr(integer, 2))
		w.line("t.Log(\"%%v %%v %%v\", len(%s), <-%s - %s, <-%s)", name, name, w.expr(integer, 2), name)
	case !t.shown():
		w.line("var %s %s = %s", name, t, w.expr(t, 2))
		w.scope.vars = append(w.scope.vars, &variable{name: name, typ: t})
	case w.chance(3):
		w.line("type T%s struct{ X %s; Y []%s }", name, t, t)
		w.line("%s := T%s{X: %s, Y: []%s{%s}}", name, name, w.expr(t, 2), t, w.expr(t, 2))
		w.line("%s.Y[0] = %s", name, w.expr(t, 2))
		w.line("t.Log(\"%%v\", %s)", name)
	case w.chance(2):
		w.line("%s := make(chan %s, 1)", name, t)
		w.line("%s <- %s", name, w.expr(t, 2))
		w.line("t.Log(\"%%v %%v\", <-%s, %s)", name, w.expr(t, 2))
	default:
		w.line("if %s, ok := (%s).(%s); ok {", name, w.expr(anything, 2), t)
		w.line("\tt.Log(\"%%v\", %s)", name)
		w.line("}")
	}
}
