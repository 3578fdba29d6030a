package codegen

import "strings"

// How a frame is started and goes on: with what is passed to it (hoist_pass.go), or with
// MoveNext alone where there is nothing to pass.

// goOn prints what stands before the method that runs the machine: MoveNext, if it is another one.
func (e *emitter) goOn() {
	u, n := e.u, e.u.names
	passed := u.passedOn()
	if len(passed) == 0 {
		e.line("\n// MoveNext runs %s from where it stopped to its next suspension (false) or its end (true).", u.title())
		return
	}
	args := []string{n.task}
	for _, v := range passed {
		args = append(args, e.zeroIn(v))
	}
	e.line("\n// MoveNext goes on with %s where it stopped.", u.title())
	e.line("func (%[1]s *%[2]s) MoveNext(%[3]s *%[4]s) %[5]s { return %[1]s.%[6]s(%[7]s) }\n",
		n.recv, e.frameType(), n.task, e.runtime("Task"), e.predeclared("bool"), n.run, strings.Join(args, ", "))
	e.line("// %s runs %s from where it stopped to its next suspension (false) or its end (true). It needs its parameters only when it starts.", n.run, u.title())
}

// start is the call that starts a frame.
func (e *emitter) start(frame, task string) string {
	args := []string{task}
	for i, v := range e.u.given() {
		if v.passed {
			args = append(args, e.argument(i, v))
		}
	}
	return frame + "." + e.runner() + "(" + strings.Join(args, ", ") + ")"
}

// argument is what an entry has for the given variable i.
func (e *emitter) argument(i int, v *variable) string {
	params := e.sig.Params
	if e.u.recv != nil {
		params = append([]ParamText{*e.sig.Receiver}, params...)
	}
	if v.cell && !v.outside {
		return "&" + params[i].Name
	}
	return params[i].Name
}

// runner is the name of the method that runs the machine.
func (p *printer) runner() string {
	if len(p.u.passedOn()) == 0 {
		return "MoveNext"
	}
	return p.u.names.run
}

// runParams are its parameters.
func (p *printer) runParams() string {
	list := []string{p.u.names.task + " *" + p.runtime("Task")}
	for _, v := range p.u.passedOn() {
		list = append(list, v.local+" "+p.homeType(v))
	}
	return strings.Join(list, ", ")
}

// runArgs pass them on.
func (p *printer) runArgs() string {
	list := []string{p.u.names.task}
	for _, v := range p.u.passedOn() {
		list = append(list, v.local)
	}
	return strings.Join(list, ", ")
}

// zeroIn is the zero value of the place of v.
func (p *printer) zeroIn(v *variable) string {
	if v.cell || v.typ == nil {
		return p.predeclared("nil")
	}
	return p.zeroOf(v.typ, p.typeOf(v))
}
