package forms

import (
	"fmt"
	"strings"
)

// operand is a kind of operand. In its texts, § is the name of its own variable, @T the type, and
// «1» and «2» the values.
type operand struct {
	name   string
	setup  string // declares the variable
	text   string // the operand itself
	change string // runs when the focus suspends
	places bool   // it is assignable
	blank  bool   // it is assignable but not readable
	types  string // the symbols that have such operands; "": all
}

// captured is the kind of operand in holes that do not vary.
const captured = 1

// operands are the kinds of operands. Those that are changed in place and those whose base is
// replaced are separate kinds: a generator may save the base too early or too late.
var operands = []operand{
	{name: "local", setup: "§ := «1»", text: "§", places: true},
	{name: "captured", setup: "§ := «1»", text: "§", change: "§ = «2»", places: true},
	{name: "field", setup: "§ := Gbox[@T]{v: «1»}", text: "§.v", change: "§.v = «2»", places: true},
	{name: "pointer's field", setup: "§ := &Gbox[@T]{v: «1»}", text: "§.v", change: "§.v = «2»", places: true},
	{name: "replaced pointer's field", setup: "§ := &Gbox[@T]{v: «1»}", text: "§.v", change: "§ = &Gbox[@T]{v: «2»}", places: true},
	{name: "lost pointer's field", setup: "§ := &Gbox[@T]{v: «1»}", text: "§.v", change: "§ = nil", places: true},
	{name: "promoted field", setup: "§ := Gouter[@T]{&Gbox[@T]{v: «1»}}", text: "§.v", change: "§.Gbox = &Gbox[@T]{v: «2»}", places: true},
	{name: "element", setup: "§ := []@T{«1», «2»}", text: "§[0]", change: "§[0] = «2»", places: true},
	{name: "replaced slice's element", setup: "§ := []@T{«1»}", text: "§[0]", change: "§ = []@T{«2»}", places: true},
	{name: "lost element", setup: "§ := []@T{«2», «1»}", text: "§[1]", change: "§ = §[:1]", places: true},
	{name: "element at a variable", setup: "§, §i := []@T{«1», «2»}, 0", text: "§[§i]", change: "§i = 1", places: true},
	{name: "array's element", setup: "§ := [2]@T{«1», «2»}", text: "§[0]", change: "§[0] = «2»", places: true},
	{name: "map's element", setup: "§ := map[int]@T{0: «1», 1: «2»}", text: "§[0]", change: "§[0] = «2»", places: true},
	{name: "replaced map's element", setup: "§, §i := map[int]@T{0: «1», 1: «2»}, 0", text: "§[§i]", change: "§, §i = map[int]@T{1: «2»}, 1", places: true},
	{name: "dereference", setup: "§ := Gp[@T](«1»)", text: "*§", change: "*§ = «2»", places: true},
	{name: "replaced dereference", setup: "§ := Gp[@T](«1»)", text: "*§", change: "§ = Gp[@T](«2»)", places: true},
	{name: "call", setup: "§ := «1»", text: "Gn[@T](t, §)", change: "§ = «2»"},
	{name: "call of a literal", setup: "§ := «1»", text: "func() @T { return § }()", change: "§ = «2»"},
	{name: "conversion", setup: "§ := «1»", text: "@T(§)", change: "§ = «2»"},
	{name: "widening", setup: "§ := Gsmall(1)", text: "@T(§)", change: "§ = 2", types: "IUD"},
	{name: "conversion of bytes", setup: "§ := []byte(\"abcd\")", text: "@T(§)", change: "§[0] = 'X'", types: "SY"},
	{name: "conversion of a slice", setup: "§ := []@I{1, 2, 3, 4}", text: "@T(§)", change: "§[0] = 9", types: "LAO"},
	{name: "conversion of a structure", setup: "§ := Gr[@I, @S]{a: 1}", text: "@T(§)", change: "§.a = 2", types: "XEV"},
	{name: "constant", setup: "const § = «1»", text: "@T(§)", types: "IUDSBX"},
	{name: "package variable", text: "Gv@I", change: "Gv@I++", types: "I", places: true},
	{name: "blank", text: "_", blank: true},
}

// holds reports whether such an operand fits in h. The type checker makes the final decision.
func (o *operand) holds(h hole) bool {
	switch h.kind {
	case '=':
		return o.places || o.blank
	case '&':
		return o.places && !strings.Contains(o.name, "map's")
	}
	return !o.blank && (o.types == "" || strings.IndexByte(o.types, h.sym) >= 0)
}

// fill writes one of an operand's texts.
func (o *operand) fill(text string, h hole, at int) string {
	text = strings.NewReplacer("§", fmt.Sprintf("k%d", at), "@T", "@"+string(h.sym), "«1»", h.first(), "«2»", h.second()).Replace(text)
	return strings.ReplaceAll(text, "Gv@I", "GvI")
}

// suspending returns the focus as an operand: a call that suspends and changes everything.
func suspending(h hole) (setup, text string) {
	call := fmt.Sprintf("Gy[@%c](t, change, %s)", h.sym, h.first())
	switch h.kind {
	case ';':
		return "", "Gy[int](t, change, 1)"
	case '&', '=':
		return "", fmt.Sprintf("Gy[*Gbox[@%[1]c]](t, change, &Gbox[@%[1]c]{v: %[2]s}).v", h.sym, h.first())
	}
	return "", call
}
