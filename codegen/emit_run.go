package codegen

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// How a frame starts and continues: with arguments passed to it (hoist_pass.go), or
// with MoveNext alone where there is nothing to pass.

// keptName is the name of the type of what the function keeps while it is suspended:
// the frame, or that without the results.
func (u *unit) keptName() string {
	if len(u.returned()) > 0 {
		return u.named.Locals
	}
	return u.named.Frame
}

// keptType is that type as the function's declarations write it.
func (e *emitter) keptType() string { return e.u.keptName() + e.sig.FrameArgs }

// withResults prints the frame as machines call it, if that is more than the kept part.
func (e *emitter) withResults() {
	returned := e.u.returned()
	if len(returned) == 0 || !e.u.isEntered() {
		return
	}
	e.line("\n// %s is the frame of %s for a caller that is a machine: what it keeps and, at the end, its results.", e.u.named.Frame, e.u.title())
	e.line("type %s%s struct {\n%s\n", e.u.named.Frame, e.sig.FrameParams, e.keptType())
	for _, v := range returned {
		e.line("%s %s", v.field, e.homeType(v))
	}
	e.line("}")
}

// goOn prints what precedes the method that runs the machine: MoveNext, if it is
// another one.
func (e *emitter) goOn() {
	u, n := e.u, e.u.names
	const runs = "runs %s from where it stopped to its next suspension (false) or its end (true)."
	if e.runner() == "MoveNext" {
		e.line("\n// MoveNext "+runs, u.title())
		return
	}
	e.line("")
	if u.isEntered() {
		e.moveNextByRun()
	}
	note := ""
	if len(u.passedOn()) > 0 {
		note = "\n// Its parameters are needed only before the first suspension."
	}
	e.line("// %s "+runs+"%s", n.moveNext, u.title(), note)
}

// moveNextByRun prints MoveNext of what machines call.
func (e *emitter) moveNextByRun() {
	n := e.u.names
	e.line("// MoveNext continues %s where it stopped.", e.u.title())
	head := "func (" + n.recv + " *" + e.frameType() + ") MoveNext(" + n.task + " *" + e.runtime("Task") + ") "
	if len(e.u.returned()) == 0 {
		e.line("%s%s {\nreturn %s\n}\n", head, e.predeclared("bool"), e.going(n.recv, n.task))
		return
	}
	e.line("%s(%s %s) {", head, n.finished, e.predeclared("bool"))
	e.line("%s%s = %s\nreturn %s\n}\n", n.finished, e.fields(n.recv), e.going(n.recv, n.task), n.finished)
}

// isEntered reports whether other machines call the function: all but a literal that
// only runs as a job.
func (u *unit) isEntered() bool { return u.self == nil || u.self.entered }

// fields are those for what is returned, each after a comma.
func (e *emitter) fields(frame string) string {
	list := ""
	for _, v := range e.u.returned() {
		list += ", " + frame + "." + v.field
	}
	return list
}

// going is the call that resumes a frame.
func (e *emitter) going(frame, task string) string {
	args := []string{task}
	for _, v := range e.u.passedOn() {
		args = append(args, e.zeroIn(v))
	}
	return frame + "." + e.runner() + "(" + strings.Join(args, ", ") + ")"
}

// resume prints the same in the machine around it, which returns if the function has
// not ended.
func (e *emitter) resume(machine, task string) {
	if len(e.u.returned()) == 0 {
		e.line("if !%s.%s {\nreturn %s\n}%s", machine, e.going(e.u.named.Frame, task), e.predeclared("false"), e.rethrow(task))
		return
	}
	e.line("%s := %s", e.outcome(), e.going(machine, task))
	e.line("if !%s {\nreturn %s\n}%s", e.u.names.finished, e.predeclared("false"), e.rethrow(task))
}

// start is the condition that starts a frame and holds if the function has ended.
func (e *emitter) start(frame, task string) string {
	args := []string{task}
	for i, v := range e.u.given() {
		if v.passed {
			args = append(args, e.argument(i, v))
		}
	}
	call := frame + "." + e.runner() + "(" + strings.Join(args, ", ") + ")"
	if len(e.u.returned()) == 0 {
		return call
	}
	return e.outcome() + " := " + call + "; " + e.u.names.finished
}

// rethrow raises the panic that an ended frame has left to its caller. Only frames
// whose deferred function recovered it leave one.
func (e *emitter) rethrow(task string) string {
	if (!e.u.defers || e.u.epilogue != nil) && !e.u.loops {
		return ""
	}
	return "\n" + task + ".Rethrow()"
}

// outcome are the names of what running the function has returned.
func (e *emitter) outcome() string {
	list := e.u.names.finished
	for _, v := range e.u.returned() {
		list += ", " + e.returnedAs(v)
	}
	return list
}

// returnedAs is the name of a result there.
func (e *emitter) returnedAs(v *variable) string {
	return e.unlike("v" + strconv.Itoa(slices.Index(e.u.results, v)))
}

// argument is an entry's argument for the given variable i.
func (e *emitter) argument(i int, v *variable) string {
	params := e.sig.Params
	if e.u.recv != nil {
		params = append([]typetext.Param{*e.sig.Receiver}, params...)
	}
	if v.cell && !v.outside {
		return "&" + params[i].Name
	}
	return params[i].Name
}

// runner is the name of the method that runs the machine.
func (p *printer) runner() string {
	if len(p.u.passedOn())+len(p.u.returned()) == 0 {
		return "MoveNext"
	}
	return p.u.names.moveNext
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

// runResults are its results. They have names where other code assigns them, or where
// they are variables of the function.
func (p *printer) runResults() string {
	boolean, returned := p.predeclared("bool"), p.u.returned()
	if len(returned) == 0 && !p.u.defers && !p.u.loops {
		return boolean
	}
	list := []string{p.u.names.finished + " " + boolean}
	for _, v := range returned {
		list = append(list, v.local+" "+p.homeType(v))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// hides reports whether a statement that stays declares the name of a result: a return
// statement in it still assigns the result. Lowered variables have another name anyway.
func (u *unit) hides(result *variable) bool {
	hidden := false
	ast.Inspect(u.node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return node == u.node // others have results of their own
		case *ast.Ident:
			if obj, declares := u.info.Defs[node]; declares && node.Name == result.name {
				hidden = hidden || obj == nil || u.vars[obj] == nil
			}
		}
		return !hidden
	})
	return hidden
}

// zeroIn is the zero value of the place of v.
func (p *printer) zeroIn(v *variable) string {
	if v.cell || v.typ == nil {
		return p.predeclared("nil")
	}
	return p.zeroOf(v.typ, p.typeOf(v))
}
