package emit

import (
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
)

// moveNext prints the method that runs the machine:
//
//	func (f *fetchFrame) MoveNext(r *statemachine.Run) bool {
//		var …                        // locals that are mentioned between several labels
//		resumeAt := f.State
//		f.State = statemachine.Finished // unless it suspends
//		switch resumeAt { … }        // to where it stopped
//		…                            // the instructions
//	}
func (p *printer) moveNext(receiver string) {
	fn, n := p.fn, p.fn.Names
	switch {
	case fn.Epilogue != nil:
		p.steps(receiver)
	case fn.Loops:
		p.singleStep(receiver)
	default:
		p.line("func (%s %s) %s(%s) %s {", n.Recv, receiver, p.runner(), p.runParams(), p.runResults())
	}
	if fn.Defers && fn.Epilogue == nil {
		p.line("defer %s.%s.Leave(%s, &%s.Frame, &%s)", n.Recv, n.Defers, n.Run, n.Recv, n.Finished)
	}
	if fn.Loops {
		p.line("defer %s.%s.Leave(%s, &%s.Frame, %d, &%s)", n.Recv, n.Loops, n.Run, n.Recv, fn.unwindingState(), n.Finished)
	}
	code := p.body()
	locals := p.locals()
	p.declareWitnesses()
	p.WriteString(locals)
	for _, l := range fn.Lifted {
		p.lineOf(l.Node)
		p.line("%s%s", removeMarks(p.span(l)), p.commentAfter(l.Node))
	}
	if len(fn.Lifted) > 0 {
		p.endOfSource()
	}
	p.line("%s := %s.State", n.State, n.Recv)
	if fn.endsUnnoticed() {
		p.line("%s.State = %s // unless it suspends", n.Recv, p.runtime("Finished"))
	} else {
		p.line("%s.State = %s", n.Recv, p.runtime("Running"))
	}
	p.recordBegin(n.State)
	p.line("switch %s {\ncase %s:", n.State, p.runtime("NotStarted"))
	for _, pt := range fn.Points() {
		p.line("case %d:\ngoto %s", pt.Number, n.Label(pt.Resume))
	}
	if fn.Epilogue != nil {
		p.line("case %d:\ngoto %s", fn.epilogueState(), n.Label(fn.Epilogue))
	}
	if fn.Loops {
		p.line("case %d:\n%s.%s.Resume(%s)", fn.unwindingState(), n.Recv, n.Loops, n.Run)
	}
	p.line("default:\n%s(%s)\n%s\n}", p.runtime("Misuse"), n.State, p.neverReached())
	p.WriteString(code)
	p.endOfSource()
	p.line("}")
}

// neverReached returns the statement after a call that panics. Without it the compiler would have
// a second way to the start of the function, and put the code there behind that of the first
// resumption; then a debugger would set the breakpoint of a line that suspends at its resumption.
func (p *printer) neverReached() string {
	if results := p.runResults(); strings.HasPrefix(results, "(") {
		return "return"
	}
	return "return " + p.predeclaredName("false")
}

// steps prints MoveNext of a function whose deferred calls suspend, and the head of its
// steps.
func (p *printer) steps(receiver string) {
	n := p.fn.Names
	boolean := p.predeclaredName("bool")
	p.line("func (%s %s) %s(%s) %s {", n.Recv, receiver, p.runner(), p.runParams(), boolean)
	p.exits(p.fn.epilogueState())
	p.line("for {\nif %s, %s := %s.%s(%s); !%s {\n%s = %s\nreturn %s\n}\n}\n}\n",
		n.Finished, n.Again, n.Recv, n.Step, p.runArgs(), n.Again, n.Returned, p.predeclaredName("true"), n.Finished)
	p.comment("%s runs %s until it suspends, ends or panics; after a panic, the next step begins at its epilogue.", n.Step, p.fn.title())
	p.line("func (%s %s) %s(%s) (%s, %s %s) {", n.Recv, receiver, n.Step, p.runParams(), n.Finished, n.Again, boolean)
	p.line("defer %s.%s.Catch(%s, &%s.Frame, %d, &%s)", n.Recv, n.Defers, n.Run, n.Recv, p.fn.epilogueState(), n.Again)
}

// singleStep prints MoveNext of a function with loops and without deferred calls that suspend, and
// the head of its only step.
func (p *printer) singleStep(receiver string) {
	n := p.fn.Names
	p.line("func (%s %s) %s(%s) %s {", n.Recv, receiver, p.runner(), p.runParams(), p.runResults())
	p.exits(0)
	results := []string{n.Finished}
	for _, v := range p.fn.passedResults() {
		results = append(results, v.Local)
	}
	list := strings.Join(results, ", ")
	p.line("%s = %s.%s(%s)\n%s = %s\nreturn %s\n}\n",
		list, n.Recv, n.Step, p.runArgs(), n.Returned, p.predeclaredName("true"), list)
	p.comment("%s runs %s until it suspends or ends.", n.Step, p.fn.title())
	p.line("func (%s %s) %s(%s) %s {", n.Recv, receiver, n.Step, p.runParams(), p.runResults())
}

// exits prints the deferred calls that notice that a step does not return, although it has
// recovered a panic, because the goroutine exits.
func (p *printer) exits(epilogue int) {
	n := p.fn.Names
	p.line("var %s %s", n.Returned, p.predeclaredName("bool"))
	if p.fn.Defers {
		p.line("defer %s.%s.Exit(%s, &%s.Frame, %d, &%s)", n.Recv, n.Defers, n.Run, n.Recv, epilogue, n.Returned)
	}
	if p.fn.Loops {
		p.line("defer %s.%s.Exit(%s, &%s.Frame, &%s)", n.Recv, n.Loops, n.Run, n.Recv, n.Returned)
	}
}

// locals declares the variables that live in MoveNext.
func (p *printer) locals() string {
	sub := &printer{fn: p.fn, pos: p.pos}
	for _, s := range p.fn.Locals {
		v := s.Vars[0]
		if v.Unnamed {
			sub.line("%s := %s", v.Local, sub.newCell(v))
			continue
		}
		sub.line("var %s %s", v.Local, sub.locationType(v))
	}
	return sub.String()
}

// body prints the instructions, stretch by stretch.
func (p *printer) body() string {
	sub := &printer{fn: p.fn, pos: p.fn.Source.Line(p.fn.Node.Pos())}
	var stretch []ir.Instr
	flush := func() {
		sub.stretch(stretch)
		stretch = nil
	}
	for _, i := range p.fn.Code {
		switch i.(type) {
		case *ir.Mark, *ir.Renew:
			flush()
			sub.instr(i)
		default:
			stretch = append(stretch, i)
		}
	}
	flush()
	return sub.String()
}

// stretch prints instructions between two labels. Those from the first declaration to
// the last mention of a declared variable are put into a block, so that no jump enters
// the scope of a variable.
func (p *printer) stretch(code []ir.Instr) {
	first, last := p.scope(code)
	aliased := map[*ir.Variable]bool{}
	for n := 0; n < len(code); n++ {
		if n == first {
			p.line("{")
		}
		if b, ok := code[n].(ir.Borrower); ok {
			b.Borrows(func(v *ir.Variable) { p.alias(v, aliased) })
		}
		printed := p.next(code[n:])
		if n <= last && last < n+printed {
			p.line("}")
		}
		n += printed - 1
	}
}

// alias gives function literals their own name for a variable of the frame or of MoveNext: they
// must capture the variable's cell or its value, and not the frame.
func (p *printer) alias(v *ir.Variable, done map[*ir.Variable]bool) {
	if v.Place == ir.InBlock || done[v] {
		return
	}
	done[v] = true
	p.line("%s := %s", v.Local, p.mention(v, ir.AsPointer))
}

// scope finds the range of instructions in a stretch that need a block around them; first is
// negative if none do.
func (p *printer) scope(code []ir.Instr) (first, last int) {
	first, last = -1, -1
	for n, i := range code {
		here := false
		i.Refs(func(v *ir.Variable) { here = here || v.Place == ir.InBlock }, func(v *ir.Variable) { here = here || v.Place == ir.InBlock })
		if b, ok := i.(ir.Borrower); ok {
			b.Borrows(func(*ir.Variable) { here = true })
		}
		if !here {
			continue
		}
		if first < 0 {
			first = n
		}
		last = n
	}
	return first, last
}

// moveNextPlain is MoveNext of a function that never suspends: it calls the plain
// function.
func (e *emitter) moveNextPlain() {
	fn, n := e.fn, e.fn.Names
	e.line("func (%s *%s) MoveNext(%s *%s) %s {", n.Recv, e.frameType(), n.Run, e.runtime("Run"), e.predeclaredName("bool"))
	e.line("if %[1]s.State != %[2]s {\n%[3]s(%[1]s.State)\n}", n.Recv, e.runtime("NotStarted"), e.runtime("Misuse"))
	e.line("%s.State = %s", n.Recv, e.runtime("Finished"))
	var left, args []string
	for _, r := range fn.Results {
		left = append(left, fieldOf(n.Recv, r))
	}
	for i, v := range fn.Params {
		arg := fieldOf(n.Recv, v)
		if e.sig.Params[i].Variadic {
			arg += "..."
		}
		args = append(args, arg)
	}
	call := fn.Source.Object.Name() + e.sig.TypeArgs + "(" + strings.Join(args, ", ") + ")"
	if fn.Receiver != nil {
		call = n.Recv + "." + fn.Receiver.Field + "." + call
	}
	if len(left) > 0 {
		call = strings.Join(left, ", ") + " = " + call
	}
	e.line("%s\nreturn %s\n}", call, e.predeclaredName("true"))
}
