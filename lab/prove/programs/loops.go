package programs

import (
	"fmt"
	"strings"
)

// loopStatement writes a loop of one of the possible kinds.
func (w *writer) loopStatement() {
	w.labeledStmt(true, func(l loop) loop {
		w.scope = &scope{up: w.scope}
		defer func() { w.scope = w.scope.up }()
		switch w.r.IntN(5) {
		case 0, 1:
			return w.forLoop(l)
		case 2:
			return w.conditional(l)
		default:
			return w.rangeLoop(l)
		}
	})
}

func (w *writer) body(l loop) loop {
	return w.inside(l, func() { w.line("t.Burn()") }, 1+w.r.IntN(4))
}

// forLoop writes a loop with three clauses.
func (w *writer) forLoop(l loop) loop {
	start := w.expr(integer, 1)
	i := w.declare(integer)
	i.fixed = !w.chance(4) // most loops should end by themselves
	cond := fmt.Sprintf("%s < %d", i.name, 2+w.r.IntN(3))
	if w.chance(3) {
		cond = fmt.Sprintf("%s < min(4, %s)", i.name, w.expr(integer, 2))
	}
	post := i.name + "++"
	if w.chance(4) {
		post = fmt.Sprintf("%s += 1 + (%s)&1", i.name, w.expr(integer, 2))
	}
	if w.chance(6) && w.fn.suspends {
		post = fmt.Sprintf("%s = trace.Step(t, %s+1)", i.name, i.name)
	}
	w.line("for %s := max(-1, %s); %s; %s {", i.name, start, cond, post)
	l = w.body(l)
	w.line("}")
	return l
}

// conditional writes a loop with or without a condition.
func (w *writer) conditional(l loop) loop {
	v := w.declare(integer)
	if w.chance(3) {
		w.line("for %s := 0; ; {", v.name)
		v.fixed = true
		l = w.inside(l, func() {
			w.line("t.Burn()")
			w.line("if %s++; %s > 2 {", v.name, v.name)
			w.line("\tbreak")
			w.line("}")
		}, 1+w.r.IntN(3))
	} else {
		w.scope.vars = w.scope.vars[:len(w.scope.vars)-1]
		g := w.oneOf("Gg0", "Gg1")
		w.line("for %s++; %s&7 != 0 && %s; {", g, g, w.expr(boolean, 2))
		l = w.inside(l, func() {
			w.line("t.Burn()")
			w.line("%s++", g)
		}, 1+w.r.IntN(3))
	}
	w.line("}")
	return l
}

// rangeLoop writes a range loop.
func (w *writer) rangeLoop(l loop) loop {
	over, key, value := w.rangeOperand()
	if w.chance(4) && key != "" && (value != "" || key == integer) {
		targets := w.place(key)
		if value != "" {
			targets += ", " + w.place(value)
		}
		w.line("for %s = range (%s) {", targets, over)
		l = w.body(l)
		w.line("}")
		return l
	}
	head := ""
	if key != "" && !w.chance(6) {
		k := w.declare(key)
		head = k.name
		if value != "" && w.chance(2) {
			v := w.declare(value)
			head += ", " + v.name
		} else if value != "" && w.chance(2) {
			v := w.declare(value)
			head = "_, " + v.name
			k.name = "_"
			w.drop(k)
		}
		head += " := "
	}
	suspends := w.fn.suspends
	if strings.HasPrefix(over, "Gseq") || strings.HasPrefix(over, "Gpairs") || strings.HasPrefix(over, "Gtimes") || strings.HasPrefix(over, "Gtwos") {
		w.fn.suspends = suspends && w.options.RangeFuncsSuspend
	}
	w.line("for %srange (%s) {", head, over)
	l = w.body(l)
	w.line("}")
	w.fn.suspends = suspends
	return l
}

func (w *writer) drop(v *variable) {
	for i, u := range w.scope.vars {
		if u == v {
			w.scope.vars = append(w.scope.vars[:i], w.scope.vars[i+1:]...)
			return
		}
	}
}

// rangeOperand returns something to range over, and the types of key and value.
func (w *writer) rangeOperand() (over string, key, value typ) {
	if len(w.params) > 0 && w.chance(3) {
		if over, key, value := w.rangeParameter(); over != "" {
			return over, key, value
		}
	}
	switch w.r.IntN(16) {
	case 14, 15:
		return fmt.Sprintf("Gtwos(t, %s)", w.expr(integer, 2)), integer, integer
	case 9:
		return fmt.Sprintf("Gpairs(t, %s)", w.expr(integer, 2)), integer, text
	case 10:
		return fmt.Sprintf("Gtimes(t, %s)", w.expr(integer, 2)), "", ""
	case 11:
		if w.fn.suspends {
			return fmt.Sprintf("Gstream(t, %s)", w.expr(integer, 2)), integer, failure
		}
		return w.expr(grid, 2), integer, slice
	case 12:
		return fmt.Sprintf("map[string]int{%s: %s}", w.expr(text, 2), w.expr(integer, 2)), text, integer
	case 13:
		return "[]GS{" + w.expr(record, 2) + ", {A: " + w.expr(integer, 2) + "}}", integer, record
	case 0:
		return fmt.Sprintf("min(3, %s)", w.expr(integer, 2)), integer, ""
	case 1:
		return w.expr(array, 2), integer, integer
	case 2:
		return w.expr(text, 2), integer, ""
	case 3:
		return fmt.Sprintf("map[int]int{%s: %s}", w.expr(integer, 2), w.expr(integer, 2)), integer, integer
	case 4:
		return fmt.Sprintf("Gclosed(%s)", w.expr(integer, 2)), integer, ""
	case 5:
		return fmt.Sprintf("Gseq(t, %s)", w.expr(integer, 2)), integer, ""
	case 6:
		return fmt.Sprintf("&%s", w.literal(array)), integer, integer
	case 7:
		return "min(2, " + w.value(number) + ")", number, ""
	default:
		return w.expr(slice, 2), integer, integer
	}
}

// rangeParameter returns something of a type parameter to range over, or "".
func (w *writer) rangeParameter() (over string, key, value typ) {
	switch t := w.params[w.r.IntN(len(w.params))]; t {
	case pSlice, pArray:
		return w.expr(t, 2), integer, integer
	case pTable:
		return fmt.Sprintf("VM{%s: %s}", w.expr(integer, 2), w.expr(integer, 2)), integer, integer
	case pText:
		return w.expr(t, 2), integer, ""
	case pInteger:
		return "min(2, " + w.value(t) + ")", t, ""
	case pChannel:
		return fmt.Sprintf("VC(Gclosed(%s))", w.expr(integer, 2)), integer, ""
	}
	return "", "", ""
}
