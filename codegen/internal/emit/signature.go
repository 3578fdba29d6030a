package emit

import (
	"fmt"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// emitter prints what surrounds MoveNext, and repeats the signature of the function.
type emitter struct {
	*printer
	sig typetext.Signature
	arg string // T of the job

	entering bool // prints an entry for machines, which has companions
}

// emitter prepares printing; it returns nil if the signature cannot be written.
func (fn *function) emitter() *emitter {
	sig, err := fn.signature()
	if err != nil {
		fn.refuse(unnameableSignature(fn.Source, err))
		return nil
	}
	arg, err := fn.Imports.JobArgument(fn.jobResults())
	if err != nil {
		fn.refuse(unnameableSignature(fn.Source, err))
		return nil
	}
	return &emitter{printer: &printer{fn: fn}, sig: sig, arg: arg}
}

// frameType returns the frame's type as the function's declarations write it.
func (e *emitter) frameType() string { return e.fn.Declared.Frame + e.sig.FrameArgs }

// context returns the function's first context parameter, or a context that carries no home.
func (e *emitter) context() string {
	if ctx := e.sig.Context(); ctx != "nil" {
		return ctx
	}
	return e.path("context", "context") + ".Background()"
}

// unlike returns name, or a variant of it that is neither a parameter nor any other name that the
// generated functions mention.
func (e *emitter) unlike(name string) string {
	taken := e.sig.Names()
	for _, v := range e.fn.Companions {
		taken[v.Name] = true
	}
	for i := 1; ; i++ {
		s := name
		if i > 1 {
			s += fmt.Sprint(i)
		}
		if !taken[s] && !e.fn.Names.IsTypeParam(s) && e.fn.Names.Safe(s) {
			return s
		}
	}
}

// signature returns the signature as the function's companions repeat it. For a literal, the
// captured variables come first.
func (fn *function) signature() (typetext.Signature, error) {
	text, err := fn.Imports.Signature(fn.Source)
	if err != nil || fn.Literal == nil {
		return text, err
	}
	l := typetext.Signature{TypeParams: text.FrameParams, TypeArgs: text.FrameArgs, FrameParams: text.FrameParams, FrameArgs: text.FrameArgs}
	p := &printer{fn: fn}
	for _, v := range fn.Captured {
		param := typetext.Param{Type: p.locationType(v)}
		if v.Obj != nil {
			param.Name = fn.Imports.ParamName(v.Obj.Name())
		} else {
			param.Name = fn.Imports.Fresh(v.Name) // recover reads the panic from it
		}
		l.Params = append(l.Params, param)
	}
	n := fn.Signature.Params().Len()
	for i := range n {
		param, err := fn.Imports.Param(fn.Signature.Params().At(i), fn.Signature.Variadic() && i == n-1)
		if err != nil {
			fn.refuse(unnameableType(fn.Source.Extent(fn.Node), err))
		}
		l.Params = append(l.Params, param)
	}
	l.NameUnnamed(fn.Imports)
	return l, nil
}
