package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Ranges over streams, and over functions if the body suspends. In plain Go the function calls
// the body; here the loop requests the next value, which is a suspension point
// (statemachine/loop.go):
//
//	for p, err := range pages(ctx, first) { body }
//
//	loop1 = statemachine.RangeStream(pagesAsync(ctx, first)) // in a stream: RangeWithin(f, …)
//	loops.Open(loop1)
//	range1:
//	if loop1.Next(r) { goto resume1 }     // suspends
//	resume1:
//	if !loop1.More(r) { goto done1 }
//	p, err = loop1.Key(), loop1.Value()
//	body
//	goto range1
//	done1:
//	loops.Close()
//	endRange1:
//
// # Leaving
//
// A jump or a return out of the loop must first stop the function, which may suspend. So it jumps
// to code after the loop, one piece for each target, which stops the function and continues:
//
//	leave1:
//	if loop1.Stop(r) { goto resume2 }     // suspends
//	resume2:
//	loop1.Stopped(r)
//	loops.Close()
//	goto endRange1
//
// A jump out of several such loops passes through one such place in each, the innermost first.
// The runtime handles panics: see Loops.Leave.

// rangeLoop is one such loop during lowering.
type rangeLoop struct {
	lo     *lowering
	s      *ast.RangeStmt
	v      *ir.Variable // the runtime's part of the loop
	leaves []*leaving
}

// leaving is a place that stops the function on the way to a target.
type leaving struct {
	at, to *ir.Label // to is nil if the machine ends
}

// asks reports whether a loop requests values from a function: always for a stream, and for
// another function if something in the loop suspends.
func (lo *lowering) asks(s *ast.RangeStmt) bool {
	if _, ok := lo.StreamIn(s); ok {
		return true
	}
	_, ok := typeset.Core(lo.TypeOf(s.X)).(*types.Signature)
	return ok && (lo.Suspends(s.Body) || lo.suspendsLeft(s))
}

func (r *ranging) overFunc(name string) {
	lo := r.lo
	l := &rangeLoop{lo: lo, s: r.s, v: &ir.Variable{Name: "loop", Place: ir.InFrame}}
	lo.all = append(lo.all, l.v)
	lo.loops = true
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: l.v}}, Src: l.begin()})
	lo.add(&ir.Synthetic{Line: ir.Rope{ir.LoopsName, ir.Text(".Open("), ir.Use(l.v), ir.Text(")")}}, &ir.Mark{Label: r.top})
	l.ask("Next")
	done := lo.label("done")
	lo.add(&ir.Branch{Cond: ir.Rope{ir.Use(l.v), ir.Text(".More("), ir.RunName, ir.Text(")")}, Not: true, To: done})
	key, value := ir.Rope{ir.Use(l.v), ir.Text(".Key()")}, ir.Rope{ir.Use(l.v), ir.Text(".Value()")}
	if r.s.Tok == token.ASSIGN {
		r.assignInTurn(r.s.Key, key)
		r.assignInTurn(r.s.Value, value)
	} else {
		r.assign(key, value, false)
	}
	lo.enter(jumpTarget{name: name, breakTo: r.end, continueTo: r.next, loop: l})
	lo.block(r.s.Body.List)
	lo.leave()
	lo.add(&ir.Mark{Label: r.next}, &ir.Jump{To: r.top})
	l.stops()
	lo.add(&ir.Mark{Label: done}, closeLoop, forget(l.v), &ir.Mark{Label: r.end})
}

// assignInTurn assigns one value of the iteration to an existing variable. In plain Go the body
// is a function that assigns each of its parameters in a separate statement: the key is assigned
// before the place for the value is evaluated.
func (r *ranging) assignInTurn(lhs ast.Expr, value ir.Rope) {
	if wanted(lhs) {
		r.lo.spillAll([]analyse.Operand{{Expr: lhs, Assigned: true}}, false)
		r.lo.add(&ir.Assign{Dst: []ir.Dest{r.lo.dest(lhs)}, Src: value})
	}
}

var closeLoop = &ir.Synthetic{Line: ir.Rope{ir.LoopsName, ir.Text(".Close()")}}

// begin returns the expression that begins the loop, and sets the loop's type.
func (l *rangeLoop) begin() ir.Rope {
	lo, s := l.lo, l.s
	if in, ok := lo.StreamIn(s); ok {
		value := in.Point.Result
		var src ir.Rope
		if in.Call != nil {
			lo.spillArgs(in.Call)
			lo.rename(in.Call, in.Point.Method, in.Point.Twin.Name())
			src = lo.expr(in.Call)
		} else {
			value = source.StreamArgument(lo.TypeOf(in.Of))
			lo.spill(in.Of, false)
			src = lo.value(in.Of)
		}
		l.setType(value, types.Universe.Lookup("error").Type())
		if lo.Streams() {
			return l.call("RangeWithin", append(ir.Rope{ir.FrameName, ir.Text(", ")}, src...))
		}
		return l.call("RangeStream", src)
	}
	key, value := source.YieldedBy(lo.TypeOf(s.X))
	l.setType(key, value)
	lo.spill(s.X, false)
	function := "Range2"
	switch {
	case key == nil:
		function = "Range0"
	case value == nil:
		function = "Range1"
	}
	return append(append(ir.Rope{ir.StatemachineName, ir.Text("." + function), l.typeArgs(key, value), ir.Text("(")}, l.function()...), ir.Text(")"))
}

// typeArgs returns explicit type arguments, since they cannot be inferred from a value whose type
// is a type parameter.
func (l *rangeLoop) typeArgs(key, value types.Type) ir.Piece {
	switch {
	case key == nil:
		return ir.Text("")
	case value == nil:
		return l.lo.typeArgument(l.s, key)
	}
	return l.lo.typeArgument(l.s, key, value)
}

// function returns the function that is ranged over. A function whose yield has a named type
// cannot be converted to one whose yield has an unnamed type, but a literal of the latter can
// call it.
func (l *rangeLoop) function() ir.Rope {
	lo, s := l.lo, l.s
	yield := typeset.Core(lo.TypeOf(s.X)).(*types.Signature).Params().At(0).Type()
	if _, plain := types.Unalias(yield).(*types.Signature); plain {
		return lo.value(s.X)
	}
	given := lo.temp("given", lo.TypeOf(s.X))
	lo.add(&ir.Assign{Dst: []ir.Dest{{V: given, Declares: true}}, Src: lo.value(s.X), Typed: true})
	name := lo.names.Fresh("yield")
	return ir.Rope{ir.Text("func(" + name + " "), ir.TypeText(typeset.Core(yield), s), ir.Text(") { "), ir.UseAs(given, ir.AsBorrowed), ir.Text("(" + name + ") }")}
}

func (l *rangeLoop) call(function string, arg ir.Rope) ir.Rope {
	return append(append(ir.Rope{ir.StatemachineName, ir.Text("." + function + "(")}, arg...), ir.Text(")"))
}

// setType sets the type of the runtime's part of the loop. A nil type stands for an absent
// variable.
func (l *rangeLoop) setType(key, value types.Type) {
	spelled := func(t types.Type) ir.Rope {
		if t == nil {
			return ir.Rope{ir.JobName, ir.Text(".Void")}
		}
		return ir.Rope{ir.TypeText(t, nil)}
	}
	l.v.Spelled = append(ir.Rope{ir.Text("*"), ir.StatemachineName, ir.Text(".Loop[")}, join([]ir.Rope{spelled(key), spelled(value)})...)
	l.v.Spelled = append(l.v.Spelled, ir.Text("]"))
}

// ask calls a method of the loop that may suspend.
func (l *rangeLoop) ask(method string) {
	lo := l.lo
	p := &ir.Point{Call: l.s.For, Kind: source.KindLoop, Loop: l.v, Method: method, Resume: lo.label("resume")}
	if method == "Next" {
		lo.add(&ir.LineComment{Pos: p.Call})
	}
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
}

// through returns the first target of a jump out of the loop; nil stands for the machine's end.
func (l *rangeLoop) through(to *ir.Label) *ir.Label {
	for _, leave := range l.leaves {
		if leave.to == to {
			return leave.at
		}
	}
	leave := &leaving{at: l.lo.label("leave"), to: to}
	l.leaves = append(l.leaves, leave)
	return leave.at
}

// stops adds the places that stop the function.
func (l *rangeLoop) stops() {
	lo := l.lo
	for _, leave := range l.leaves {
		lo.add(&ir.Mark{Label: leave.at})
		l.ask("Stop")
		lo.add(&ir.Synthetic{Line: ir.Rope{ir.Use(l.v), ir.Text(".Stopped("), ir.RunName, ir.Text(")")}}, closeLoop, forget(l.v))
		if leave.to == nil {
			lo.add(&ir.Finish{Results: lo.results})
		} else {
			lo.add(&ir.Jump{To: leave.to})
		}
	}
}

// out returns the first target of a jump to a target that leaves the enclosing statements from
// index first on.
func (lo *lowering) out(to *ir.Label, first int) *ir.Label {
	for _, t := range lo.around[first:] {
		if t.loop != nil {
			to = t.loop.through(to)
		}
	}
	return to
}

// outside returns the index of the first enclosing loop that does not contain a goto's target.
func (lo *lowering) outside(target token.Pos) int {
	for i, t := range lo.around {
		if t.loop != nil && !analyse.Within(t.loop.s, target) {
			return i
		}
	}
	return len(lo.around)
}

// The machine of a stream differs from others in three ways: it emits values, it returns nothing
// at its end, and only a range enters it.

// suspendEmit emits a value. Source, then result:
//
//	if !yield(page, nil) { return }
//
//	f.Emit(page, nil)
//	f.State = 1
//	return true
//	resume1:
//	if !f.Wanted(r) { … }
//
// To the caller of MoveNext, a machine that has reached a yield has completed a run.
func (lo *lowering) suspendEmit(call *ast.CallExpr, p *ir.Point, dst []ir.Dest) {
	lo.spillArgs(call)
	fun := ast.Unparen(call.Fun)
	lo.renamed[call] = []ir.Edit{{Pos: fun.Pos(), End: fun.End(), With: ir.Rope{ir.FrameName, ir.Text(".Emit")}}}
	lo.add(&ir.Assign{Src: lo.expr(call)})
	lo.add(&ir.Park{Point: p}, &ir.Mark{Label: p.Resume})
	lo.add(&ir.Assign{Dst: dst, Src: ir.Rope{ir.FrameName, ir.Text(".Wanted("), ir.RunName, ir.Text(")")}, Typed: lo.retyped(call, dst)})
}
