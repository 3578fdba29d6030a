package codegen

import (
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

func (i *park) print(p *printer) {
	pt, recv, task := i.point, p.u.names.recv, p.u.names.task
	suspended := func(how string, args ...any) {
		rest := ""
		if p.u.epilogue != nil {
			rest = ", " + p.predeclared("false")
		}
		for _, v := range p.u.returned() {
			rest += ", " + p.zeroIn(v)
		}
		p.line("return "+how+rest, args...)
	}
	switch pt.kind {
	case source.KindEnter, source.KindLiteral, source.KindValue, source.KindOperation:
		p.line("if %s == %s {\ngoto %s\n}", p.mention(pt.held, value), p.predeclared("nil"), p.u.names.label(pt.resumed))
	case source.KindSleep:
		p.line("if !%s {\ngoto %s\n}", p.mention(pt.asleep, value), p.u.names.label(pt.resumed))
	case source.KindAwaitJob, source.KindAwait, source.KindTwin:
		p.line("if %s.IsCompleted() && %s.Proceed() {\ngoto %s\n}", p.mention(pt.held, value), task, p.u.names.label(pt.resume))
	}
	if pt.kind == source.KindLoop {
		p.line("if %s.%s(%s) {\ngoto %s\n}", p.mention(pt.loop, value), pt.method, task, p.u.names.label(pt.resume))
	}
	if pt.kind == source.KindDeferred {
		p.endEpilogue()
	}
	p.record("Suspend", pt.number)
	p.line("%s.State = %d", recv, pt.number)
	p.letGo(pt.stale)
	switch pt.kind {
	case source.KindEnter, source.KindSleep, source.KindLiteral, source.KindValue, source.KindOperation, source.KindDeferred:
		suspended(p.predeclared("false"))
	case source.KindAwaitJob, source.KindAwait, source.KindTwin:
		suspended("%s.Await(%s)", task, p.mention(pt.held, value))
	case source.KindLoop:
		suspended(p.predeclared("false"))
	case source.KindEmit:
		suspended(p.predeclared("true"))
	case source.KindYield:
		suspended("%s.Yield()", task)
	case source.KindSwitchTo:
		suspended("%s.SwitchTo(&%s.Frame, %s)", task, recv, p.rope(pt.sched))
	}
}

// letGo empties fields, in the order of the frame.
func (p *printer) letGo(stale []*slot) {
	var fields, zeros []string
	for _, s := range stale {
		v := s.vars[0]
		fields = append(fields, p.u.names.recv+"."+v.field)
		zeros = append(zeros, p.zeroIn(v))
	}
	if len(fields) > 0 {
		p.line("%s = %s // not needed any more", strings.Join(fields, ", "), strings.Join(zeros, ", "))
	}
}

// endEpilogue makes the deferred calls, and ends the function if none of them suspends.
func (p *printer) endEpilogue() {
	recv, defers, task := p.u.names.recv, p.u.names.defers, p.u.names.task
	p.line("if !%s.%s.Next(%s, &%s.Frame) {", recv, defers, task, recv)
	p.record("Finish")
	p.line("%s.%s.End(%s, &%s.Frame)", recv, defers, task, recv)
	p.line("return %s, %s\n}", p.predeclared("true"), p.predeclared("false"))
}
