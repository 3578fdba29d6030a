package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Deferred calls that suspend. statemachine/epilogue.go describes what the runtime does
// with them. Source, then result:
//
//	defer conn.close(ctx)
//
//	{
//		close1 := f.conn.closeEnter
//		ctx := f.ctx
//		f.defers.PushEntry(func(
//			t *statemachine.Task, _ *statemachine.Panicking,
//		) statemachine.After {
//			m, _ := close1(t, ctx)
//			return statemachine.Entered(m != nil)
//		})
//	}

// handler says that a panic may lead to a label from anywhere.
type handler struct {
	straight
	to *label
}

func (h *handler) refs(_, _ func(*variable)) {}
func (h *handler) targets() []*label         { return []*label{h.to} }
func (h *handler) print(*printer)            {}

// flattenEpilogue is where the function ends, by a return or a panic.
func (u *unit) flattenEpilogue() {
	end := u.body.Rbrace
	p := &point{call: end, kind: source.KindDeferred, resume: u.label("resume")}
	resumed := rope{late(func(p *printer) string { return p.u.names.recv + "." + p.u.names.defers + ".Resumed(" }), taskName, text(")")}
	u.add(&mark{label: u.epilogue}, &park{p}, &mark{label: p.resume}, &do{line: resumed}, &jump{u.epilogue})
}

// declareRecovery gives a deferred literal that calls recover something to ask.
func (u *unit) declareRecovery() {
	if u.self == nil || !u.self.deferred || !u.callsRecover(u.body) {
		return
	}
	typ := func() (string, error) {
		return "*" + u.imports.Path(source.StatemachinePath, "statemachine") + ".Panicking", nil
	}
	u.recovery = &variable{name: "panicking", typeText: typ, param: true, outside: true, place: inFrame}
	u.all = append(u.all, u.recovery)
}

// callsRecover reports whether a function calls recover itself.
func (u *unit) callsRecover(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			name, _ := u.builtin(n.Fun)
			found = found || name == "recover"
		}
		return !found
	})
	return found
}

// deferringPoint makes d keep a call that suspends.
func (u *unit) deferringPoint(d *deferral, s *ast.DeferStmt, p *source.Suspension) {
	switch p.Kind {
	case source.KindEnter:
		u.renameCallee(s.Call, p.Enter)
		d.enters(u.values(s.Call), u.deferredCall(d, s.Call, p.Method, rope{taskName}))
	case source.KindLiteral:
		l := u.lowered(ast.Unparen(s.Call.Fun).(*ast.FuncLit))
		args := []rope{{taskName}}
		if l.unit.recovery != nil {
			d.recovers = true
			args[0] = append(args[0], text(", "), late(func(p *printer) string { return p.u.names.panicking }))
		}
		args = append(args, u.keptArguments(d, s.Call)...)
		d.enters(u.values(s.Call), u.enterLiteral(l, true, args...))
	case source.KindValue:
		f := u.funcVarOf(s.Call.Fun)
		entry := u.evaluatedNow(d, f.v.Name(), rope{use(u.entryOf(f))})
		args := append([]rope{{taskName}}, u.keptArguments(d, s.Call)...)
		d.enters(u.values(s.Call), append(append(entry, text("(")), append(joined(args), text(")"))...))
	case source.KindTwin, source.KindSleep:
		u.renameCallee(s.Call, p.Twin)
		d.entry = returnOf("DeferTwin(", rope{taskName}, u.deferredCall(d, s.Call, p.Method))
	case source.KindAwaitJob:
		d.entry = u.deferredAwait(s.Call, p.Result, u.evaluatedNow(d, "await", u.awaitedJob(s.Call, p)))
	case source.KindAwait:
		d.entry = u.deferredAwait(s.Call, p.Result, u.keptValue(d, s.Call.Args[0]))
	case source.KindYield:
		d.entry = returnOf("DeferYield(", rope{taskName})
	case source.KindSwitchTo:
		args := u.keptArguments(d, s.Call)
		d.entry = returnOf("DeferSwitch(", args[0], rope{taskName}, args[1])
	}
}

// enters is an entry that calls another's, which returns the machine before its
// results.
func (d *deferral) enters(results int, call rope) {
	callee := late(func(p *printer) string { return p.u.names.callee })
	d.entry = rope{callee}
	for range results {
		d.entry = append(d.entry, text(", _"))
	}
	d.entry = append(append(d.entry, text(" := ")), call...)
	isNil := late(func(p *printer) string { return " != " + p.predeclared("nil") + ")" })
	d.entry = append(d.entry, text("\nreturn "), statemachineName, text(".Entered("), callee, isNil)
}

func returnOf(function string, args ...rope) rope {
	return append(rope{text("return "), statemachineName, text("." + function)}, append(joined(args), text(")"))...)
}

func joined(list []rope) rope {
	var r rope
	for i, part := range list {
		if i > 0 {
			r = append(r, text(", "))
		}
		r = append(r, part...)
	}
	return r
}

func (u *unit) deferredAwait(call *ast.CallExpr, result types.Type, awaited rope) rope {
	r := rope{text("return "), statemachineName, text(".DeferAwait"), u.typeArgument(call, result), text("(")}
	return append(append(append(r, taskName, text(", ")), awaited...), text(")"))
}
