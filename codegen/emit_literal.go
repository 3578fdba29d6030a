package codegen

import (
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// title is what comments call the function.
func (u *unit) title() string {
	if u.self != nil {
		return "a function literal of [" + u.fn.DocName() + "]"
	}
	return "[" + u.fn.DocName() + "]"
}

// signature is how the companions of the function repeat its signature. For a literal
// the captured variables come first.
func (u *unit) signature() (typetext.Signature, error) {
	text, err := u.imports.Signature(u.fn)
	if err != nil || u.self == nil {
		return text, err
	}
	l := typetext.Signature{TypeParams: text.FrameParams, TypeArgs: text.FrameArgs, FrameParams: text.FrameParams, FrameArgs: text.FrameArgs}
	p := &printer{u: u}
	if u.recovery != nil {
		l.Params = append(l.Params, typetext.Param{Name: u.imports.Fresh("panicking"), Type: p.typeOf(u.recovery)})
	}
	for _, obj := range u.self.captures {
		l.Params = append(l.Params, typetext.Param{Name: u.imports.ParamName(obj.Name()), Type: p.homeType(u.vars[obj])})
	}
	n := u.sig.Params().Len()
	for i := range n {
		param, err := u.imports.Param(u.sig.Params().At(i), u.sig.Variadic() && i == n-1)
		if err != nil {
			u.refuse(unnameableType(u.at(u.node), err))
		}
		l.Params = append(l.Params, param)
	}
	l.NameUnnamed(u.imports)
	return l, nil
}

// parameters are the variables of the parameters of the entries.
func (u *unit) parameters() []*variable {
	if u.self == nil {
		return u.params
	}
	var list []*variable
	if u.recovery != nil {
		list = append(list, u.recovery)
	}
	for _, obj := range u.self.captures {
		list = append(list, u.vars[obj])
	}
	return append(list, u.params...)
}

// emitLiteral prints the declarations of a literal.
func (u *unit) emitLiteral() []byte {
	e := u.emitter()
	if e == nil {
		return nil
	}
	e.line("")
	if u.self.started {
		e.firstStep()
	}
	if u.self.entered {
		e.enter()
	}
	e.moving()
	if u.self.entered {
		e.results()
	}
	if u.self.started {
		e.machine()
	}
	return []byte(e.String())
}

// firstStep prints the literal as the runtime calls it.
func (e *emitter) firstStep() {
	names := e.u.named
	t, frame, m := e.unlike("t"), e.unlike("frame"), e.unlike("m")
	var results, values, suspended []string
	for i, r := range e.u.results {
		spelled := e.typ(r.typ, e.u.node)
		results, values = append(results, spelled), append(values, e.result(frame, i))
		suspended = append(suspended, e.zeroOf(r.typ, spelled))
	}
	suspended[len(suspended)-1] = m + ".Suspend(" + e.context() + ", &" + t + ", " + m + ")"
	e.line("// %s is %s for the runtime to call. It returns the results, or an error that reports its suspension.", names.Async, e.u.title())
	e.line("func %s%s(%s) (%s) {", names.Async, e.sig.TypeParams, e.sig.ParamList(), strings.Join(results, ", "))
	e.line("var %s %s", t, e.runtime("Task"))
	e.line("%s := %s", frame, e.frameLiteral())
	e.line("defer %s(&%s)", e.runtime("Fail"), t)
	e.line("if %s {%s", e.start(frame, "&"+t), e.rethrow(t))
	e.line("return %s\n}", strings.Join(values, ", "))
	e.line("%s := &%s{%s: %s}", m, names.Machine+e.sig.FrameArgs, e.u.keptName(), frame)
	e.line("return %s\n}\n", strings.Join(suspended, ", "))
}

func (u *unit) jobResults() source.Results { return source.ResultsOf(u.sig) }

// emitter prepares printing; nil: the signature cannot be written.
func (u *unit) emitter() *emitter {
	sig, err := u.signature()
	if err != nil {
		u.refuse(unnameableSignature(u.fn, err))
		return nil
	}
	arg, err := u.imports.JobArgument(u.jobResults())
	if err != nil {
		u.refuse(unnameableSignature(u.fn, err))
		return nil
	}
	return &emitter{printer: &printer{u: u}, sig: sig, arg: arg}
}
