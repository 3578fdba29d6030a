package emit

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// park prints a suspension.
func (p *printer) park(pt *ir.Point) {
	recv, run := p.fn.Names.Recv, p.fn.Names.Run
	suspended := func(how string, args ...any) {
		rest := ""
		if p.fn.Epilogue != nil {
			rest = ", " + p.predeclaredName("false")
		}
		for _, v := range p.fn.passedResults() {
			rest += ", " + p.zeroIn(v)
		}
		p.line("return "+how+rest, args...)
	}
	switch pt.Kind {
	case source.KindEnter, source.KindLiteral, source.KindValue, source.KindOperation:
		p.line("if %s == %s {\ngoto %s\n}", p.mention(pt.Held, ir.AsValue), p.predeclaredName("nil"), p.fn.Names.Label(pt.Resumed))
	case source.KindSleep:
		p.line("if !%s {\ngoto %s\n}", p.mention(pt.Asleep, ir.AsValue), p.fn.Names.Label(pt.Resumed))
	case source.KindTwin:
		ended := p.rope(ir.Rope{ir.StatemachineName, ir.Text(".TwinEnded("), ir.RunName, ir.Text(", "), ir.Use(pt.Held), ir.Text(")")})
		p.line("if %s {\ngoto %s\n}", ended, p.fn.Names.Label(pt.Resume))
	case source.KindAwaitJob, source.KindAwait:
		inPlace, held := "", p.mention(pt.Held, ir.AsValue)
		if pt.Kind == source.KindAwaitJob && p.fn.mayNest() {
			inPlace = fmt.Sprintf(" || %s.RunInPlace(&%s.Frame, %d, %s)", run, recv, pt.Number, held)
		}
		p.line("if %s.IsCompleted() && %s.Proceed()%s {\ngoto %s\n}", held, run, inPlace, p.fn.Names.Label(pt.Resume))
	}
	if pt.Kind == source.KindLoop {
		p.line("if %s.%s(%s) {\ngoto %s\n}", p.mention(pt.Loop, ir.AsValue), pt.Method, run, p.fn.Names.Label(pt.Resume))
	}
	if pt.Kind == source.KindDeferred {
		p.endEpilogue()
	}
	p.record("Suspend", pt.Number)
	p.line("%s.State = %d", recv, pt.Number)
	p.letGo(pt.Stale)
	switch pt.Kind {
	case source.KindEnter, source.KindSleep, source.KindLiteral, source.KindValue, source.KindOperation, source.KindDeferred:
		suspended(p.predeclaredName("false"))
	case source.KindAwaitJob, source.KindAwait, source.KindTwin:
		suspended("%s.Await(%s)", run, p.mention(pt.Held, ir.AsValue))
	case source.KindLoop:
		suspended(p.predeclaredName("false"))
	case source.KindEmit:
		suspended(p.predeclaredName("true"))
	case source.KindYield:
		suspended("%s.Yield()", run)
	case source.KindSwitchTo:
		suspended("%s.SwitchTo(&%s.Frame, %s)", run, recv, p.rope(pt.Sched))
	}
}

// letGo clears fields, in the order of the frame.
func (p *printer) letGo(stale []*ir.Slot) {
	var fields, zeros []string
	for _, s := range stale {
		v := s.Vars[0]
		fields = append(fields, p.fn.Names.Recv+"."+v.Field)
		zeros = append(zeros, p.zeroIn(v))
	}
	if len(fields) > 0 {
		p.line("%s = %s // not needed any more", strings.Join(fields, ", "), strings.Join(zeros, ", "))
	}
}

// endEpilogue makes the deferred calls, and ends the function if none of them suspends.
func (p *printer) endEpilogue() {
	recv, defers, run := p.fn.Names.Recv, p.fn.Names.Defers, p.fn.Names.Run
	p.line("if !%s.%s.Next(%s, &%s.Frame) {", recv, defers, run, recv)
	p.record("Finish")
	p.line("%s.%s.End(%s, &%s.Frame)", recv, defers, run, recv)
	p.line("return %s, %s\n}", p.predeclaredName("true"), p.predeclaredName("false"))
}

// deferral prints the code that stores a deferred call in the frame.
func (p *printer) deferral(d *ir.Deferral) {
	block := len(d.Names)+len(d.Tuple) > 0
	if block {
		p.line("{")
	}
	if !d.Late {
		p.deferredTuple(d)
	}
	if len(d.Names) > 0 {
		var vals []string
		for _, v := range d.Vals {
			vals = append(vals, p.rope(v))
		}
		p.line("%s := %s", strings.Join(d.Names, ", "), strings.Join(vals, ", "))
	}
	if d.Late {
		p.deferredTuple(d)
	}
	n := p.fn.Names
	switch {
	case d.Entry != nil:
		p.deferredEntry(d)
	case d.Plain:
		p.line("%s.%s.PushPlain(%s)", n.Recv, n.Defers, p.deferredFunction(d))
	default:
		p.line("%s.%s.Push(func(%s func()) {%s})", n.Recv, n.Defers, n.Raise, p.raising(p.rope(d.Call)))
	}
	if block {
		p.line("}")
	}
}

// raising returns the body of a function that makes a deferred call while the panic, if any, is
// raised. A short body is one line, which needs only one directive.
func (p *printer) raising(call string) string {
	raise := p.fn.Names.Raise + "()"
	if len(call) > maxDeferredCall || strings.Contains(call, "\n") {
		return "\ndefer " + call + "\n" + raise + "\n"
	}
	return " defer " + call + "; " + raise + " "
}

// maxDeferredCall is the length of a deferred call up to which go/format surely leaves it on the
// line of its function literal.
const maxDeferredCall = 50

func (p *printer) deferredEntry(d *ir.Deferral) {
	n := p.fn.Names
	panicking := "_"
	if d.Recovers {
		panicking = n.Panicking
	}
	p.line("%s.%s.PushEntry(func(%s *%s, %s *%s) %s {\n%s\n})", n.Recv, n.Defers,
		n.Run, p.runtime("Run"), panicking, p.runtime("Panicking"), p.runtime("After"), p.rope(d.Entry))
}

func (p *printer) deferredTuple(d *ir.Deferral) {
	if len(d.Tuple) > 0 {
		p.line("%s := %s", strings.Join(d.Tuple, ", "), p.rope(d.Forwarded))
	}
}

// deferredFunction returns a call that does not recover as a function. A literal without
// arguments already is one.
func (p *printer) deferredFunction(d *ir.Deferral) string {
	call := p.rope(d.Call)
	if lit, ok := ast.Unparen(d.Node.Call.Fun).(*ast.FuncLit); ok && lit.Type.Results == nil {
		if literal, ok := strings.CutSuffix(call, "()"); ok && len(d.Node.Call.Args) == 0 {
			return literal
		}
	}
	if strings.Contains(call, "\n") {
		return "func() {\n" + call + "\n}"
	}
	return "func() { " + call + " }"
}
