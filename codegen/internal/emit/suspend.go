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
	p.passUnlessSuspending(pt)
	if pt.Kind == source.KindDeferred {
		p.endEpilogue()
	}
	inPlace := pt.Kind == source.KindAwaitJob && p.fn.mayNest()
	if inPlace {
		p.runInPlace(pt)
	}
	p.record("Suspend", pt.Number)
	p.line("%s.State = %d", p.fn.Names.Recv, pt.Number)
	p.letGo(pt.Stale)
	if pt.Awaited != nil && !inPlace {
		p.holdAwaited(pt)
	}
	p.line("return %s%s", p.suspended(pt), p.restOfResults())
}

// passUnlessSuspending prints the condition on which the machine continues without suspending,
// and the jump past the suspension. Some points always suspend.
func (p *printer) passUnlessSuspending(pt *ir.Point) {
	pass := func(label *ir.Label, condition string, args ...any) {
		p.line("if %s {\ngoto %s\n}", fmt.Sprintf(condition, args...), p.fn.Names.Label(label))
	}
	switch pt.Kind {
	case source.KindEnter, source.KindLiteral, source.KindValue, source.KindKept:
		pass(pt.Resumed, "%s == %s", p.mention(pt.Held, ir.AsValue), p.predeclaredName("nil"))
	case source.KindSleep:
		pass(pt.Resumed, "!%s", p.mention(pt.Asleep, ir.AsValue))
	case source.KindTwin:
		pass(pt.Resume, "%s(%s, %s)", p.runtime("TwinEnded"), p.fn.Names.Run, p.mention(pt.Held, ir.AsValue))
	case source.KindAwaitJob:
		first := ""
		if p.obtains != nil {
			first = p.lefts(p.obtains) + " = " + p.rope(p.obtains.Src) + "; "
		}
		pass(pt.Resumed, "%s%s.IsCompleted() && %s.Proceed()", first, p.mention(pt.Awaited, ir.AsValue), p.fn.Names.Run)
	case source.KindAwait:
		pass(pt.Resume, "%s.IsCompleted() && %s.Proceed()", p.mention(pt.Held, ir.AsValue), p.fn.Names.Run)
	case source.KindLoop:
		pass(pt.Resume, "%s.%s(%s)", p.mention(pt.Loop, ir.AsValue), pt.Method, p.fn.Names.Run)
	}
}

// awaitsAtOnce reports whether the instructions begin with an assignment of the job that is
// awaited next. If it is short, one if statement has both, which need only one directive.
func (p *printer) awaitsAtOnce(code []ir.Instr) bool {
	if len(code) < 2 || p.fn.Debug {
		return false
	}
	assign, ok := code[0].(*ir.Assign)
	park, parks := code[1].(*ir.Park)
	if !ok || !parks || park.Point.Kind != source.KindAwaitJob || len(assign.Dst) != 1 || assign.Dst[0].V != park.Point.Awaited {
		return false
	}
	job := p.rope(assign.Src)
	return len(job) <= maxAwaited && !strings.ContainsAny(job, "{\n")
}

// maxAwaited is the length of an expression for a job up to which it is in an if statement.
const maxAwaited = 60

// runInPlace prints the attempt to run the awaited job within the machine. The frame holds the job
// meanwhile, since it is promoted if the job calls runtime.Goexit.
func (p *printer) runInPlace(pt *ir.Point) {
	n := p.fn.Names
	p.holdAwaited(pt)
	p.line("if %s.RunInPlace(&%s.Frame, %d, %s) {\ngoto %s\n}", n.Run, n.Recv, pt.Number, p.mention(pt.Awaited, ir.AsValue), n.Label(pt.Resume))
}

// holdAwaited prints the assignment of the awaited job to its field.
func (p *printer) holdAwaited(pt *ir.Point) {
	p.line("%s = %s", p.mention(pt.Held, ir.AsValue), p.mention(pt.Awaited, ir.AsValue))
}

// suspended returns the first result of a suspension, false except for an item of a stream, as
// the call that records what the machine waits for, if there is one.
func (p *printer) suspended(pt *ir.Point) string {
	run := p.fn.Names.Run
	switch pt.Kind {
	case source.KindAwaitJob:
		return fmt.Sprintf("%s.Await(%s)", run, p.mention(pt.Awaited, ir.AsValue))
	case source.KindAwait, source.KindTwin:
		return fmt.Sprintf("%s.Await(%s)", run, p.mention(pt.Held, ir.AsValue))
	case source.KindEmit:
		return p.predeclaredName("true")
	case source.KindYield:
		return run + ".Yield()"
	case source.KindSwitchTo:
		return fmt.Sprintf("%s.SwitchTo(%s)", run, p.rope(pt.Move))
	}
	return p.predeclaredName("false")
}

// restOfResults returns what follows the first result of a suspension: that no other step is to
// begin, if the machine runs in steps, and zero values of the results that MoveNext passes.
func (p *printer) restOfResults() string {
	rest := ""
	if p.fn.Epilogue != nil {
		rest = ", " + p.predeclaredName("false")
	}
	for _, v := range p.fn.passedResults() {
		rest += ", " + p.zeroIn(v)
	}
	return rest
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
		p.line("%s.%s.PushPlain(%s)%s", n.Recv, n.Defers, p.deferredFunction(d), p.commentAfter(d.Node))
	default:
		p.line("%s.%s.Push(func(%s func()) {%s})%s", n.Recv, n.Defers, n.Raise, p.raising(p.rope(d.Call)), p.commentAfter(d.Node))
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
