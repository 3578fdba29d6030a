package codegen

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// evaluate makes a suspension point happen whose values are needed by the
// expression around it.
func (u *unit) evaluate(call *ast.CallExpr) {
	temps := u.tempsFor(call)
	var dst []dest
	for _, v := range temps {
		dst = append(dst, dest{v: v, declares: true})
	}
	u.suspend(call, dst)
	u.evaluated[call] = temps
}

// suspend makes a suspension point happen and gives its values to dst. No dst:
// the values are dropped.
func (u *unit) suspend(call *ast.CallExpr, dst []dest) {
	s := u.points[call]
	for len(dst) < u.values(call) {
		dst = append(dst, dest{}) // blank
	}
	p := &point{call: call.Pos(), kind: s.Kind, resume: u.label("resume")}
	switch s.Kind {
	case source.KindEnter:
		u.suspendEnter(call, s, p, dst)
	case source.KindSleep:
		u.suspendSleep(call, p, dst)
	case source.KindLiteral:
		u.suspendLiteral(call, p, dst)
	case source.KindValue:
		u.suspendValue(call, p, dst)
	case source.KindOperation:
		u.suspendOperation(call, p, dst)
	case source.KindTwin:
		u.suspendTwin(call, s, p, dst)
	case source.KindAwaitJob:
		u.suspendJob(call, s, p, dst)
	case source.KindAwait:
		u.suspendAwait(call, s, p, dst)
	case source.KindEmit:
		u.suspendEmit(call, p, dst)
	case source.KindYield:
		u.add(&note{pos: p.call}, &park{p}, &mark{label: p.resume}, &do{line: rope{text("_ = "), taskName, text(".Refusal()")}})
	case source.KindSwitchTo:
		u.suspendSwitch(call, p, dst)
	}
}

// hold makes the frame's field for the awaited value of a point.
func (u *unit) hold(p *point, stem string, typ func() (string, error)) {
	p.want = stem
	p.held = &variable{name: stem, typeText: typ, place: inFrame}
	u.all = append(u.all, p.held)
}

// suspendEnter calls another machine's entry. Source, then result:
//
//	x, err = fetch(ctx, a)
//
//	f.fetch1, f.x, f.err = fetchEnter(t, f.ctx, f.a)
//	if f.fetch1 == nil {
//		goto resumed1
//	}
//	f.State = 1
//	return false
//	resume1:
//	f.x, f.err = f.fetch1.Results(t)
//	f.fetch1 = nil
//	resumed1:
//
// The call assigns twice if it suspends, zero values first. Those are never seen: dst
// are variables of this frame alone (see [unit.direct]).
func (u *unit) suspendEnter(call *ast.CallExpr, s *source.Suspension, p *point, dst []dest) {
	u.spillArgs(call)
	u.hold(p, calledName(call), func() (string, error) { return u.imports.TypeString(s.Frame) })
	p.resumed = u.label("resumed")
	u.rename(call, s.Method, s.Enter, taskName)
	u.enterCallee(p, u.expr(call), dst)
}

// enterCallee calls an entry, and gets the results of a callee that has suspended
// when that has finished.
func (u *unit) enterCallee(p *point, entry rope, dst []dest) {
	u.add(&note{pos: p.call})
	u.add(&assign{dst: append([]dest{{v: p.held}}, dst...), src: entry})
	u.add(&park{p}, &mark{label: p.resume})
	results := rope{use(p.held), text(".Results("), taskName, text(")")}
	u.add(&assign{dst: dropBlanks(again(dst)), src: results}, forget(p.held), &mark{label: p.resumed})
}

// again is dst for its second assignment.
func again(dst []dest) []dest {
	list := make([]dest, len(dst))
	for i, t := range dst {
		list[i] = dest{v: t.v}
	}
	return list
}

// suspendSleep sleeps. Package job cannot know machines, so the runtime has the entry
// of its function, which tells the task what interrupted the sleep. So none of a
// million sleeping machines needs to know its sleep.
//
//	asleep1, err = statemachine.Sleep(t, ctx, d)
//	if !asleep1 {
//		goto resumed1
//	}
//	f.State = 1
//	return false
//	resume1:
//	err = t.Refusal()
//	resumed1:
func (u *unit) suspendSleep(call *ast.CallExpr, p *point, dst []dest) {
	u.spillArgs(call)
	p.resumed = u.label("resumed")
	args := []rope{{taskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	p.asleep = u.temp("asleep", types.Typ[types.Bool])
	entry := append(append(rope{statemachineName, text(".Sleep(")}, joined(args)...), text(")"))
	u.add(&note{pos: p.call}, &assign{dst: append([]dest{{v: p.asleep}}, dst...), src: entry})
	u.add(&park{p}, &mark{label: p.resume})
	u.add(&assign{dst: dropBlanks(again(dst)), src: rope{taskName, text(".Refusal()")}}, &mark{label: p.resumed})
}

// suspendLiteral calls a literal that has become a machine: a callee with more
// parameters, the variables that it captures.
func (u *unit) suspendLiteral(call *ast.CallExpr, p *point, dst []dest) {
	l := u.lowered(ast.Unparen(call.Fun).(*ast.FuncLit))
	u.spillArgs(call)
	u.hold(p, "func", func() (string, error) { return "*" + l.names.Frame + u.typeArgs(), nil })
	p.resumed = u.label("resumed")
	args := []rope{{taskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	u.enterCallee(p, u.enterLiteral(l, false, spread(call, args)...), dst)
}

// spread adds the ellipsis of a call to the last of its arguments.
func spread(call *ast.CallExpr, args []rope) []rope {
	if call.Ellipsis.IsValid() {
		last := len(args) - 1
		args[last] = append(args[last], text("..."))
	}
	return args
}

// suspendTwin calls a twin that has no entry, and awaits its job.
func (u *unit) suspendTwin(call *ast.CallExpr, s *source.Suspension, p *point, dst []dest) {
	u.spillArgs(call)
	u.hold(p, calledName(call), u.jobType(s.Result))
	u.rename(call, s.Method, s.Twin)
	u.add(&note{pos: p.call}, &assign{dst: []dest{{v: p.held}}, src: u.expr(call)})
	u.add(&park{p}, &mark{label: p.resume})
	u.unpack(call, u.resultOf("TwinResult", p), s, dst)
	u.add(forget(p.held))
}

// suspendJob awaits a job.
func (u *unit) suspendJob(call *ast.CallExpr, s *source.Suspension, p *point, dst []dest) {
	awaited := u.awaitedJob(call, s)
	u.hold(p, "await", u.jobType(s.Result))
	u.add(&note{pos: p.call}, &assign{dst: []dest{{v: p.held}}, src: awaited})
	u.add(&park{p}, &mark{label: p.resume})
	u.add(&assign{dst: dropBlanks(dst), src: u.resultOf("JobResult", p), typed: u.retyped(call, dst)}, forget(p.held))
}

// awaitedJob spills and returns the job of j.Await(), which may be an embedded
// one, and may be written (*job.Job[T]).Await(j).
func (u *unit) awaitedJob(call *ast.CallExpr, s *source.Suspension) rope {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	x := sel.X
	if s.Method.Kind() == types.MethodExpr {
		x = call.Args[0]
	}
	u.spill(x, false)
	src, t := u.throughFields(x, s.Method)
	if !isPointerType(t) {
		src = append(rope{text("&")}, src...)
	}
	return src
}

func structOf(t types.Type) *types.Struct {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return t.Underlying().(*types.Struct)
}

func parenthesized(r rope) rope {
	return append(append(rope{text("(")}, r...), text(")"))
}

// suspendAwait awaits anything that has a GetAwaiter. A nil awaitable and a nil
// awaiter fail with an error in plain code, so here too.
func (u *unit) suspendAwait(call *ast.CallExpr, s *source.Suspension, p *point, dst []dest) {
	arg := call.Args[0]
	u.spillAll([]operandOf{{expr: arg, to: types.NewInterfaceType(nil, nil)}}, false)
	u.hold(p, "await", func() (string, error) {
		elem, err := u.imports.TypeString(s.Result)
		return u.imports.Path(source.AwaiterPath, "awaiter") + ".Awaiter[" + elem + "]", err
	})
	u.add(&note{pos: p.call}, &obtain{p: p, src: u.value(arg), result: s.Result, at: arg})
	u.add(&park{p}, &mark{label: p.resume})
	u.add(&assign{dst: dropBlanks(dst), src: u.resultOf("Result", p), typed: u.retyped(call, dst)}, forget(p.held))
}

// suspendSwitch moves the machine to another scheduler. Where there is nothing to move
// to, or no longer a reason to move, the plain function says so without waiting:
//
//	if s == nil || ctx != nil && ctx.Err() != nil {
//		err = job.SwitchTo(ctx, s)
//		goto resumed1
//	}
func (u *unit) suspendSwitch(call *ast.CallExpr, p *point, dst []dest) {
	u.spillArgs(call)
	params := u.points[call].Callee.Signature().Params()
	ctx := u.once("ctx", call.Args[0], params.At(0).Type())
	p.sched = u.once("scheduler", call.Args[1], params.At(1).Type())
	p.resumed = u.label("resumed")
	move := u.label("move")
	var cond rope
	cond = append(append(cond, p.sched...), text(" == nil || "))
	cond = append(append(cond, ctx...), text(" != nil && "))
	cond = append(append(cond, ctx...), text(".Err() != nil"))
	plain := append(rope{jobName, text(".SwitchTo(")}, ctx...)
	plain = append(append(append(plain, text(", ")), p.sched...), text(")"))
	u.add(&note{pos: p.call}, &branch{cond: cond, not: true, to: move})
	u.add(&assign{dst: dropBlanks(dst), src: plain}, &jump{p.resumed}, &mark{label: move})
	u.add(&park{p}, &mark{label: p.resume})
	u.add(&assign{dst: dst, src: rope{taskName, text(".Refusal()")}}, &mark{label: p.resumed})
}

// once is e, converted to t, as text that may be written several times and is evaluated
// once: a name, or a temporary.
func (u *unit) once(stem string, e ast.Expr, t types.Type) rope {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && types.Identical(u.typeOf(id), t) {
		return u.expr(id)
	}
	v := u.temp(stem, t)
	u.add(&assign{dst: []dest{{v: v, declares: true}}, src: u.value(e), typed: true})
	return rope{use(v)}
}

// spillArgs evaluates the suspending parts of a call's operands.
func (u *unit) spillArgs(call *ast.CallExpr) {
	u.spillAll(u.callOperands(call), false)
	if len(call.Args) == 1 {
		if _, several := u.typeOf(call.Args[0]).(*types.Tuple); several {
			u.hoist(ast.Unparen(call.Args[0])) // f(g()) has no room for another argument
		}
	}
}

// shownSource is how many bytes of a long line of the source a comment shows. Showing
// the whole of a line with a thousand suspension points, at each of them, would show a
// million calls.
const shownSource = 160

// sourceLine is the line of the source at pos, for comments; of a long one, the part
// that begins at pos.
func (u *unit) sourceLine(pos token.Pos) string {
	file := u.fn.Package.Fset.File(pos)
	src := u.fn.File.Source
	at := file.Offset(pos)
	start := file.Offset(file.LineStart(file.PositionFor(pos, false).Line))
	end := len(src)
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		end = at + n
	}
	if end-start <= shownSource {
		return string(bytes.TrimSpace(src[start:end]))
	}
	part := src[at:end]
	if len(part) <= shownSource {
		return "… " + string(bytes.TrimSpace(part))
	}
	return "… " + strings.ToValidUTF8(string(part[:shownSource]), "") + " …"
}
