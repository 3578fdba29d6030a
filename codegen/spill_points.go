package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// evaluate makes a suspension point happen whose values are needed by the
// expression around it.
func (u *unit) evaluate(call *ast.CallExpr) {
	temps := u.tempsFor(call)
	var dst []ir.Dest
	for _, v := range temps {
		dst = append(dst, ir.Dest{V: v, Declares: true})
	}
	u.suspend(call, dst)
	u.evaluated[call] = temps
}

// suspend makes a suspension point happen and gives its values to dst. No dst:
// the values are dropped.
func (u *unit) suspend(call *ast.CallExpr, dst []ir.Dest) {
	s := u.Points[call]
	for len(dst) < u.values(call) {
		dst = append(dst, ir.Dest{}) // blank
	}
	p := &ir.Point{Call: call.Pos(), Kind: s.Kind, Resume: u.label("resume")}
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
		u.add(&ir.Note{Pos: p.Call}, &ir.Park{Point: p}, &ir.Mark{Label: p.Resume}, &ir.Do{Line: ir.Rope{ir.Text("_ = "), ir.TaskName, ir.Text(".Refusal()")}})
	case source.KindSwitchTo:
		u.suspendSwitch(call, p, dst)
	}
}

// hold makes the frame's field for the awaited value of a point.
func (u *unit) hold(p *ir.Point, stem string, typ ir.Rope) {
	p.Want = stem
	p.Held = &ir.Variable{Name: stem, Spelled: typ, Place: ir.InFrame}
	u.all = append(u.all, p.Held)
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
func (u *unit) suspendEnter(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	u.spillArgs(call)
	u.hold(p, calledName(call), ir.Rope{ir.TypeText(s.Frame, nil)})
	p.Resumed = u.label("resumed")
	u.rename(call, s.Method, s.Enter, ir.TaskName)
	u.enterCallee(p, u.expr(call), dst)
}

// enterCallee calls an entry, and gets the results of a callee that has suspended
// when that has finished.
func (u *unit) enterCallee(p *ir.Point, entry ir.Rope, dst []ir.Dest) {
	u.add(&ir.Note{Pos: p.Call})
	u.add(&ir.Assign{Dst: append([]ir.Dest{{V: p.Held}}, dst...), Src: entry})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	results := ir.Rope{ir.Use(p.Held), ir.Text(".Results("), ir.TaskName, ir.Text(")")}
	u.add(&ir.Assign{Dst: dropBlanks(again(dst)), Src: results}, forget(p.Held), &ir.Mark{Label: p.Resumed})
}

// again is dst for its second assignment.
func again(dst []ir.Dest) []ir.Dest {
	list := make([]ir.Dest, len(dst))
	for i, t := range dst {
		list[i] = ir.Dest{V: t.V}
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
func (u *unit) suspendSleep(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	u.spillArgs(call)
	p.Resumed = u.label("resumed")
	args := []ir.Rope{{ir.TaskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	p.Asleep = u.temp("asleep", types.Typ[types.Bool])
	entry := append(append(ir.Rope{ir.StatemachineName, ir.Text(".Sleep(")}, joined(args)...), ir.Text(")"))
	u.add(&ir.Note{Pos: p.Call}, &ir.Assign{Dst: append([]ir.Dest{{V: p.Asleep}}, dst...), Src: entry})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	u.add(&ir.Assign{Dst: dropBlanks(again(dst)), Src: ir.Rope{ir.TaskName, ir.Text(".Refusal()")}}, &ir.Mark{Label: p.Resumed})
}

// suspendLiteral calls a literal that has become a machine: a callee with more
// parameters, the variables that it captures.
func (u *unit) suspendLiteral(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	l := u.lowered(ast.Unparen(call.Fun).(*ast.FuncLit))
	u.spillArgs(call)
	u.hold(p, "func", ir.Rope{ir.Text("*" + l.Declared.Frame + u.typeArgs())})
	p.Resumed = u.label("resumed")
	args := []ir.Rope{{ir.TaskName}}
	for _, arg := range call.Args {
		args = append(args, u.value(arg))
	}
	u.enterCallee(p, u.enterLiteral(l, false, spread(call, args)...), dst)
}

// spread adds the ellipsis of a call to the last of its arguments.
func spread(call *ast.CallExpr, args []ir.Rope) []ir.Rope {
	if call.Ellipsis.IsValid() {
		last := len(args) - 1
		args[last] = append(args[last], ir.Text("..."))
	}
	return args
}

// suspendTwin calls a twin that has no entry, and awaits its job.
func (u *unit) suspendTwin(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	u.spillArgs(call)
	u.hold(p, calledName(call), jobType(s.Result))
	u.rename(call, s.Method, s.Twin)
	u.add(&ir.Note{Pos: p.Call}, &ir.Assign{Dst: []ir.Dest{{V: p.Held}}, Src: u.expr(call)})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	u.unpack(call, u.resultOf("TwinResult", p), s, dst)
	u.add(forget(p.Held))
}

// suspendJob awaits a job.
func (u *unit) suspendJob(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	awaited := u.awaitedJob(call, s)
	u.hold(p, "await", jobType(s.Result))
	u.add(&ir.Note{Pos: p.Call}, &ir.Assign{Dst: []ir.Dest{{V: p.Held}}, Src: awaited})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	u.add(&ir.Assign{Dst: dropBlanks(dst), Src: u.resultOf("JobResult", p), Typed: u.retyped(call, dst)}, forget(p.Held))
}

// awaitedJob spills and returns the job of j.Await(), which may be an embedded
// one, and may be written (*job.Job[T]).Await(j).
func (u *unit) awaitedJob(call *ast.CallExpr, s *source.Suspension) ir.Rope {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	x := sel.X
	if s.Method.Kind() == types.MethodExpr {
		x = call.Args[0]
	}
	u.spill(x, false)
	src, t := u.throughFields(x, s.Method)
	if !typeset.IsPointer(t) {
		src = append(ir.Rope{ir.Text("&")}, src...)
	}
	return src
}

func structOf(t types.Type) *types.Struct {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return t.Underlying().(*types.Struct)
}

func parenthesized(r ir.Rope) ir.Rope {
	return append(append(ir.Rope{ir.Text("(")}, r...), ir.Text(")"))
}

// suspendAwait awaits anything that has a GetAwaiter. A nil awaitable and a nil
// awaiter fail with an error in plain code, so here too.
func (u *unit) suspendAwait(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	arg := call.Args[0]
	u.spillAll([]analyse.Operand{{Expr: arg, To: types.NewInterfaceType(nil, nil)}}, false)
	u.hold(p, "await", ir.Rope{ir.PackageName(source.AwaiterPath, "awaiter"), ir.Text(".Awaiter["), ir.TypeText(s.Result, nil), ir.Text("]")})
	u.add(&ir.Note{Pos: p.Call}, &ir.Obtain{P: p, Src: u.value(arg), Result: s.Result, At: arg})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	u.add(&ir.Assign{Dst: dropBlanks(dst), Src: u.resultOf("Result", p), Typed: u.retyped(call, dst)}, forget(p.Held))
}

// suspendSwitch moves the machine to another scheduler. Where there is nothing to move
// to, or no longer a reason to move, the plain function says so without waiting:
//
//	if s == nil || ctx != nil && ctx.Err() != nil {
//		err = job.SwitchTo(ctx, s)
//		goto resumed1
//	}
func (u *unit) suspendSwitch(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	u.spillArgs(call)
	params := u.Points[call].Callee.Signature().Params()
	ctx := u.once("ctx", call.Args[0], params.At(0).Type())
	p.Sched = u.once("scheduler", call.Args[1], params.At(1).Type())
	p.Resumed = u.label("resumed")
	move := u.label("move")
	var cond ir.Rope
	cond = append(append(cond, p.Sched...), ir.Text(" == nil || "))
	cond = append(append(cond, ctx...), ir.Text(" != nil && "))
	cond = append(append(cond, ctx...), ir.Text(".Err() != nil"))
	plain := append(ir.Rope{ir.JobName, ir.Text(".SwitchTo(")}, ctx...)
	plain = append(append(append(plain, ir.Text(", ")), p.Sched...), ir.Text(")"))
	u.add(&ir.Note{Pos: p.Call}, &ir.Branch{Cond: cond, Not: true, To: move})
	u.add(&ir.Assign{Dst: dropBlanks(dst), Src: plain}, &ir.Jump{To: p.Resumed}, &ir.Mark{Label: move})
	u.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	u.add(&ir.Assign{Dst: dst, Src: ir.Rope{ir.TaskName, ir.Text(".Refusal()")}}, &ir.Mark{Label: p.Resumed})
}

// once is e, converted to t, as text that may be written several times and is evaluated
// once: a name, or a temporary.
func (u *unit) once(stem string, e ast.Expr, t types.Type) ir.Rope {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && types.Identical(u.TypeOf(id), t) {
		return u.expr(id)
	}
	v := u.temp(stem, t)
	u.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: u.value(e), Typed: true})
	return ir.Rope{ir.Use(v)}
}

// spillArgs evaluates the suspending parts of a call's operands.
func (u *unit) spillArgs(call *ast.CallExpr) {
	u.spillAll(u.CallOperands(call), false)
	if len(call.Args) == 1 {
		if _, several := u.TypeOf(call.Args[0]).(*types.Tuple); several {
			u.hoist(ast.Unparen(call.Args[0])) // f(g()) has no room for another argument
		}
	}
}
