package emit

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// declarations prints the declarations of the annotated function.
func (fn *function) declarations() []byte {
	e := fn.emitter()
	if e == nil {
		return nil
	}
	if fn.Streams() {
		e.stream()
		e.moving()
		e.types()
		return []byte(e.String())
	}
	e.async()
	if fn.isEntered() {
		e.enter()
	}
	e.moving()
	if fn.isEntered() {
		e.results()
	}
	e.machine()
	e.types()
	return []byte(e.String())
}

// moving prints the frame and the methods that run it.
func (e *emitter) moving() {
	fn := e.fn
	e.frame(e.sig.FrameParams)
	e.args()
	e.withResults()
	e.goOn()
	if fn.Whole {
		e.moveNextPlain()
		return
	}
	e.moveNext("*" + e.keptType())
	if fn.isEntered() || fn.Streams() {
		e.location()
	}
}

// async prints FAsync, the entry for users.
func (e *emitter) async() {
	fn, names := e.fn, e.fn.Declared
	job, result := e.path(source.JobPath, "job"), e.unlike("result")
	run, frame, m := e.unlike("r"), e.unlike("frame"), e.unlike("m")
	e.comment("%s starts %s as a state machine and returns its job.", names.Async, fn.title())
	e.line("func %s%s%s(%s) (%s *%s.Job[%s]) {", e.sig.ReceiverText(), names.Async, e.sig.TypeParams, e.sig.ParamList(), result, job, e.arg)
	e.atDeclaration(func() {
		if plain := e.plainForm(); plain != "" {
			e.line("_ = %s // it is not unused", plain)
		}
		e.line("var %s %s", run, e.runtime("Run"))
		e.line("%s := %s", frame, e.frameLiteral())
		e.line("defer %s(&%s, &%s)", e.runtime("Catch"), run, result)
		e.line("if %s {%s", e.start(frame, "&"+run), e.rethrow(run))
		e.line("return %s(%s, %s)\n}", e.runtime("Completed"), e.context(), e.jobResult(frame))
		e.line("%s := &%s{%s: %s}", m, names.Machine+e.sig.FrameArgs, keptField, frame)
		e.begin(m, run, keptField+".Frame")
	})
	e.line("")
}

// begin prints the start of the chain whose root is m, and whose frame is a field of that. It ends
// FAsync.
func (e *emitter) begin(m, run, frame string) {
	e.line("%[1]s.%[2]s.Chain.Start(&%[1]s.%[2]s.Promise.Job, %[3]s, &%[4]s, %[1]s, &%[1]s.%[5]s)", m, builderField, e.context(), run, frame)
	e.line("return &%s.%s.Promise.Job", m, builderField)
}

// plainForm names the plain form if a linter would report it as unused in a program that calls
// only the twin. A linker leaves it out. One with type parameters would be instantiated, so it is
// not named.
func (e *emitter) plainForm() string {
	name := e.fn.Source.Decl.Name
	if name.IsExported() || e.sig.FrameArgs != "" {
		return ""
	}
	if e.sig.Receiver == nil {
		return name.Name
	}
	receiver := e.sig.Receiver.Type
	for _, p := range append(e.sig.Params, *e.sig.Receiver) {
		if p.Name == strings.TrimPrefix(receiver, "*") {
			return "" // it hides the type
		}
	}
	return "(" + receiver + ")." + name.Name
}

// frameLiteral returns a frame with its parameters set.
func (e *emitter) frameLiteral() string {
	var fields []string
	for i, v := range e.fn.Inputs() {
		if v.Stored() && !v.Passed && (v.Cell || e.entering || !slices.Contains(e.fn.Companions, v)) {
			fields = append(fields, v.Field+": "+e.argument(i, v))
		}
	}
	for _, v := range e.fn.Results {
		if v.Cell {
			fields = append(fields, v.Field+": "+e.newCell(v))
		}
	}
	return e.keptType() + "{" + strings.Join(fields, ", ") + "}"
}

// jobResult returns the value and the error of a finished frame for the job.
func (e *emitter) jobResult(frame string) string {
	var values []string
	for i := range e.fn.Results {
		values = append(values, e.result(frame, i))
	}
	return e.jobValues(values)
}

// result returns result i of a finished frame: its field, or the value that running it returned.
func (e *emitter) result(frame string, i int) string {
	v := e.fn.Results[i]
	if v.Passed {
		return e.returnedAs(v)
	}
	return fieldOf(frame, v)
}

// fieldOf returns the value of a result that has a field.
func fieldOf(frame string, v *ir.Variable) string {
	if v.Cell {
		return "*" + frame + "." + v.Field
	}
	return frame + "." + v.Field
}

// enter prints FEnter, the entry for other machines.
func (e *emitter) enter() {
	fn, names := e.fn, e.fn.Declared
	run, frame, m := e.unlike("r"), e.unlike("frame"), e.unlike("m")
	params := run + " *" + e.runtime("Run") + e.paramLists()
	results := []string{"*" + e.frameType()}
	zeros, values := m, e.predeclaredName("nil")
	for i, r := range fn.Results {
		spelled := e.typ(r.Type, fn.Source.Decl.Name)
		results = append(results, spelled)
		zeros += ", " + e.zeroOf(r.Type, spelled)
		values += ", " + e.result(frame, i)
	}
	returns := "the results or, suspended, the frame that will have them"
	if fn.Whole {
		returns = "the results: it never suspends"
	}
	e.comment("%s enters %s for another machine. It returns %s.", names.Enter, fn.title(), returns)
	e.line("func %s%s%s(%s) (%s) {", e.sig.ReceiverText(), names.Enter, e.sig.TypeParams, params, strings.Join(results, ", "))
	nested := fn.Literal == nil && names.Nested != "" && !fn.Debug
	promotes := nested && fn.onStack()
	if promotes {
		e.forward(names.Nested, run, e.predeclaredName("nil"), e.predeclaredName("nil"), "0")
		e.nestedHead(run, e.unlike("caller"), e.unlike("callee"), e.unlike("at"), strings.Join(results, ", "))
	}
	e.entering = true
	defer func() { e.entering = false }()
	e.atDeclaration(func() {
		e.line("%s := %s", frame, e.frameLiteral())
		if promotes {
			caller := e.unlike("caller")
			e.line("%s.Nest(&%s.Frame, %s)", run, frame, caller)
			e.line("defer func() {\nif %s.Exiting() {", run)
			e.promote(m, frame)
			e.push(run, m)
			e.line("*%s, %s.State = %s, %s\n}\n}()", e.unlike("callee"), caller, m, e.unlike("at"))
		}
		e.line("if %s {%s\nreturn %s\n}", e.start(frame, run), e.rethrow(run), values)
		e.promote(m, frame)
		e.push(run, m)
		e.line("return %s", zeros)
	})
	e.line("")
	if nested && !promotes {
		e.nestedHead(run, "_", "_", "_", strings.Join(results, ", "))
		e.forward(names.Enter, run)
	}
}

// promote prints the copy of the frame to the heap, for a caller that is a machine.
func (e *emitter) promote(m, frame string) {
	if len(e.fn.passedResults()) > 0 {
		e.line("%s := &%s{%s: %s}", m, e.frameType(), keptField, frame)
	} else {
		e.line("%s := %s\n*%s = %s", m, e.newValue(e.frameType()), m, frame)
	}
}

// push prints the call that puts the promoted frame m into the chain.
func (e *emitter) push(run, m string) {
	e.line("%s.Push(%s, %s, &%s.Frame)", run, e.context(), m, e.kept(m))
}

// kept returns the kept struct of a frame that machines call.
func (e *emitter) kept(frame string) string {
	if len(e.fn.passedResults()) > 0 {
		return frame + "." + keptField
	}
	return frame
}

// nestedHead prints the head of fNested, the entry for callers whose frames may be on the stack.
func (e *emitter) nestedHead(run, caller, callee, at, results string) {
	names := e.fn.Declared
	e.comment("%s is %s for a caller whose frame may be on the stack: its field for the callee and its state are set if a job that is run in place exits.", names.Nested, names.Enter)
	params := fmt.Sprintf("%s *%s, %s *%s, %s **%s, %s %s", run, e.runtime("Run"), caller, e.runtime("Frame"), callee, e.frameType(), at, e.predeclaredName("int32"))
	e.line("func %s%s%s(%s) (%s) {", e.sig.ReceiverText(), names.Nested, e.sig.TypeParams, params+e.paramLists(), results)
}

// paramLists declares the parameters of an entry after those of its own: the companions, then the
// function's.
func (e *emitter) paramLists() string {
	list := ""
	for _, v := range e.fn.Companions {
		list += ", " + v.Name + " " + e.typeOf(v)
	}
	if own := e.sig.ParamList(); own != "" {
		list += ", " + own
	}
	return list
}

// forward prints a body that calls another entry, with the given first arguments.
func (e *emitter) forward(entry string, first ...string) {
	if e.sig.Receiver != nil {
		entry = e.sig.Receiver.Name + "." + entry
	} else {
		entry += e.sig.FrameArgs
	}
	for _, v := range e.fn.Companions {
		first = append(first, v.Name)
	}
	if list := e.sig.ArgList(); list != "" {
		first = append(first, list)
	}
	e.atDeclaration(func() { e.line("return %s(%s)", entry, strings.Join(first, ", ")) })
	e.line("")
}

// results prints the method by which a caller gets the results.
func (e *emitter) results() {
	fn := e.fn
	f, t := fn.Names.Recv, fn.Names.Run
	var types []string
	for _, r := range fn.Results {
		types = append(types, e.typ(r.Type, fn.Source.Decl.Name))
	}
	list := ""
	switch len(types) {
	case 0:
	case 1:
		list = types[0] + " "
	default:
		list = "(" + strings.Join(types, ", ") + ") "
	}
	e.line("")
	e.line("func (%s *%s) Results(%s *%s) %s{", f, e.frameType(), t, e.runtime("Run"), list)
	e.atDeclaration(func() {
		e.line("%s.Rethrow()", t)
		var fields []string
		for _, r := range fn.Results {
			if r.Passed {
				fields = append(fields, fieldOf(f, r))
			} else {
				fields = append(fields, fieldOf(e.kept(f), r))
			}
		}
		if len(fields) > 0 {
			e.line("return %s", strings.Join(fields, ", "))
		}
	})
}

// machine prints the root of a chain of calls.
func (e *emitter) machine() {
	fn, names := e.fn, e.fn.Declared
	f, t := fn.Names.Recv, fn.Names.Run
	builder, parts := e.runtime("Builder"), "chain, job and frame"
	if fn.Literal != nil {
		builder, parts = e.runtime("Spawned"), "chain and frame"
	}
	e.line("")
	e.comment("%s is %s as the root of a chain: %s in one allocation.", names.Machine, fn.title(), parts)
	e.line("type %s%s struct {\n%s %s[%s]\n%s %s\n}\n", names.Machine, e.sig.FrameParams, builderField, builder, e.arg, keptField, e.keptType())
	e.line("func (%s *%s) MoveNext(%s *%s) %s {", f, names.Machine+e.sig.FrameArgs, t, e.runtime("Run"), e.predeclaredName("bool"))
	e.atDeclaration(func() {
		e.resume(f, t)
		e.line("%s.%s.SetResult(%s, %s)", f, builderField, t, e.jobResult(f+"."+keptField))
		if fn.Literal == nil && fn.keepsAlive() && !fn.Debug {
			e.line("%[1]s.%[2]s = %[3]s{Frame: %[1]s.%[2]s.Frame} // the job keeps nothing else alive", f, keptField, e.keptType())
		}
		e.line("return %s", e.predeclaredName("true"))
	})
	e.root()
}

// types prints the types that the function declares in its body.
func (e *emitter) types() {
	for _, t := range e.fn.Types {
		e.line("")
		e.comment("%s is the type %s of %s.", t.Name, t.Object.Name(), e.fn.title())
		params := e.sig.FrameParams
		if named, ok := t.Object.Type().(*types.Named); ok {
			own, _, err := e.fn.Imports.TypeParams(named.TypeParams())
			if err != nil {
				e.fn.refuse(unnameableType(e.fn.Source.Extent(t.Spec), err))
			}
			params = typetext.WithOwn(params, own)
		}
		e.line("type %s%s %s", t.Name, params, e.typ(t.Object.Type().Underlying(), t.Spec))
	}
}

// literal prints the declarations of a function literal.
func (fn *function) literal() []byte {
	e := fn.emitter()
	if e == nil {
		return nil
	}
	e.line("")
	if fn.Literal.Started {
		e.firstStep()
	}
	if fn.Literal.Entered {
		e.enter()
	}
	e.moving()
	if fn.Literal.Entered {
		e.results()
	}
	if fn.Literal.Started {
		e.machine()
	}
	return []byte(e.String())
}

// firstStep prints the literal as the runtime calls it.
func (e *emitter) firstStep() {
	names := e.fn.Declared
	run, frame, m := e.unlike("r"), e.unlike("frame"), e.unlike("m")
	var results, values, suspended []string
	for i, r := range e.fn.Results {
		spelled := e.typ(r.Type, e.fn.Node)
		results, values = append(results, spelled), append(values, e.result(frame, i))
		suspended = append(suspended, e.zeroOf(r.Type, spelled))
	}
	suspend := fmt.Sprintf("%[1]s.%[2]s.Chain.Suspend(%[3]s, &%[4]s, %[1]s, &%[1]s.%[5]s.Frame)", m, builderField, e.context(), run, keptField)
	suspended[len(suspended)-1] = suspend
	promote := func() { e.line("%s := &%s{%s: %s}", m, names.Machine+e.sig.FrameArgs, keptField, frame) }
	e.comment("%s is %s for the runtime to call. It returns the results, or an error that reports its suspension.", names.Async, e.fn.title())
	e.line("func %s%s(%s) (%s) {", names.Async, e.sig.TypeParams, e.sig.ParamList(), strings.Join(results, ", "))
	e.line("var %s %s", run, e.runtime("Run"))
	e.line("%s := %s", frame, e.frameLiteral())
	e.line("defer %s(&%s)", e.runtime("Fail"), run)
	if e.fn.onStack() {
		e.line("%s.Host(&%s.Frame, %s)", run, frame, e.context())
		e.line("defer func() {\nif %s.Exiting() {", run)
		promote()
		e.line("panic(%s) // continues elsewhere\n}\n}()", suspend)
	}
	e.line("if %s {%s", e.start(frame, "&"+run), e.rethrow(run))
	e.line("return %s\n}", strings.Join(values, ", "))
	promote()
	e.line("return %s\n}\n", strings.Join(suspended, ", "))
}

// stream prints the twin of a stream.
func (e *emitter) stream() {
	fn, names := e.fn, e.fn.Declared
	value := e.typ(fn.Source.Stream.Value, fn.Source.Decl.Name)
	e.comment("%s returns the stream of [%s]: each range over it runs the function as a state machine.", names.Async, fn.Source.DocName())
	e.line("func %s%s%s(%s) *%s.Stream[%s] {", e.sig.ReceiverText(), names.Async, e.sig.TypeParams, e.sig.ParamList(), e.path(source.JobPath, "job"), value)
	e.line("return %s(%s, func(%s) %s[%s, %s] {", e.runtime("Stream"), e.context(), e.pulledContext(), e.runtime("Iteration"), value, e.predeclaredName("error"))
	e.line("return &%s\n})\n}\n", e.frameLiteral())
}

// pulledContext returns the parameter of the function that makes the machines of a stream. It
// hides the stream's own context, so that the machine uses the context of the pull instead. A
// context that the function assigns is shared by all ranges, as a variable, and stays as it is.
func (e *emitter) pulledContext() string {
	typ := e.path("context", "context") + ".Context"
	name := e.sig.Context()
	for i, v := range e.fn.Inputs() {
		if v.Stored() && !v.Passed && !v.Cell && e.argument(i, v) == name {
			return name + " " + typ
		}
	}
	return typ
}
