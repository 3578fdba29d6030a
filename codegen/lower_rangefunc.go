package codegen

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Ranges over streams, and over functions if the body suspends. In plain Go the
// function calls the body; here the loop asks for the next value, which is a suspension
// point (statemachine/loop.go):
//
//	for p, err := range pages(ctx, first) { body }
//
//	loop1 = statemachine.RangeStream(pagesAsync(ctx, first))
//	loops.Open(loop1)
//	range1:
//	if loop1.Next(t) { goto resume1 }     // suspends
//	resume1:
//	if !loop1.More(t) { goto done1 }
//	p, err = loop1.Key(), loop1.Value()
//	body
//	goto range1
//	done1:
//	loops.Close()
//	endRange1:
//
// # Leaving
//
// A jump or a return out of the loop must stop the function first, which may suspend.
// So it jumps to code after the loop, one piece for each target, which stops the
// function and continues:
//
//	leave1:
//	if loop1.Stop(t) { goto resume2 }     // suspends
//	resume2:
//	loop1.Stopped(t)
//	loops.Close()
//	goto endRange1
//
// A jump out of several such loops passes through one place in each, the innermost
// first. The runtime handles panics: see Loops.Leave.

// rangeLoop is one such loop while it is lowered.
type rangeLoop struct {
	u      *unit
	s      *ast.RangeStmt
	v      *variable // the runtime's part of the loop
	leaves []*leaving
}

// leaving is a place where the function is stopped on the way to a target.
type leaving struct {
	at, to *label // to is nil if the machine ends
}

// asks reports whether a loop asks a function for its values: over a stream always,
// over another function if something in it suspends.
func (u *unit) asks(s *ast.RangeStmt) bool {
	if _, ok := u.streamIn(s); ok {
		return true
	}
	_, ok := typeset.Core(u.typeOf(s.X)).(*types.Signature)
	return ok && (u.suspends(s.Body) || u.suspendsLeft(s))
}

func (r *ranging) overFunc(name string) {
	u := r.u
	l := &rangeLoop{u: u, s: r.s, v: &variable{name: "loop", place: inFrame}}
	u.all = append(u.all, l.v)
	u.loops = true
	u.add(&assign{dst: []dest{{v: l.v}}, src: l.begin()})
	u.add(&do{line: rope{loopsName, text(".Open("), use(l.v), text(")")}}, &mark{label: r.top})
	l.ask("Next")
	done := u.label("done")
	u.add(&branch{cond: rope{use(l.v), text(".More("), taskName, text(")")}, not: true, to: done})
	key, value := rope{use(l.v), text(".Key()")}, rope{use(l.v), text(".Value()")}
	if r.s.Tok == token.ASSIGN {
		r.assignInTurn(r.s.Key, key)
		r.assignInTurn(r.s.Value, value)
	} else {
		r.assign(key, value, false)
	}
	u.enter(jumpTarget{name: name, breakTo: r.end, continueTo: r.next, loop: l})
	u.block(r.s.Body.List)
	u.leave()
	u.add(&mark{label: r.next}, &jump{r.top})
	l.stops()
	u.add(&mark{label: done}, closeLoop, forget(l.v), &mark{label: r.end})
}

// assignInTurn gives one value of the iteration to the variable that is there already.
// In plain Go the body is a function that assigns its parameters, one in a statement of
// its own each: the key is assigned before the value's place is evaluated.
func (r *ranging) assignInTurn(lhs ast.Expr, value rope) {
	if wanted(lhs) {
		r.u.spillAll([]operandOf{{expr: lhs, assigned: true}}, false)
		r.u.add(&assign{dst: []dest{r.u.left(lhs)}, src: value})
	}
}

var closeLoop = &do{line: rope{loopsName, text(".Close()")}}

// begin is the expression that begins the loop, and its type.
func (l *rangeLoop) begin() rope {
	u, s := l.u, l.s
	if in, ok := u.streamIn(s); ok {
		value := in.point.Result
		var src rope
		if in.call != nil {
			u.spillArgs(in.call)
			u.rename(in.call, in.point.Method, in.point.Twin)
			src = u.expr(in.call)
		} else {
			value = source.StreamArgument(u.typeOf(in.of))
			u.spill(in.of, false)
			src = u.value(in.of)
		}
		l.typed(func() (string, error) { return u.imports.TypeString(value) }, func() (string, error) { return u.imports.TypeString(types.Universe.Lookup("error").Type()) })
		return l.call("RangeStream", src)
	}
	key, value := source.YieldedBy(u.typeOf(s.X))
	l.typed(l.spelled(key), l.spelled(value))
	u.spill(s.X, false)
	function := "Range2"
	switch {
	case key == nil:
		function = "Range0"
	case value == nil:
		function = "Range1"
	}
	return append(append(rope{statemachineName, text("." + function), l.typeArgs(key, value), text("(")}, l.function()...), text(")"))
}

// typeArgs are written down, for they cannot be inferred from a value of a type
// parameter's type.
func (l *rangeLoop) typeArgs(key, value types.Type) piece {
	switch {
	case key == nil:
		return text("")
	case value == nil:
		return l.u.typeArgument(l.s, key)
	}
	return l.u.typeArgument(l.s, key, value)
}

// function is the function that is ranged over. One that takes a yield of a named type
// cannot be converted to one with an unnamed type, but one of the latter can call it.
func (l *rangeLoop) function() rope {
	u, s := l.u, l.s
	yield := typeset.Core(u.typeOf(s.X)).(*types.Signature).Params().At(0).Type()
	if _, plain := types.Unalias(yield).(*types.Signature); plain {
		return u.value(s.X)
	}
	given := u.temp("given", u.typeOf(s.X))
	u.add(&assign{dst: []dest{{v: given, declares: true}}, src: u.value(s.X), typed: true})
	name := u.names.fresh("yield")
	param := late(func(p *printer) string { return "func(" + name + " " + p.typ(typeset.Core(yield), s) + ") { " })
	return rope{param, useAs(given, borrowed), text("(" + name + ") }")}
}

func (l *rangeLoop) call(function string, arg rope) rope {
	return append(append(rope{statemachineName, text("." + function + "(")}, arg...), text(")"))
}

// spelled spells the type of a variable of the loop; job.Void if there is none.
func (l *rangeLoop) spelled(t types.Type) func() (string, error) {
	im := l.u.imports
	if t == nil {
		return func() (string, error) { return im.Path(source.JobPath, "job") + ".Void", nil }
	}
	return func() (string, error) { return im.TypeString(t) }
}

func (l *rangeLoop) typed(key, value func() (string, error)) {
	l.v.typeText = func() (string, error) {
		k, err := key()
		if err != nil {
			return "", err
		}
		v, err := value()
		return "*" + l.u.imports.Path(source.StatemachinePath, "statemachine") + ".Loop[" + k + ", " + v + "]", err
	}
}

// ask calls a method of the loop that may suspend.
func (l *rangeLoop) ask(method string) {
	u := l.u
	p := &point{call: l.s.For, kind: source.KindLoop, loop: l.v, method: method, resume: u.label("resume")}
	if method == "Next" {
		u.add(&note{pos: p.call})
	}
	u.add(&park{p}, &mark{label: p.resume})
}

// through is where a jump out of the loop goes first; nil stands for the machine's end.
func (l *rangeLoop) through(to *label) *label {
	for _, leave := range l.leaves {
		if leave.to == to {
			return leave.at
		}
	}
	leave := &leaving{at: l.u.label("leave"), to: to}
	l.leaves = append(l.leaves, leave)
	return leave.at
}

// stops adds the places where the function is stopped.
func (l *rangeLoop) stops() {
	u := l.u
	for _, leave := range l.leaves {
		u.add(&mark{label: leave.at})
		l.ask("Stop")
		u.add(&do{line: rope{use(l.v), text(".Stopped("), taskName, text(")")}}, closeLoop, forget(l.v))
		if leave.to == nil {
			u.add(&finish{u.results})
		} else {
			u.add(&jump{leave.to})
		}
	}
}

// out is where a jump to a target goes that leaves the statements around from index
// first on.
func (u *unit) out(to *label, first int) *label {
	for _, t := range u.around[first:] {
		if t.loop != nil {
			to = t.loop.through(to)
		}
	}
	return to
}

// outside is the index of the first statement around that does not hold a goto's
// target.
func (u *unit) outside(target token.Pos) int {
	for i, t := range u.around {
		if t.loop != nil && !within(t.loop.s, target) {
			return i
		}
	}
	return len(u.around)
}
