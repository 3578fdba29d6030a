package codegen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// moveNext prints the method that runs the machine:
//
//	func (f *fetchFrame) MoveNext(t *statemachine.Task) bool {
//		var …                        // locals that are mentioned between several labels
//		state := f.State
//		f.State = statemachine.Running
//		switch state { … }           // to where it stopped
//		…                            // the instructions
//	}
func (p *printer) moveNext(receiver string) {
	u, n := p.u, p.u.names
	if u.epilogue != nil {
		p.steps(receiver)
	} else {
		p.line("func (%s %s) %s(%s) %s {", n.recv, receiver, p.runner(), p.runParams(), p.runResults())
	}
	if u.defers && u.epilogue == nil {
		p.line("defer %s.%s.Leave(%s, &%s.Frame, &%s)", n.recv, n.defers, n.task, n.recv, n.finished)
	}
	if u.loops {
		p.line("defer %s.%s.Leave(%s, &%s.Frame, %d, &%s)", n.recv, n.loops, n.task, n.recv, u.unwindingState(), n.finished)
	}
	code := p.body()
	locals := p.locals()
	p.likes()
	p.WriteString(locals)
	for _, l := range u.lifted {
		p.lineOf(l.whole.node)
		p.line("%s", unmarked(p.span(l.whole)))
	}
	if len(u.lifted) > 0 {
		p.endOfSource()
	}
	state := n.first("state", "resumeAt")
	p.line("%s := %s.State", state, n.recv)
	p.line("%s.State = %s", n.recv, p.runtime("Running"))
	p.recordBegin(state)
	p.line("switch %s {\ncase 0:", state)
	for _, pt := range u.parks() {
		p.line("case %d:\ngoto %s", pt.number, n.label(pt.resume))
	}
	if u.epilogue != nil {
		p.line("case %d:\ngoto %s", u.epilogueState(), n.label(u.epilogue))
	}
	if u.loops {
		p.line("case %d:\n%s.%s.Resume(%s)", u.unwindingState(), n.recv, n.loops, n.task)
	}
	p.line("default:\n%s.Misuse(%s)\n}", n.recv, state)
	p.WriteString(code)
	p.endOfSource()
	p.line("}")
}

// steps prints MoveNext of a function whose deferred calls suspend, and the head of its
// steps.
func (p *printer) steps(receiver string) {
	n := p.u.names
	boolean := p.predeclared("bool")
	p.line("func (%s %s) %s(%s) %s {", n.recv, receiver, p.runner(), p.runParams(), boolean)
	p.line("for {\nif %s, %s := %s.%s(%s); !%s {\nreturn %s\n}\n}\n}\n",
		n.finished, n.again, n.recv, n.step, p.runArgs(), n.again, n.finished)
	p.line("// %s runs %s until it suspends, ends or panics; after a panic, the next step begins at its epilogue.", n.step, p.u.title())
	p.line("func (%s %s) %s(%s) (%s, %s %s) {", n.recv, receiver, n.step, p.runParams(), n.finished, n.again, boolean)
	p.line("defer %s.%s.Catch(%s, &%s.Frame, %d, &%s)", n.recv, n.defers, n.task, n.recv, p.u.epilogueState(), n.again)
}

// epilogueState is the value of State that leads to the epilogue.
func (u *unit) epilogueState() int { return len(u.parks()) + 1 }

// unwindingState is the value of State in which a panic waits for a function that is
// ranged over.
func (u *unit) unwindingState() int { return len(u.parks()) + 2 }

// locals declares the variables that live in MoveNext.
func (p *printer) locals() string {
	sub := &printer{u: p.u, at: p.at}
	for _, v := range p.u.all {
		if v.place == inMoveNext && !v.passed && (v.reads > 0 || v.cell) {
			if v.unnamed {
				sub.line("%s := %s", v.local, sub.newOf(v))
				continue
			}
			sub.line("var %s %s", v.local, sub.homeType(v))
		}
	}
	return sub.String()
}

// body prints the instructions, stretch by stretch.
func (p *printer) body() string {
	sub := &printer{u: p.u, at: p.u.line(p.u.node.Pos())}
	var stretch []instr
	flush := func() {
		sub.stretch(stretch)
		stretch = nil
	}
	for _, i := range p.u.code {
		switch i.(type) {
		case *mark, *park, *renew:
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
func (p *printer) stretch(code []instr) {
	first, last := p.scope(code)
	aliased := map[*variable]bool{}
	for n, i := range code {
		if n == first {
			p.line("{")
		}
		if b, ok := i.(borrower); ok {
			b.borrows(func(v *variable) { p.alias(v, aliased) })
		}
		p.instr(i)
		if n == last {
			p.line("}")
		}
	}
}

// alias gives function literals their own name for a variable of the frame or of
// MoveNext: they must keep the variable's cell, or its value, and not the frame.
func (p *printer) alias(v *variable, done map[*variable]bool) {
	if v.place == inBlock || done[v] {
		return
	}
	done[v] = true
	p.line("%s := %s", v.local, p.mention(v, pointer))
}

// scope finds the instructions of a stretch that need a block around them; first
// is negative if none does.
func (p *printer) scope(code []instr) (first, last int) {
	first, last = -1, -1
	for n, i := range code {
		here := false
		i.refs(func(v *variable) { here = here || v.place == inBlock }, func(v *variable) { here = here || v.place == inBlock })
		if b, ok := i.(borrower); ok {
			b.borrows(func(*variable) { here = true })
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

// frame prints the type of the kept variables.
func (p *printer) frame(typeParams string) {
	p.line("// %s is what %s keeps while it is suspended.", p.u.keptName(), p.u.title())
	p.line("type %s%s struct {\n%s", p.u.keptName(), typeParams, p.embedded())
	if p.u.defers && (len(p.u.parks()) > 0 || p.u.self != nil) {
		p.line("%s %s", p.u.names.defers, p.runtime("Defers"))
	}
	if p.u.loops && len(p.u.parks()) > 0 {
		p.line("%s %s", p.u.names.loops, p.runtime("Loops"))
	}
	if p.u.records {
		p.line("%s %s.Steps", p.u.names.steps, p.path(source.RecordPath, "record"))
	}
	var groups [3][]string
	for _, s := range p.u.slots {
		v := s.vars[0]
		groups[s.group()] = append(groups[s.group()], v.field+" "+p.homeType(v))
	}
	for _, fields := range groups {
		if len(fields) > 0 {
			p.line("\n%s", strings.Join(fields, "\n"))
		}
	}
	p.line("}")
}

// embedded is what frames begin with.
func (p *printer) embedded() string {
	if p.u.streams() {
		return p.runtime("Producer") + "[" + p.typ(p.u.fn.Stream.Value, p.u.fn.Decl.Name) + "]"
	}
	return p.runtime("Frame")
}

// group is a field's position in the frame: with the parameters, between, with the
// results.
func (s *slot) group() int {
	switch v := s.vars[0]; {
	case v.param:
		return 0
	case v.result:
		return 2
	}
	return 1
}

// frameOrder are the fields as the frame has them.
func (u *unit) frameOrder() []*slot {
	list := slices.Clone(u.slots)
	slices.SortStableFunc(list, func(a, b *slot) int { return a.group() - b.group() })
	return list
}

// stored reports whether the frame has a field for v.
func (u *unit) stored(v *variable) bool { return !v.param || v.reads > 0 }

// moveNextPlain is MoveNext of a function that never suspends: it calls the plain
// function.
func (e *emitter) moveNextPlain() {
	u, n := e.u, e.u.names
	e.line("func (%s *%s) MoveNext(%s *%s) %s {", n.recv, e.frameType(), n.task, e.runtime("Task"), e.predeclared("bool"))
	e.line("if %[1]s.State != %[2]s {\n%[1]s.Misuse(%[1]s.State)\n}", n.recv, e.runtime("NotStarted"))
	e.line("%s.State = %s", n.recv, e.runtime("Running"))
	place := func(v *variable) string {
		if v.cell { // it has a lock
			return "*" + n.recv + "." + v.field
		}
		return n.recv + "." + v.field
	}
	var left, args []string
	for _, r := range u.results {
		left = append(left, place(r))
	}
	for i, v := range u.params {
		arg := place(v)
		if e.sig.Params[i].Variadic {
			arg += "..."
		}
		args = append(args, arg)
	}
	call := u.fn.Object.Name() + e.sig.TypeArgs + "(" + strings.Join(args, ", ") + ")"
	if u.recv != nil {
		call = n.recv + "." + u.recv.field + "." + call
	}
	if len(left) > 0 {
		call = strings.Join(left, ", ") + " = " + call
	}
	e.line("%s\n%s.State = %s\nreturn %s\n}", call, n.recv, e.runtime("Finished"), e.predeclared("true"))
}

// keepWhole prepares variables for a function that is called as it was written:
// all parameters are passed on, and nothing is shared with it.
func (u *unit) keepWhole() {
	u.whole = true
	u.code = nil
	u.lifted = nil
	u.all = nil
	for i, v := range append(u.given(), u.results...) {
		v.facts = facts{} // what the source does with it, it does to its own variable
		v.cell, v.place, v.reads = false, inFrame, 1
		if v.name == "" || v.name == "_" {
			v.name = "arg" + strconv.Itoa(i)
		}
		u.all = append(u.all, v)
	}
}
