package codegen

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// The machine of a stream (stream.go). It differs from others in three things: it hands
// out values on the way, it returns nothing at its end, and only a range enters it
// (lower_rangefunc.go).

// streamSignature is the signature of a stream's machine: it returns nothing.
func streamSignature(sig *types.Signature) *types.Signature {
	return types.NewSignatureType(sig.Recv(), nil, nil, sig.Params(), nil, sig.Variadic())
}

// isYield reports whether id is the stream's yield.
func (u *unit) isYield(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && u.fn.Stream != nil && u.fn.Stream.Yield != nil && u.info.Uses[id] == u.fn.Stream.Yield
}

// shareParameters: all ranges over one stream share the function's parameters, since in
// plain Go the literal captures them. One that is assigned gets a cell that all
// machines of the stream point to.
func (u *unit) shareParameters() {
	note := func(v *types.Var) {
		if f := u.factsOf(v); v != nil && f.mutated {
			f.captured = true
		}
	}
	if recv := u.sig.Recv(); recv != nil {
		note(recv)
	}
	for v := range u.sig.Params().Variables() {
		note(v)
	}
}

// suspendEmit hands out a value. Source, then result:
//
//	if !yield(page, nil) { return }
//
//	f.Emit(page, nil)
//	f.State = 1
//	return true
//	resume1:
//	if !f.Wanted(t) { … }
//
// To the caller of MoveNext, a machine that has reached a yield has done its work.
func (u *unit) suspendEmit(call *ast.CallExpr, p *point, dst []dest) {
	u.spillArgs(call)
	fun := ast.Unparen(call.Fun)
	u.renamed[call] = []edit{{pos: fun.Pos(), end: fun.End(), with: rope{frameName, text(".Emit")}}}
	u.add(&note{pos: p.call}, &assign{src: u.expr(call)})
	u.add(&park{p}, &mark{label: p.resume})
	u.add(&assign{dst: dst, src: rope{frameName, text(".Wanted("), taskName, text(")")}, typed: u.retyped(call, dst)})
}

// checkYield refuses a yield that is not called by the machine itself.
func (c *bodyCheck) checkYield(id *ast.Ident) {
	if !c.u.isYield(id) {
		return
	}
	for call, s := range c.u.points {
		if s.Kind == source.KindEmit && ast.Unparen(call.Fun) == ast.Expr(id) {
			return
		}
	}
	c.u.refuse(escapingYield(c.u.at(id), id.Name))
}

// stream prints the twin of a stream.
func (e *emitter) stream() {
	u, names := e.u, e.u.named
	value := e.typ(u.fn.Stream.Value, u.fn.Decl.Name)
	e.line("// %s returns the stream of [%s]: each range over it runs the function as a state machine.", names.Async, u.fn.DocName())
	e.line("func %s%s%s(%s) *%s.Stream[%s] {", e.sig.ReceiverText(), names.Async, e.sig.TypeParams, e.sig.ParamList(), e.path(source.JobPath, "job"), value)
	e.line("return %s(%s, func() %s[%s, %s] {", e.runtime("Stream"), e.context(), e.runtime("Iteration"), value, e.predeclared("error"))
	e.line("return &%s\n})\n}\n", e.frameLiteral())
}

// plainStream is the twin of a stream in -mode=plain.
func plainStream(fn *source.Function, im *typetext.Imports, sig typetext.Signature, call string) ([]byte, error) {
	value, err := im.TypeString(fn.Stream.Value)
	if err != nil {
		return nil, err
	}
	job := im.Path(source.JobPath, "job")
	return fmt.Appendf(nil, "// %s is the stream of [%s], which runs on a goroutine of its own where it has to.\nfunc %s%s%s(%s) *%s.Stream[%s] {\nreturn %s.StreamOf(%s)\n}\n",
		fn.Names.Async, fn.DocName(), sig.ReceiverText(), fn.Names.Async, sig.TypeParams, sig.ParamList(), job, value, job, call), nil
}

// streamed is the operand of a range over a stream: exactly one of the fields is set.
type streamed struct {
	call *ast.CallExpr // of a function with a twin, which point tells
	of   ast.Expr      // a *job.Stream, of which All was called

	point source.Suspension
}

// streamIn returns the stream that s ranges over, or false.
func (u *unit) streamIn(s *ast.RangeStmt) (streamed, bool) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		return streamed{}, false
	}
	if point, ok := u.fn.Package.Twins.Stream(call, u.info); ok {
		return streamed{call: call, point: point}, true
	}
	fn, _, method := source.Callee(call, u.info)
	if fn == nil || method == nil || method.Kind() != types.MethodVal || len(method.Index()) != 1 || fn.Name() != "All" {
		return streamed{}, false
	}
	if source.StreamArgument(fn.Signature().Recv().Type()) == nil {
		return streamed{}, false
	}
	return streamed{of: ast.Unparen(call.Fun).(*ast.SelectorExpr).X}, true
}
