package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/ir"
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

// flattenEpilogue is where the function ends, by a return or a panic.
func (u *unit) flattenEpilogue() {
	end := u.Body.Rbrace
	p := &ir.Point{Call: end, Kind: source.KindDeferred, Resume: u.label("resume")}
	resumed := ir.Rope{ir.DefersName, ir.Text(".Resumed("), ir.TaskName, ir.Text(")")}
	u.add(&ir.Mark{Label: u.epilogue}, &ir.Park{Point: p}, &ir.Mark{Label: p.Resume}, &ir.Do{Line: resumed}, &ir.Jump{To: u.epilogue})
}

// declareRecovery gives a deferred literal that calls recover something to ask.
func (u *unit) declareRecovery() {
	if u.Literal == nil || !u.Literal.Deferred || !u.CallsRecover(u.Body) {
		return
	}
	typ := ir.Rope{ir.Text("*"), ir.StatemachineName, ir.Text(".Panicking")}
	u.recovery = &ir.Variable{Name: "panicking", Spelled: typ, Param: true, Outside: true, Place: ir.InFrame}
	u.all = append(u.all, u.recovery)
}

// deferringPoint makes d keep a call that suspends.
func (u *unit) deferringPoint(d *ir.Deferral, s *ast.DeferStmt, p *source.Suspension) {
	switch p.Kind {
	case source.KindEnter:
		u.renameCallee(s.Call, p.Enter)
		enters(d, u.values(s.Call), u.deferredCall(d, s.Call, p.Method, ir.Rope{ir.TaskName}))
	case source.KindLiteral:
		l := u.lowered(ast.Unparen(s.Call.Fun).(*ast.FuncLit))
		args := []ir.Rope{{ir.TaskName}}
		if l.recovery != nil {
			d.Recovers = true
			args[0] = append(args[0], ir.Text(", "), ir.PanickingName)
		}
		args = append(args, u.keptArguments(d, s.Call)...)
		enters(d, u.values(s.Call), u.enterLiteral(l, true, args...))
	case source.KindValue:
		f := u.FuncVarOf(s.Call.Fun)
		entry := u.evaluatedNow(d, f.Var.Name(), ir.Rope{ir.Use(u.entryOf(f))})
		args := append([]ir.Rope{{ir.TaskName}}, u.keptArguments(d, s.Call)...)
		enters(d, u.values(s.Call), append(append(entry, ir.Text("(")), append(joined(args), ir.Text(")"))...))
	case source.KindTwin, source.KindSleep:
		u.renameCallee(s.Call, p.Twin)
		d.Entry = returnOf("DeferTwin(", ir.Rope{ir.TaskName}, u.deferredCall(d, s.Call, p.Method))
	case source.KindAwaitJob:
		d.Entry = u.deferredAwait(s.Call, p.Result, u.evaluatedNow(d, "await", u.awaitedJob(s.Call, p)))
	case source.KindAwait:
		d.Entry = u.deferredAwait(s.Call, p.Result, u.keptValue(d, s.Call.Args[0]))
	case source.KindYield:
		d.Entry = returnOf("DeferYield(", ir.Rope{ir.TaskName})
	case source.KindSwitchTo:
		args := u.keptArguments(d, s.Call)
		d.Entry = returnOf("DeferSwitch(", args[0], ir.Rope{ir.TaskName}, args[1])
	}
}

// enters is an entry that calls another's, which returns the machine before its
// results.
func enters(d *ir.Deferral, results int, call ir.Rope) {
	d.Entry = ir.Rope{ir.CalleeName}
	for range results {
		d.Entry = append(d.Entry, ir.Text(", _"))
	}
	d.Entry = append(append(d.Entry, ir.Text(" := ")), call...)
	d.Entry = append(d.Entry, ir.Text("\nreturn "), ir.StatemachineName, ir.Text(".Entered("), ir.CalleeName, ir.Text(" != "), ir.NilName, ir.Text(")"))
}

func returnOf(function string, args ...ir.Rope) ir.Rope {
	return append(ir.Rope{ir.Text("return "), ir.StatemachineName, ir.Text("." + function)}, append(joined(args), ir.Text(")"))...)
}

func joined(list []ir.Rope) ir.Rope {
	var r ir.Rope
	for i, part := range list {
		if i > 0 {
			r = append(r, ir.Text(", "))
		}
		r = append(r, part...)
	}
	return r
}

func (u *unit) deferredAwait(call *ast.CallExpr, result types.Type, awaited ir.Rope) ir.Rope {
	r := ir.Rope{ir.Text("return "), ir.StatemachineName, ir.Text(".DeferAwait"), u.typeArgument(call, result), ir.Text("(")}
	return append(append(append(r, ir.TaskName, ir.Text(", ")), awaited...), ir.Text(")"))
}
