package codegen

import "strconv"

// Recording: the debug form, in which machines tell package statemachine/record what
// they do, line by line. It is generated for one build of `movenext explain`, and never
// written next to the source.

// reserveSteps names the field of the frame.
func (u *unit) reserveSteps() {
	if u.records {
		u.names.steps = u.names.first("steps", "recorded")
		u.names.fields[u.names.steps] = true
	}
}

// record tells a step that is about a line or a point, if any.
func (p *printer) record(step string, about ...int) {
	if !p.u.records {
		return
	}
	n, args := p.u.names, p.u.names.recv
	for _, number := range about {
		args += ", " + strconv.Itoa(number)
	}
	p.line("%s.%s.%s(%s)", n.recv, n.steps, step, args)
}

// recordBegin tells that MoveNext has been called.
func (p *printer) recordBegin(state string) {
	if p.u.records {
		n := p.u.names
		p.line("%s.%s.Begin(%s, %q, %s)", n.recv, n.steps, n.recv, p.u.runtimeName(), state)
	}
}

// runtimeName is the function as the Go runtime names it; a literal has the number
// that its declarations carry.
func (u *unit) runtimeName() string {
	if u.self == nil {
		return u.fn.RuntimeName()
	}
	for i, l := range u.literals.order {
		if l == u.self {
			return u.fn.RuntimeName() + ".func" + strconv.Itoa(i+1)
		}
	}
	return u.fn.RuntimeName()
}
