package programs

import (
	"fmt"
	"strings"
)

// call returns a call with one result of type t, or "".
func (w *writer) call(t typ, d int) string {
	if t == param {
		if !w.fn.suspends {
			return fmt.Sprintf("Gid[V](%s)", w.leaf(t))
		}
		return fmt.Sprintf("Gpick[V](t, %s, %s, %s)", w.expr(boolean, d), w.leaf(t), w.leaf(t))
	}
	if t == integer && w.chance(2) {
		return w.methodCall(d)
	}
	if w.chance(6) && w.fn.suspends && t.shown() {
		return fmt.Sprintf("Gpick[%s](t, %s, %s, %s)", t, w.expr(boolean, d), w.leaf(t), w.expr(t, d))
	}
	for range 4 {
		if len(w.funcs) == 0 {
			break
		}
		f := w.funcs[w.r.IntN(len(w.funcs))]
		if len(f.results) == 1 && f.results[0] == t && (w.fn.suspends || !f.async) {
			return w.callOf(f, d)
		}
	}
	return ""
}

// callOf returns a call of f.
func (w *writer) callOf(f signature, d int) string {
	args := []string{"t"}
	name := f.name
	if f.generic {
		args = append(args, w.expr(w.oneType(integer, text, record), d))
	}
	if len(f.params) == 2 && f.params[0] == integer && f.params[1] == text && w.fn.suspends && !f.generic && w.chance(3) {
		return fmt.Sprintf("%s(Gthree(t, %s))", name, w.expr(integer, d))
	}
	for _, p := range f.params {
		args = append(args, w.expr(p, d))
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
}

// methodCall returns a call of a method or a function value with an int result.
func (w *writer) methodCall(d int) string {
	arg := w.expr(integer, d)
	if !w.fn.suspends || w.chance(3) {
		switch w.r.IntN(8) {
		case 7:
			return fmt.Sprintf("%s.%s(%s)", w.operand(embedded), w.oneOf("Plain", "GS.Plain"), arg)
		case 6:
			return fmt.Sprintf("%s.Add(%s)", w.operand(recordAt), arg)
		case 0:
			return fmt.Sprintf("%s(%s)", w.operand(function), arg)
		case 1:
			return fmt.Sprintf("%s.Plain(%s)", w.operand(w.oneType(record, recordAt)), arg)
		case 2:
			return fmt.Sprintf("%s.Less(%s)", w.operand(number), arg)
		case 3:
			return fmt.Sprintf("%s.Plus(t, %s)", w.operand(w.oneType(recordAt, methods)), arg)
		case 4:
			return fmt.Sprintf("GS.Plain(%s, %s)", w.value(record), arg)
		default:
			return fmt.Sprintf("Gbump(%s)", arg)
		}
	}
	if v := w.pick(held); v != nil && w.chance(2) {
		return fmt.Sprintf("%s(%s)", v.name, arg)
	}
	switch w.r.IntN(10) {
	case 9:
		return w.keptCall(arg)
	case 6:
		return w.oneOf(fmt.Sprintf("Gtotal(t, %s, %s)", w.value(integer), arg), fmt.Sprintf("Gtotal(t, %s...)", w.expr(slice, d)))
	case 7:
		return fmt.Sprintf("%s.%s(t, %s)", w.operand(embedded), w.oneOf("Wait", "Pull", "GS.Wait"), arg)
	case 8:
		return fmt.Sprintf("Gcell[int]{%s}.Take(t, %s)", w.value(integer), arg)
	case 0:
		return fmt.Sprintf("%s.Wait(t, %s)", w.operand(w.oneType(record, recordAt)), arg)
	case 1:
		return fmt.Sprintf("%s.Grow(t, %s)", w.operand(recordAt), arg)
	case 2:
		return fmt.Sprintf("%s.Wait(t, %s)", w.operand(methods), arg)
	case 3:
		return fmt.Sprintf("GS.Wait(%s, t, %s)", w.value(record), arg)
	case 4:
		return fmt.Sprintf("Gset(t, %s)", arg)
	default:
		return fmt.Sprintf("(%s).Wait(t, %s)", w.expr(w.oneType(record, recordAt, methods), d), arg)
	}
}

// keptCall returns a call of a value of a marked function type, which is kept somewhere.
func (w *writer) keptCall(arg string) string {
	value := w.oneOf("Gwaits", "Gwrap(Gwaits)", w.operand(recordAt)+".Keep", "Gkept("+w.operand(recordAt)+".Keep)",
		fmt.Sprintf("func(_ context.Context, t *trace.T, k int) int { return trace.Step(t, k) + %s }", w.value(integer)))
	switch w.r.IntN(5) {
	case 0:
		return fmt.Sprintf("Gwrap(%s)(Gctx, t, %s)", value, arg)
	case 1:
		return fmt.Sprintf("map[int]Gkept{0: %s, 1: Gwaits}[(%s)&1](Gctx, t, %s)", value, w.value(integer), arg)
	case 2:
		return fmt.Sprintf("(struct{ F Gkept }{%s}).F(Gctx, t, %s)", value, arg)
	case 3:
		return fmt.Sprintf("Gapply(t, Gwrap(%s), %s)", value, arg)
	}
	return fmt.Sprintf("[]Gkept{Gwaits, %s}[(%s)&1](Gctx, t, %s)", value, arg, w.value(integer))
}
