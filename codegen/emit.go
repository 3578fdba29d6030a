package codegen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// emit prints all declarations of the function.
func (u *unit) emit() []byte {
	e := u.emitter()
	if e == nil {
		return nil
	}
	if u.streams() {
		e.stream()
		e.moving()
		e.types()
		return []byte(e.String())
	}
	e.async()
	e.enter()
	e.moving()
	e.results()
	e.machine()
	e.types()
	return []byte(e.String())
}

// moving prints the frame and what moves it.
func (e *emitter) moving() {
	u := e.u
	e.frame(e.sig.FrameParams)
	e.withResults()
	e.goOn()
	if u.whole {
		e.moveNextPlain()
		return
	}
	e.moveNext("*" + e.keptType())
	e.location()
}

// emitter prints everything around MoveNext.
type emitter struct {
	*printer
	sig typetext.Signature
	arg string // T of the job
}

// frameType is the frame's type as the function's declarations write it.
func (e *emitter) frameType() string { return e.u.named.Frame + e.sig.FrameArgs }

// context is the function's first context parameter, or one that brings no home.
func (e *emitter) context() string {
	if ctx := e.sig.Context(); ctx != "nil" {
		return ctx
	}
	return e.path("context", "context") + ".Background()"
}

// unlike is name, or a variant that is no parameter and nothing else that the
// generated functions mention.
func (e *emitter) unlike(name string) string {
	taken := map[string]bool{}
	for _, p := range e.sig.Params {
		taken[p.Name] = true
	}
	if e.sig.Receiver != nil {
		taken[e.sig.Receiver.Name] = true
	}
	for i := 1; ; i++ {
		s := name
		if i > 1 {
			s += fmt.Sprint(i)
		}
		if !taken[s] && e.u.names.safe(s) {
			return s
		}
	}
}

// async prints FAsync, the entry for users.
func (e *emitter) async() {
	u, names := e.u, e.u.named
	job, result := e.path(source.JobPath, "job"), e.unlike("result")
	t, frame, m := e.unlike("t"), e.unlike("frame"), e.unlike("m")
	e.line("// %s starts %s as a state machine and returns its job.", names.Async, u.title())
	e.line("func %s%s%s(%s) (%s *%s.Job[%s]) {", e.sig.ReceiverText(), names.Async, e.sig.TypeParams, e.sig.ParamList(), result, job, e.arg)
	e.atDeclaration(func() {
		e.line("var %s %s", t, e.runtime("Task"))
		e.line("%s := %s", frame, e.frameLiteral())
		e.line("defer %s(&%s, &%s)", e.runtime("Catch"), t, result)
		e.line("if %s {%s", e.start(frame, "&"+t), e.rethrow(t))
		e.line("return %s(%s, %s)\n}", e.runtime("Completed"), e.context(), e.jobResult(frame))
		e.line("%s := &%s{%s: %s}", m, names.Machine+e.sig.FrameArgs, u.keptName(), frame)
		e.line("return %s.Start(%s, &%s, %s)", m, e.context(), t, m)
	})
	e.line("")
}

// frameLiteral is a frame with the parameters in it.
func (e *emitter) frameLiteral() string {
	var fields []string
	for i, v := range e.u.given() {
		if e.u.stored(v) && !v.passed {
			fields = append(fields, v.field+": "+e.argument(i, v))
		}
	}
	for _, v := range e.u.results {
		if v.cell {
			fields = append(fields, v.field+": "+e.newOf(v))
		}
	}
	return e.keptType() + "{" + strings.Join(fields, ", ") + "}"
}

// jobResult is what the job takes from a finished frame: value and error.
func (e *emitter) jobResult(frame string) string {
	var values []string
	for i := range e.u.results {
		values = append(values, e.result(frame, i))
	}
	return e.jobValues(values)
}

// result is result i of a finished frame, or what running it has returned.
func (e *emitter) result(frame string, i int) string {
	v := e.u.results[i]
	if v.passed {
		return e.returnedAs(v)
	}
	return fieldOf(frame, v)
}

// fieldOf is the value of a result that has a field.
func fieldOf(frame string, v *variable) string {
	if v.cell {
		return "*" + frame + "." + v.field
	}
	return frame + "." + v.field
}

// enter prints FEnter, the entry for other machines.
func (e *emitter) enter() {
	u, names := e.u, e.u.named
	t, frame, m := e.unlike("t"), e.unlike("frame"), e.unlike("m")
	params := t + " *" + e.runtime("Task")
	if list := e.sig.ParamList(); list != "" {
		params += ", " + list
	}
	results := []string{"*" + e.frameType()}
	zeros, values := m, e.predeclared("nil")
	for i, r := range u.results {
		spelled := e.typ(r.typ, u.fn.Decl.Name)
		results = append(results, spelled)
		zeros += ", " + e.zeroOf(r.typ, spelled)
		values += ", " + e.result(frame, i)
	}
	e.line("// %s enters %s for another machine. It returns the results, or the suspended frame that will have them.", names.Enter, u.title())
	e.line("func %s%s%s(%s) (%s) {", e.sig.ReceiverText(), names.Enter, e.sig.TypeParams, params, strings.Join(results, ", "))
	e.atDeclaration(func() {
		e.line("%s := %s", frame, e.frameLiteral())
		e.line("if %s {%s\nreturn %s\n}", e.start(frame, t), e.rethrow(t), values)
		if len(u.returned()) > 0 {
			e.line("%s := &%s{%s: %s}", m, e.frameType(), u.keptName(), frame)
		} else {
			e.line("%s := %s\n*%s = %s", m, e.newValue(e.frameType()), m, frame)
		}
		e.line("%s.Push(%s, %s)\nreturn %s", t, e.context(), m, zeros)
	})
	e.line("")
}

// results prints the method by which a caller gets them.
func (e *emitter) results() {
	u := e.u
	f, t := u.names.recv, u.names.task
	var types []string
	for _, r := range u.results {
		types = append(types, e.typ(r.typ, u.fn.Decl.Name))
	}
	list := ""
	switch len(types) {
	case 0:
	case 1:
		list = types[0] + " "
	default:
		list = "(" + strings.Join(types, ", ") + ") "
	}
	e.line("\n// Results returns what %s returned, or raises again the panic that ended it.", u.title())
	e.line("func (%s *%s) Results(%s *%s) %s{", f, e.frameType(), t, e.runtime("Task"), list)
	e.atDeclaration(func() {
		e.line("%s.Rethrow()", t)
		var fields []string
		for _, r := range u.results {
			fields = append(fields, fieldOf(f, r))
		}
		if len(fields) > 0 {
			e.line("return %s", strings.Join(fields, ", "))
		}
	})
}

// machine prints the root of a chain of calls.
func (e *emitter) machine() {
	u, names := e.u, e.u.named
	f, t := u.names.recv, u.names.task
	builder, parts := e.runtime("Builder"), "chain, job and frame"
	if u.self != nil {
		builder, parts = e.runtime("Spawned"), "chain and frame"
	}
	e.line("\n// %s is the root of a chain of calls that begins with %s: %s in one allocation.", names.Machine, u.title(), parts)
	e.line("type %s%s struct {\n%s[%s]\n%s\n}\n", names.Machine, e.sig.FrameParams, builder, e.arg, e.keptType())
	e.line("// MoveNext runs the frame and completes the job when it has finished.")
	e.line("func (%s *%s) MoveNext(%s *%s) %s {", f, names.Machine+e.sig.FrameArgs, t, e.runtime("Task"), e.predeclared("bool"))
	e.atDeclaration(func() {
		e.resume(f, t)
		e.line("%s.SetResult(%s, %s)", f, t, e.jobResult(f))
		if u.self == nil && u.keepsAlive() && !u.debug {
			e.line("%[1]s.%[2]s = %[3]s{Frame: %[1]s.%[2]s.Frame} // the job keeps nothing else alive", f, u.keptName(), e.keptType())
		}
		e.line("return %s", e.predeclared("true"))
	})
}

// types prints the types that the function declares in its body.
func (e *emitter) types() {
	for _, t := range e.u.types {
		e.line("\n// %s is the type %s of %s.", t.name, t.obj.Name(), e.u.title())
		params := e.sig.FrameParams
		if named, ok := t.obj.Type().(*types.Named); ok {
			own, _, err := e.u.imports.TypeParams(named.TypeParams())
			if err != nil {
				e.u.refuse(unnameableType(e.u.at(t.spec), err))
			}
			params = typetext.WithOwn(params, own)
		}
		e.line("type %s%s %s", t.name, params, e.typ(t.obj.Type().Underlying(), t.spec))
	}
}

// at is the place of a finding.
func (u *unit) at(n ast.Node) extent { return u.extent(n.Pos(), n.End()) }

func (u *unit) atVariable(v *variable) extent {
	if v.obj != nil {
		return u.extent(v.obj.Pos(), v.obj.Pos()+token.Pos(len(v.obj.Name())))
	}
	return u.at(u.fn.Decl.Name)
}

func (u *unit) extent(from, to token.Pos) extent {
	return extent{u.fn.Package.Position(from), u.fn.Package.Position(to)}
}
