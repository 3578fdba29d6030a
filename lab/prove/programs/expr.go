package programs

import (
	"fmt"
	"strings"
)

// expr returns an expression of type t, with at most d levels of operations.
func (w *writer) expr(t typ, d int) string {
	if d <= 0 || w.chance(6) {
		return w.leaf(t)
	}
	if w.chance(4) {
		if call := w.call(t, d-1); call != "" {
			return call
		}
	}
	if w.chance(5) && t != param {
		return w.await(t, d-1)
	}
	if underlying[t] != "" {
		return w.parameterExpr(t, d-1)
	}
	switch t {
	case integer:
		return w.integerExpr(d - 1)
	case text:
		return w.textExpr(d - 1)
	case boolean:
		return w.booleanExpr(d - 1)
	case slice, array, table, record, recordAt, words, grid, embedded:
		return w.compositeExpr(t, d-1)
	case number, small, ratio:
		return w.convertedExpr(t, d-1)
	}
	return w.otherExpr(t, d-1)
}

// await returns a value of t that results from a suspension, if one is allowed.
func (w *writer) await(t typ, d int) string {
	if !w.fn.suspends || !t.shown() {
		return w.observe(t, d)
	}
	if t == integer && w.chance(2) {
		return fmt.Sprintf("trace.Step(t, %s)", w.expr(t, d))
	}
	return fmt.Sprintf("trace.Get[%s](t, %s)", t, w.expr(t, d))
}

// observe returns a value of t whose evaluation is logged.
func (w *writer) observe(t typ, d int) string {
	if !t.shown() {
		return fmt.Sprintf("Gid[%s](%s)", t, w.expr(t, d))
	}
	return fmt.Sprintf("trace.Note[%s](t, %s)", t, w.expr(t, d))
}

// leaf returns a variable, a part of one, or a literal.
func (w *writer) leaf(t typ) string {
	if !w.chance(4) {
		if path := w.path(t); path != "" {
			return path
		}
	}
	return w.literal(t)
}

// value returns a leaf that is not constant: the compiler computes constant expressions, and
// rejects overflows.
func (w *writer) value(t typ) string {
	if path := w.path(t); path != "" {
		return path
	}
	return w.observe(t, 0)
}

// operand returns a value that a selector, an index or arguments may follow.
func (w *writer) operand(t typ) string {
	v := w.value(t)
	if strings.HasPrefix(v, "*") || strings.HasPrefix(v, "&") {
		return "(" + v + ")"
	}
	return v
}

func (w *writer) literal(t typ) string {
	if underlying[t] != "" {
		return w.parameterLiteral(t)
	}
	switch t {
	case integer, small, number, ratio:
		return itoa(w.r.IntN(5))
	case text:
		return w.oneOf(`"a"`, `"bc"`, `""`, `"déf"`)
	case boolean:
		return w.oneOf("true", "false")
	case slice:
		return w.oneOf("[]int{1, 2}", "[]int{3, 4, 5}", "[]int(nil)")
	case array:
		return w.oneOf("[2]int{1, 2}", "[2]int{1: 7}", "[2]int{}")
	case table:
		return w.oneOf("map[int]int{}", "map[int]int{1: 2}", "map[int]int{0: 3, 1: 4}")
	case record:
		return w.oneOf("GS{}", `GS{A: 1, B: "z"}`, "GS{C: [2]int{1, 2}}")
	case pointer:
		return "Gptr(4)"
	case recordAt:
		if w.chance(20) {
			return "(*GS)(nil)"
		}
		return w.oneOf("&GS{A: 2}", "new(GS)", `Gptr(GS{B: "q"})`)
	case anything:
		return w.oneOf("any(1)", `any("any")`, "any(nil)", "any(GS{A: 3})")
	case failure:
		return w.oneOf("error(nil)", "trace.Err(1)", "trace.Err(2)")
	case words:
		return w.oneOf("map[string]int{}", `map[string]int{"a": 1}`, `map[string]int{"bc": 2, "": 3}`)
	case grid:
		return w.oneOf("[][]int{{1}, {2, 3}}", "[][]int{nil, {4}}", "[][]int{1: {5, 6}, 0: {}}")
	case embedded:
		return w.oneOf("GE{GP: &GP{1}, E: 2}", "GE{GS: GS{A: 1}}", `GE{GS{B: "e"}, &GP{Q: 3}, 4}`)
	case function:
		return w.oneOf("Gbump", "(func(n int) int { return n + 1 })", "GN(2).Less")
	case methods:
		return w.oneOf("GI(GS{A: 1})", "GI(GN(3))", "GI(&GS{A: 5})")
	}
	if t == "chan int" {
		return "Gfull(3)"
	}
	return "v" // of a type parameter: the parameter that every generic function has
}

// step is how to reach a value from a variable.
type step struct {
	from   typ
	format string
}

// path returns a variable of t, or a value of type t reached from a variable, or "".
func (w *writer) path(t typ) string {
	if v := w.pick(t); v != nil && !w.chance(4) {
		return v.name
	}
	var steps []step
	switch t {
	case integer:
		steps = []step{
			{record, "%s.A"}, {recordAt, "%s.A"}, {slice, "%s[" + w.oneOf("0", "1", "len(%[1]s)-1") + "]"}, {array, "%s[1]"},
			{pointer, "*%s"}, {table, "%s[1]"}, {record, "%s.C[0]"}, {recordAt, "%s.C[1]"}, {number, "int(%s)"}, {small, "int(%s)"},
			{words, "%s[\"a\"]"}, {grid, "%s[1][0]"}, {embedded, "%s.A"}, {embedded, "%s.E"}, {embedded, "%s.Q"}, {array, "len(%s)"},
		}
	case text:
		steps = []step{{record, "%s.B"}, {recordAt, "%s.B"}, {record, "%s.B[:]"}}
	case array:
		steps = []step{{record, "%s.C"}, {recordAt, "%s.C"}}
	case record:
		steps = []step{{recordAt, "*%s"}, {embedded, "%s.GS"}}
	case slice:
		steps = []step{{slice, "%s[:]"}, {recordAt, "%s.C[:]"}, {grid, "%s[0]"}}
	case pointer:
		steps = []step{{recordAt, "&%s.A"}, {slice, "&%s[0]"}, {embedded, "&%s.Q"}}
	case methods:
		steps = []step{{record, "GI(%s)"}, {recordAt, "GI(%s)"}, {number, "GI(%s)"}, {embedded, "GI(%s)"}}
	case anything:
		steps = []step{{integer, "any(%s)"}, {text, "any(%s)"}, {record, "any(%s)"}}
	}
	if len(w.params) > 0 {
		steps = append(steps, parameterSteps(t)...)
	}
	for range steps {
		s := steps[w.r.IntN(len(steps))]
		if v := w.pick(s.from); v != nil {
			return fmt.Sprintf(s.format, v.name)
		}
	}
	if v := w.pick(t); v != nil {
		return v.name
	}
	return ""
}
