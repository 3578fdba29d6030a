package main

import (
	"fmt"
	"slices"
	"strings"
)

// emit prints MoveNext.
func emit(code []instruction, fields []string) string {
	var b strings.Builder
	field := func(v string) string {
		if slices.Contains(fields, v) {
			return "f." + v
		}
		return v
	}
	b.WriteString("switch f.state {\n")
	n := 0
	for _, in := range code {
		if in.kind == suspend {
			n++
			fmt.Fprintf(&b, "case %d: goto resume%d\n", n, n)
		}
	}
	b.WriteString("}\n")
	n = 0
	for _, in := range code {
		expression := rename(in.text, in.uses, field)
		switch in.kind {
		case plain:
			fmt.Fprintf(&b, "\t%s = %s\n", field(in.sets), expression)
		case suspend:
			n++
			fmt.Fprintf(&b, "\tf.awaited = %s\n\tif !f.awaited.IsCompleted() { f.state = %d; return suspended }\nresume%d:\n", expression, n, n)
			fmt.Fprintf(&b, "\t%s = f.awaited.GetResult()\n", field(in.sets))
		case label:
			fmt.Fprintf(&b, "%s:\n", in.target)
		case jump:
			fmt.Fprintf(&b, "\tgoto %s\n", in.target)
		case unless:
			fmt.Fprintf(&b, "\tif !(%s) { goto %s }\n", expression, in.target)
		case end:
			fmt.Fprintf(&b, "\tf.result = %s; return finished\n", expression)
		}
	}
	return b.String()
}
