package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// How a frame is started and resumed. The method that runs it is MoveNext, unless some of the
// function's parameters or results need no field (package place, pass.go). Then it is another
// method, which has them as its own parameters and results.

// frame prints the struct of the kept variables.
func (p *printer) frame(typeParams string) {
	switch name := p.fn.keptName(); {
	case p.fn.Whole:
		p.comment("%s is the frame of %s, which never suspends.", name, p.fn.title())
	case name == p.fn.Declared.Locals:
		p.comment("%s is what %s keeps while it is suspended.", name, p.fn.title())
	case slices.ContainsFunc(p.fn.Slots, func(s *ir.Slot) bool { return s.Vars[0].Result }):
		p.comment("%s is the frame of %s: what it keeps while it is suspended, its results among it.", name, p.fn.title())
	default:
		p.comment("%s is the frame of %s: what it keeps while it is suspended.", name, p.fn.title())
	}
	head := p.embeddedType()
	p.line("type %s%s struct {\n%s", p.fn.keptName(), typeParams, head)
	if p.fn.Defers && (len(p.fn.Points()) > 0 || p.fn.Literal != nil) {
		p.line("%s %s", p.fn.Names.Defers, p.runtime("Defers"))
	}
	if p.fn.Loops && len(p.fn.Points()) > 0 {
		p.line("%s %s", p.fn.Names.Loops, p.runtime("Loops"))
	}
	if p.fn.Records {
		p.line("%s %s.Steps", p.fn.Names.Steps, p.path(source.RecordPath, "record"))
	}
	frame := Frame{Name: p.fn.keptName(), Head: head}
	var groups [3][]string
	for _, s := range p.fn.Slots {
		field := Field{s, p.locationType(s.Vars[0])}
		frame.Fields = append(frame.Fields, field)
		groups[group(s)] = append(groups[group(s)], s.Vars[0].Field+" "+field.Type)
	}
	for _, fields := range groups {
		if len(fields) > 0 {
			p.line("\n%s", strings.Join(fields, "\n"))
		}
	}
	p.line("}")
	slices.SortStableFunc(frame.Fields, func(a, b Field) int { return group(a.Slot) - group(b.Slot) })
	p.fn.frames = append(p.fn.frames, frame)
}

// embeddedType returns the type that frames begin with.
func (p *printer) embeddedType() string {
	if p.fn.Streams() {
		return p.runtime("Producer") + "[" + p.typ(p.fn.Source.Stream.Value, p.fn.Source.Decl.Name) + "]"
	}
	return p.runtime("Frame")
}

// group returns a field's position in the frame: with the parameters, in the middle, or with the
// results.
func group(s *ir.Slot) int {
	switch v := s.Vars[0]; {
	case v.Param:
		return 0
	case v.Result:
		return 2
	}
	return 1
}

// keptType returns the type of the kept struct, as its declarations write it.
func (e *emitter) keptType() string { return e.fn.keptName() + e.sig.FrameArgs }

// args prints the type of the parameters that only the start needs, if there are several.
func (e *emitter) args() {
	if !e.fn.passesTogether() {
		return
	}
	e.line("")
	e.comment("%s are the parameters that only the start of %s needs.", e.fn.Declared.Args, e.fn.title())
	e.line("type %s%s struct {", e.fn.Declared.Args, e.sig.FrameParams)
	for _, v := range e.fn.passedOn() {
		e.line("%s %s", v.Local, e.locationType(v))
	}
	e.line("}")
}

// withResults prints the frame that machines call, if it has more fields than the kept struct.
func (e *emitter) withResults() {
	returned := e.fn.passedResults()
	if len(returned) == 0 || !e.fn.isEntered() {
		return
	}
	e.line("")
	e.comment("%s is the frame of %s for a caller that is a machine.", e.fn.Declared.Frame, e.fn.title())
	e.line("type %s%s struct {\n%s %s\n", e.fn.Declared.Frame, e.sig.FrameParams, keptField, e.keptType())
	for _, v := range returned {
		e.line("%s %s", v.Field, e.locationType(v))
	}
	e.line("}")
}

// goOn prints the comment of the method that runs the machine. If that method is not MoveNext, it
// first prints MoveNext.
func (e *emitter) goOn() {
	fn, n := e.fn, e.fn.Names
	runs := "runs %s on to its next suspension (false) or its end (true)."
	switch {
	case fn.Whole:
		runs = "calls %s, which never suspends."
	case fn.Streams():
		runs = "runs %s on to its next suspension (false), or to its next value or its end (true)."
	}
	e.line("")
	if e.runner() == "MoveNext" {
		e.comment("MoveNext "+runs, fn.title())
		return
	}
	if fn.isEntered() {
		e.moveNextByRun()
	}
	note := ""
	switch passed := fn.passedOn(); {
	case fn.passesTogether():
		note = " When it continues, " + n.Args + " is nil."
	case len(passed) > 0:
		note = " The parameter " + passed[0].Local + " is needed only before the first suspension."
	}
	e.comment("%s "+runs+"%s", n.MoveNext, fn.title(), note)
}

// moveNextByRun prints MoveNext of a frame that machines call.
func (e *emitter) moveNextByRun() {
	n := e.fn.Names
	head := "func (" + n.Recv + " *" + e.frameType() + ") MoveNext(" + n.Run + " *" + e.runtime("Run") + ") "
	if len(e.fn.passedResults()) == 0 {
		e.line("%s%s {\nreturn %s\n}\n", head, e.predeclaredName("bool"), e.going(n.Recv, n.Run))
		return
	}
	e.line("%s(%s %s) {", head, n.Finished, e.predeclaredName("bool"))
	e.line("%s%s = %s\nreturn %s\n}\n", n.Finished, e.fields(n.Recv), e.going(n.Recv+"."+keptField, n.Run), n.Finished)
}

// fields returns the fields for the returned results, each after a comma.
func (e *emitter) fields(frame string) string {
	list := ""
	for _, v := range e.fn.passedResults() {
		list += ", " + frame + "." + v.Field
	}
	return list
}

// going returns the call that resumes a frame; it passes zero values for the start's parameters.
func (e *emitter) going(frame, run string) string {
	args := []string{run}
	switch passed := e.fn.passedOn(); {
	case e.fn.passesTogether():
		args = append(args, e.predeclaredName("nil"))
	case len(passed) > 0:
		args = append(args, e.zeroIn(passed[0]))
	}
	return frame + "." + e.runner() + "(" + strings.Join(args, ", ") + ")"
}

// resume prints the call that resumes the frame inside the root of a chain. The root's method
// returns if the function has not ended.
func (e *emitter) resume(machine, run string) {
	call := e.going(machine+"."+keptField, run)
	if len(e.fn.passedResults()) == 0 {
		e.line("if !%s {\nreturn %s\n}%s", call, e.predeclaredName("false"), e.rethrow(run))
		return
	}
	e.line("%s := %s", e.outcome(), call)
	e.line("if !%s {\nreturn %s\n}%s", e.fn.Names.Finished, e.predeclaredName("false"), e.rethrow(run))
}

// start returns a condition that starts a frame, and is true if the function has ended.
func (e *emitter) start(frame, run string) string {
	args := []string{run}
	var fields []string
	for i, v := range e.fn.Inputs() {
		if v.Passed {
			args = append(args, e.argument(i, v))
			fields = append(fields, v.Local+": "+e.argument(i, v))
		}
	}
	if e.fn.passesTogether() {
		args = []string{run, "&" + e.fn.Declared.Args + e.sig.FrameArgs + "{" + strings.Join(fields, ", ") + "}"}
	}
	call := frame + "." + e.runner() + "(" + strings.Join(args, ", ") + ")"
	if len(e.fn.passedResults()) == 0 {
		return call
	}
	return e.outcome() + " := " + call + "; " + e.fn.Names.Finished
}

// rethrow returns a call that raises the panic that an ended frame has left for its caller. Only
// frames with deferred calls or loops over functions can leave one.
func (e *emitter) rethrow(run string) string {
	if (!e.fn.Defers || e.fn.Epilogue != nil) && !e.fn.Loops {
		return ""
	}
	return "\n" + run + ".Rethrow()"
}

// outcome returns names for the results of the method that runs the machine.
func (e *emitter) outcome() string {
	list := e.fn.Names.Finished
	for _, v := range e.fn.passedResults() {
		list += ", " + e.returnedAs(v)
	}
	return list
}

// returnedAs returns the name of one of these results.
func (e *emitter) returnedAs(v *ir.Variable) string {
	return e.unlike("v" + strconv.Itoa(slices.Index(e.fn.Results, v)))
}

// argument returns an entry's argument for variable i of the given ones.
func (e *emitter) argument(i int, v *ir.Variable) string {
	params := e.sig.Params
	if e.fn.Receiver != nil {
		params = append([]typetext.Param{*e.sig.Receiver}, params...)
	}
	var name string
	switch i -= len(params); {
	case i < 0:
		name = params[len(params)+i].Name
	case e.entering:
		name = v.Name
	case v.Cell:
		return e.newCell(v)
	default:
		return e.predeclaredName("nil")
	}
	if v.Cell && !v.Outside {
		return "&" + name
	}
	return name
}

// runner returns the name of the method that runs the machine: MoveNext if nothing is passed.
func (p *printer) runner() string {
	if len(p.fn.passedOn())+len(p.fn.passedResults()) == 0 {
		return "MoveNext"
	}
	return p.fn.Names.MoveNext
}

// runParams returns the parameters of that method.
func (p *printer) runParams() string {
	list := []string{p.fn.Names.Run + " *" + p.runtime("Run")}
	if p.fn.passesTogether() {
		return list[0] + ", " + p.fn.Names.Args + " *" + p.fn.Declared.Args + p.fn.Imports.TypeArgs(p.fn.Source)
	}
	for _, v := range p.fn.passedOn() {
		list = append(list, v.Local+" "+p.locationType(v))
	}
	return strings.Join(list, ", ")
}

// runArgs returns the arguments that pass these parameters on.
func (p *printer) runArgs() string {
	list := []string{p.fn.Names.Run}
	if p.fn.passesTogether() {
		return list[0] + ", " + p.fn.Names.Args
	}
	for _, v := range p.fn.passedOn() {
		list = append(list, v.Local)
	}
	return strings.Join(list, ", ")
}

// runResults returns the results of that method. They have names if deferred code assigns them,
// or if they are variables of the function.
func (p *printer) runResults() string {
	boolean, returned := p.predeclaredName("bool"), p.fn.passedResults()
	if len(returned) == 0 && !p.fn.Defers && !p.fn.Loops {
		return boolean
	}
	list := []string{p.fn.Names.Finished + " " + boolean}
	for _, v := range returned {
		list = append(list, v.Local+" "+p.locationType(v))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// zeroIn returns the zero value of the place of v.
func (p *printer) zeroIn(v *ir.Variable) string {
	if v.Cell || v.Type == nil {
		return p.predeclaredName("nil")
	}
	return p.zeroOf(v.Type, p.typeOf(v))
}
