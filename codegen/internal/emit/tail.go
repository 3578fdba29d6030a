package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// declarationsInTail prints the declarations of a function that needs no frame.
func (fn *function) declarationsInTail() []byte {
	e := fn.emitter()
	if e == nil {
		return nil
	}
	e.asyncInTail()
	e.enterInTail()
	e.machineInTail()
	return []byte(e.String())
}

func (e *emitter) enterInTail() {
	fn, names := e.fn, e.fn.Declared
	params := fn.Names.Run + " *" + e.runtime("Run")
	if list := e.sig.ParamList(); list != "" {
		params += ", " + list
	}
	results := []string{"*" + names.Frame}
	for r := range fn.Signature.Results().Variables() {
		results = append(results, e.typ(r.Type(), fn.Source.Decl.Name))
	}
	e.comment("%s enters %s for another machine. It returns the results, or the suspended callee that will have them.", names.Enter, fn.title())
	e.line("func %s%s(%s) (%s) {", e.sig.ReceiverText(), names.Enter, params, strings.Join(results, ", "))
	if nesting := fn.Tail.Nesting; nesting != nil {
		none := e.predeclaredName("nil")
		e.forward(names.Nested, fn.Names.Run, none, none, "0")
		e.nestedHead(fn.Names.Run, nesting[0], nesting[1], nesting[2], strings.Join(results, ", "))
	}
	e.bodyInTail()
	if names.Nested != "" && fn.Tail.Nesting == nil {
		e.nestedHead(fn.Names.Run, "_", "_", "_", strings.Join(results, ", "))
		e.forward(names.Enter, fn.Names.Run)
	}
	e.comment("%s is the frame of the function whose results %s returns: it keeps nothing of its own while it is suspended.", names.Frame, fn.title())
	frame := e.typ(fn.Tail.Frame, fn.Source.Decl.Name)
	e.line("type %s = %s\n", names.Frame, strings.TrimPrefix(frame, "*"))
}

// bodyInTail prints the body as in the source, except for the return statements.
func (e *emitter) bodyInTail() {
	text := removeMarks(e.span(e.fn.Tail.Text))
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	line := e.fn.Source.Line(e.fn.Tail.Text.Node.Pos())
	if first, rest, more := strings.Cut(text, "\n"); more && strings.TrimSpace(first) == "" {
		text = rest
		line++
	}
	if e.fn.Traces {
		e.more = strings.Count(text, "\n")
	}
	e.directive(line)
	e.more = 0
	e.line("%s", strings.TrimRight(text, " \t\n"))
	e.endOfSource()
	e.line("}\n")
}

// asyncInTail prints FAsync: it calls the entry.
func (e *emitter) asyncInTail() {
	fn, names := e.fn, e.fn.Declared
	result, run, callee, m := e.unlike("result"), e.unlike("r"), e.unlike("callee"), e.unlike("m")
	e.comment("%s starts %s as a state machine and returns its job.", names.Async, fn.title())
	e.line("func %s%s(%s) (%s *%s.Job[%s]) {", e.sig.ReceiverText(), names.Async, e.sig.ParamList(), result, e.path(source.JobPath, "job"), e.arg)
	e.line("var %s %s", run, e.runtime("Run"))
	e.line("defer %s(&%s, &%s)", e.runtime("Catch"), run, result)
	values := e.values(e.unlike)
	call := names.Enter + "("
	if e.sig.Receiver != nil {
		call = e.sig.Receiver.Name + "." + call
	}
	args := "&" + run
	if list := e.sig.ArgList(); list != "" {
		args += ", " + list
	}
	e.line("%s, %s := %s%s)", callee, strings.Join(values, ", "), call, args)
	e.line("if %s == %s {\nreturn %s(%s, %s)\n}", callee, e.predeclaredName("nil"), e.runtime("Completed"), e.context(), e.jobValues(values))
	e.line("%s := &%s{callee: %s}", m, names.Machine, callee)
	e.begin(m, run, "frame")
	e.line("}\n")
}

// values returns the names that hold the results.
func (e *emitter) values(unlike func(string) string) []string {
	var list []string
	for i := range e.fn.Signature.Results().Len() {
		list = append(list, unlike("v"+strconv.Itoa(i)))
	}
	return list
}

// jobValues returns the job's value and error, made from the results.
func (e *emitter) jobValues(values []string) string {
	fail := e.predeclaredName("nil")
	if e.fn.jobResults().Err != nil {
		last := len(values) - 1
		values, fail = values[:last], values[last]
	}
	switch len(values) {
	case 0:
		return e.arg + "{}, " + fail
	case 1:
		return values[0] + ", " + fail
	}
	var fields []string
	for i, v := range values {
		fields = append(fields, fmt.Sprintf("V%d: %s", i+1, v))
	}
	return e.arg + "{" + strings.Join(fields, ", ") + "}, " + fail
}

// machineInTail prints the root of a chain whose first frame is another function's.
func (e *emitter) machineInTail() {
	fn, names := e.fn, e.fn.Declared
	f, t := fn.Names.Recv, fn.Names.Run
	e.comment("%s is %s as the root of a chain: it passes on what the callee returns.", names.Machine, fn.title())
	e.line("type %s struct {\n%s %s[%s]\nframe %s\ncallee *%s\n}\n", names.Machine, builderField, e.runtime("Builder"), e.arg, e.runtime("Frame"), names.Frame)
	e.line("func (%s *%s) MoveNext(%s *%s) %s {", f, names.Machine, t, e.runtime("Run"), e.predeclaredName("bool"))
	values := e.values(func(s string) string { return s })
	e.line("%s := %s.callee.Results(%s)\n%s.callee = %s", strings.Join(values, ", "), f, t, f, e.predeclaredName("nil"))
	e.line("%s.%s.SetResult(%s, %s)\nreturn %s\n}\n", f, builderField, t, e.jobValues(values), e.predeclaredName("true"))
	e.line("func (%s *%s) Root() (%s, %s) {", f, names.Machine, e.runtime("Root"), e.runtime("Location"))
	file, line := fn.Source.InStacks(fn.Tail.Return)
	e.line("return %s, %s{Function: %q, File: %q, Line: %d}\n}", e.rootOfChain(), e.runtime("Location"), fn.Source.RuntimeName(), file, line)
}
