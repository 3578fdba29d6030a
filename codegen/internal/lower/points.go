package lower

import (
	"go/ast"
	"go/types"
	"strconv"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// evaluate lowers a suspension point whose values the surrounding expression needs.
func (lo *lowering) evaluate(call *ast.CallExpr) {
	temps := lo.tempsFor(call)
	var dst []ir.Dest
	for _, v := range temps {
		dst = append(dst, ir.Dest{V: v, Declares: true})
	}
	lo.suspend(call, dst)
	lo.evaluated[call] = temps
}

// suspend lowers a suspension point and assigns its values to dst. Without dst, the values are
// dropped.
func (lo *lowering) suspend(call *ast.CallExpr, dst []ir.Dest) {
	s := lo.Points[call]
	for len(dst) < lo.values(call) {
		dst = append(dst, ir.Dest{}) // blank
	}
	p := &ir.Point{Call: call.Pos(), Kind: s.Kind, Resume: lo.label("resume")}
	switch s.Kind {
	case source.KindEnter:
		lo.suspendEnter(call, s, p, dst)
	case source.KindSleep:
		lo.suspendSleep(call, p, dst)
	case source.KindLiteral:
		lo.suspendLiteral(call, p, dst)
	case source.KindValue:
		lo.suspendValue(call, p, dst)
	case source.KindKept:
		lo.suspendKept(call, s, p, dst)
	case source.KindTwin:
		lo.suspendTwin(call, s, p, dst)
	case source.KindAwaitJob:
		lo.suspendJob(call, s, p, dst)
	case source.KindAwait:
		lo.suspendAwait(call, s, p, dst)
	case source.KindEmit:
		lo.suspendEmit(call, p, dst)
	case source.KindYield:
		lo.add(&ir.LineComment{Pos: p.Call}, &ir.Park{Point: p}, &ir.Mark{Label: p.Resume}, &ir.Synthetic{Line: ir.Rope{ir.Text("_ = "), ir.RunName, ir.Text(".Refusal()")}})
	case source.KindSwitchTo:
		lo.suspendSwitch(call, p, dst)
	}
}

// hold creates the frame's field for the awaited value of a point.
func (lo *lowering) hold(p *ir.Point, stem string, typ ir.Rope) {
	p.Held = &ir.Variable{Name: stem, Spelled: typ, Place: ir.InFrame}
	lo.all = append(lo.all, p.Held)
}

// suspendEnter calls another machine's entry. Source, then result:
//
//	x, err = fetch(ctx, a)
//
//	f.fetch1, f.x, f.err = fetchEnter(r, f.ctx, f.a)
//	if f.fetch1 == nil {
//		goto after1
//	}
//	f.State = 1
//	return false
//	resume1:
//	f.x, f.err = f.fetch1.Results(r)
//	f.fetch1 = nil
//	after1:
//
// A call that suspends assigns twice, zero values first. These are never visible: dst are
// variables of this frame alone (see [lowering.direct]).
func (lo *lowering) suspendEnter(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	if lo.findBindings(call, s) {
		lo.spillAll(lo.CallOperands(call), true)
	} else {
		lo.spillArgs(call)
	}
	brought := lo.bring(call, s)
	lo.hold(p, calledName(call), ir.Rope{ir.TypeText(s.Frame, nil)})
	p.Resumed = lo.label("resumed")
	if nested := lo.nestedEntry(s); nested != "" {
		p.Nests = true
		lo.rename(call, s.Method, nested, append(ir.Rope{ir.RunName, ir.Text(", "), ir.OpenPiece(ir.Nesting{Point: p})}, brought...)...)
	} else {
		lo.rename(call, s.Method, s.Enter.Name(), append(ir.Rope{ir.RunName}, brought...)...)
	}
	if p.Transfers = s.Transfers(); p.Transfers {
		_, id, _ := source.Callee(call, lo.Info)
		lo.idents[id] = ir.OpenPiece(ir.EntryName{Point: p, Name: s.Enter.Name()})
	}
	lo.enterCallee(p, lo.expr(call), dst)
}

// nestedEntry returns the name of the callee's entry for callers whose frames may be on the stack,
// or "" if there is none.
func (lo *lowering) nestedEntry(s *source.Suspension) string {
	if lo.options.Framed {
		return ""
	}
	return lo.Source.Package.Twins.NestedOf(s.Callee, lo.Source.Package.Types)
}

// enterCallee calls an entry, and gets the results of a suspended callee once it has finished.
func (lo *lowering) enterCallee(p *ir.Point, entry ir.Rope, dst []ir.Dest) {
	lo.add(&ir.Assign{Dst: append([]ir.Dest{{V: p.Held}}, dst...), Src: entry})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	results := ir.Rope{ir.Use(p.Held), ir.Text(".Results("), ir.RunName, ir.Text(")")}
	lo.add(&ir.Assign{Dst: dropBlanks(again(dst)), Src: results}, forget(p.Held), &ir.Mark{Label: p.Resumed})
}

// again returns dst for its second assignment.
func again(dst []ir.Dest) []ir.Dest {
	list := make([]ir.Dest, len(dst))
	for i, t := range dst {
		list[i] = ir.Dest{V: t.V}
	}
	return list
}

// suspendSleep sleeps. Package job cannot depend on machines, so the runtime has the entry of its
// function. The entry stores in the run what interrupted the sleep, so that a sleeping machine
// needs no field for it, even if there are a million.
//
//	asleep, err = statemachine.Sleep(r, ctx, d)
//	if !asleep {
//		goto after1
//	}
//	f.State = 1
//	return false
//	resume1:
//	err = r.Refusal()
//	after1:
func (lo *lowering) suspendSleep(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	lo.spillArgs(call)
	p.Resumed = lo.label("resumed")
	args := lo.arguments(call)
	p.Asleep = lo.temp("asleep", types.Typ[types.Bool])
	entry := append(append(ir.Rope{ir.StatemachineName, ir.Text(".Sleep(")}, join(args)...), ir.Text(")"))
	lo.add(&ir.Assign{Dst: append([]ir.Dest{{V: p.Asleep}}, dst...), Src: entry})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.add(&ir.Assign{Dst: dropBlanks(again(dst)), Src: ir.Rope{ir.RunName, ir.Text(".Refusal()")}}, &ir.Mark{Label: p.Resumed})
}

// suspendLiteral calls a literal that has become a machine: a callee with additional parameters
// for the variables that it captures.
func (lo *lowering) suspendLiteral(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	l := lo.machineOf(ast.Unparen(call.Fun).(*ast.FuncLit))
	lo.spillArgs(call)
	lo.hold(p, "func", ir.Rope{ir.Text("*" + l.Declared.Frame + lo.typeArgs())})
	p.Resumed = lo.label("resumed")
	args := lo.arguments(call)
	lo.enterCallee(p, lo.enterLiteral(l, false, args...), dst)
}

// arguments returns what an entry is passed instead of the arguments of call: the run, first, and
// the values of the arguments.
func (lo *lowering) arguments(call *ast.CallExpr, first ...ir.Rope) []ir.Rope {
	args := append([]ir.Rope{{ir.RunName}}, first...)
	for _, arg := range call.Args {
		args = append(args, lo.value(arg))
	}
	return spread(call, args)
}

// spread adds the ellipsis of a call to the last argument.
func spread(call *ast.CallExpr, args []ir.Rope) []ir.Rope {
	if call.Ellipsis.IsValid() {
		last := len(args) - 1
		args[last] = append(args[last], ir.Text("..."))
	}
	return args
}

// suspendTwin calls a twin that has no entry, and awaits its job.
func (lo *lowering) suspendTwin(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	lo.spillArgs(call)
	lo.hold(p, calledName(call), jobType(s.Result))
	lo.rename(call, s.Method, s.Twin.Name())
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: p.Held}}, Src: lo.expr(call)})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.unpack(call, lo.resultOf("TwinResult", p), s, dst)
	lo.add(forget(p.Held))
}

// suspendJob awaits a job. Source, then result:
//
//	x, err = j.Await()
//
//	if awaited = f.j; awaited.IsCompleted() && r.Proceed() {
//		goto after1
//	}
//	f.State = 1
//	f.await1 = awaited
//	return r.Await(awaited)
//	resume1:
//	awaited = statemachine.AwaitedJob(r, f.await1)
//	f.await1 = nil
//	after1:
//	f.x, f.err = awaited.GetResult()
//
// Most awaited jobs have ended, so only a suspension writes to the frame, and asks whether there
// was a reason to refuse.
func (lo *lowering) suspendJob(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	src := lo.awaitedJob(call, s)
	lo.hold(p, "await", jobType(s.Result))
	p.Awaited = &ir.Variable{Name: "awaited", Spelled: jobType(s.Result)}
	lo.all = append(lo.all, p.Awaited)
	p.Resumed = lo.label("resumed")
	awaited := []ir.Dest{{V: p.Awaited}}
	lo.add(&ir.LineComment{Pos: p.Call}, &ir.Assign{Dst: awaited, Src: src})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.add(&ir.Assign{Dst: awaited, Src: lo.resultOf("AwaitedJob", p), Quiet: true}, forget(p.Held), &ir.Mark{Label: p.Resumed})
	lo.add(&ir.Assign{Dst: dropBlanks(dst), Src: ir.Rope{ir.Use(p.Awaited), ir.Text(".GetResult()")}, Typed: lo.retyped(call, dst)})
}

// awaitedJob spills and returns the job of j.Await(), which may be an embedded job, and may be
// written as (*job.Job[T]).Await(j).
func (lo *lowering) awaitedJob(call *ast.CallExpr, s *source.Suspension) ir.Rope {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	x := sel.X
	if s.Method.Kind() == types.MethodExpr {
		x = call.Args[0]
	}
	lo.spill(x, false)
	src, t := lo.throughFields(x, s.Method)
	if !typeset.IsPointer(t) {
		src = append(ir.Rope{ir.Text("&")}, src...)
	}
	return src
}

func parenthesize(r ir.Rope) ir.Rope {
	return append(append(ir.Rope{ir.Text("(")}, r...), ir.Text(")"))
}

// suspendAwait awaits any value with a GetAwaiter method. As in plain code, a nil awaitable or a
// nil awaiter fails with an error.
func (lo *lowering) suspendAwait(call *ast.CallExpr, s *source.Suspension, p *ir.Point, dst []ir.Dest) {
	arg := call.Args[0]
	lo.spillAll([]analyse.Operand{{Expr: arg, To: types.NewInterfaceType(nil, nil)}}, false)
	lo.hold(p, "await", ir.Rope{ir.PackageName(source.AwaiterPath, "awaiter"), ir.Text(".Awaiter["), ir.TypeText(s.Result, nil), ir.Text("]")})
	lo.add(&ir.LineComment{Pos: p.Call}, &ir.Obtain{P: p, Src: lo.value(arg), Result: s.Result, At: arg})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.add(&ir.Assign{Dst: dropBlanks(dst), Src: lo.resultOf("Result", p), Typed: lo.retyped(call, dst)}, forget(p.Held))
}

// suspendSwitch moves the machine to another scheduler. If there is no scheduler to move to, or
// the context has ended, the plain function reports that without waiting:
//
//	if s == nil || ctx != nil && ctx.Err() != nil {
//		err = job.SwitchTo(ctx, s)
//		goto after1
//	}
func (lo *lowering) suspendSwitch(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	lo.spillArgs(call)
	params := lo.Points[call].Callee.Signature().Params()
	ctx := lo.once("ctx", call.Args[0], params.At(0).Type())
	to := lo.once("scheduler", call.Args[1], params.At(1).Type())
	p.Move = append(append(append(ir.Rope{}, ctx...), ir.Text(", ")), to...)
	p.Resumed = lo.label("resumed")
	move := lo.label("move")
	var cond ir.Rope
	cond = append(append(cond, to...), ir.Text(" == "), ir.NilName, ir.Text(" || "))
	cond = append(append(cond, ctx...), ir.Text(" != "), ir.NilName, ir.Text(" && "))
	cond = append(append(cond, ctx...), ir.Text(".Err() != "), ir.NilName)
	plain := append(append(ir.Rope{ir.JobName, ir.Text(".SwitchTo(")}, p.Move...), ir.Text(")"))
	lo.add(&ir.LineComment{Pos: p.Call}, &ir.Branch{Cond: cond, Not: true, To: move})
	lo.add(&ir.Assign{Dst: dropBlanks(dst), Src: plain}, &ir.Jump{To: p.Resumed}, &ir.Mark{Label: move})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.add(&ir.Assign{Dst: dst, Src: ir.Rope{ir.RunName, ir.Text(".Refusal()")}}, &ir.Mark{Label: p.Resumed})
}

// once returns e, converted to t, as text that may be repeated but is evaluated only once: a
// name, or a temporary.
func (lo *lowering) once(stem string, e ast.Expr, t types.Type) ir.Rope {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && types.Identical(lo.TypeOf(id), t) {
		return lo.expr(id)
	}
	v := lo.temp(stem, t)
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: v, Declares: true}}, Src: lo.value(e), Typed: true})
	return ir.Rope{ir.Use(v)}
}

// spillArgs evaluates the suspending parts of a call's operands.
//
// f(g()), where g has several results, has no room for another argument. So g is called in a
// separate statement, and what gc evaluates before g has to be evaluated before that statement,
// as if g suspended: r().f(g()) calls r first.
func (lo *lowering) spillArgs(call *ast.CallExpr) {
	ops := lo.CallOperands(call)
	last := len(ops) - 1
	if len(call.Args) == 1 {
		if _, several := lo.TypeOf(call.Args[0]).(*types.Tuple); several {
			lo.spillAll(ops[:last], true)
			lo.spillAll(ops[last:], false)
			lo.copyOut(ast.Unparen(call.Args[0]))
			return
		}
	}
	lo.spillAll(ops, false)
}

// What happens to a suspension point's results when they are available.

// retyped reports whether a variable that is declared by a call's value has another type than the
// value.
func (lo *lowering) retyped(call *ast.CallExpr, dst []ir.Dest) bool {
	tuple, several := lo.TypeOf(call).(*types.Tuple)
	for i, t := range dst {
		if !t.Declares {
			continue
		}
		result := lo.TypeOf(call)
		if several {
			result = tuple.At(i).Type()
		}
		if !types.Identical(t.V.Type, result) {
			return true
		}
	}
	return false
}

// values returns the number of call's results.
func (lo *lowering) values(call *ast.CallExpr) int {
	switch t := lo.TypeOf(call).(type) {
	case *types.Tuple:
		return t.Len()
	default:
		if tv := lo.Info.Types[call]; tv.IsVoid() {
			return 0
		}
		return 1
	}
}

// dropBlanks turns _, _ = f() into f().
func dropBlanks(dst []ir.Dest) []ir.Dest {
	for _, t := range dst {
		if t.V != nil || t.Place != nil {
			return dst
		}
	}
	return nil
}

func forget(v *ir.Variable) ir.Instr {
	return &ir.Assign{Dst: []ir.Dest{{V: v}}, Src: ir.Rope{ir.NilName}, Forgets: true}
}

// unpack takes a function's results from those of its job: a value and an error.
func (lo *lowering) unpack(call *ast.CallExpr, src ir.Rope, s *source.Suspension, dst []ir.Dest) {
	r := source.ResultsOf(s.Callee.Signature())
	typed := lo.retyped(call, dst)
	var fail ir.Dest
	if r.Err != nil {
		dst, fail = dst[:len(dst)-1], dst[len(dst)-1]
	}
	switch len(r.Values) {
	case 0:
		lo.add(&ir.Assign{Dst: dropBlanks([]ir.Dest{{}, fail}), Src: src, Typed: typed})
	case 1:
		lo.add(&ir.Assign{Dst: dropBlanks([]ir.Dest{dst[0], fail}), Src: src, Typed: typed})
	default:
		tuple := lo.temp("tuple", s.Result)
		lo.add(&ir.Assign{Dst: []ir.Dest{{V: tuple, Declares: true}, fail}, Src: src, Typed: typed})
		var fields ir.Rope
		for i := range dst {
			if i > 0 {
				fields = append(fields, ir.Text(", "))
			}
			fields = append(fields, ir.Use(tuple), ir.Text(".V"+strconv.Itoa(i+1)))
		}
		lo.add(&ir.Assign{Dst: dst, Src: fields, Typed: typed})
	}
}

func (lo *lowering) resultOf(function string, p *ir.Point) ir.Rope {
	return ir.Rope{ir.StatemachineName, ir.Text("." + function + "("), ir.RunName, ir.Text(", "), ir.Use(p.Held), ir.Text(")")}
}

// jobType returns the type of a job with a result of type t.
func jobType(t types.Type) ir.Rope {
	return ir.Rope{ir.Text("*"), ir.JobName, ir.Text(".Job["), ir.TypeText(t, nil), ir.Text("]")}
}
