package lower

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

func (lo *lowering) deferStatement(s *ast.DeferStmt) {
	if lo.Suspends(s) {
		lo.spillAll(lo.PutOffOperands(s.Call), false)
	}
	if f := lo.FuncVarOf(s.Call.Fun); f != nil && f.Perhaps {
		lo.deferPerhaps(s, f)
		return
	}
	lo.add(lo.deferring(s))
}

// deferPerhaps defers a call of a variable whose companion may be nil: then the call is plain, and
// may recover.
func (lo *lowering) deferPerhaps(s *ast.DeferStmt, f *analyse.FuncVar) {
	plain, end := lo.label("plain"), lo.label("deferred")
	lo.add(lo.unlessEntered(f, plain), lo.deferring(s), &ir.Jump{To: end}, &ir.Mark{Label: plain})
	d := &ir.Deferral{Node: s, Late: lo.HasCall(s.Call.Fun)}
	d.Call = lo.deferredCall(d, s.Call, nil)
	lo.add(d, &ir.Mark{Label: end})
}

// deferring returns the instruction of a defer statement whose suspension points, if any, have
// already been evaluated.
func (lo *lowering) deferring(s *ast.DeferStmt) *ir.Deferral {
	d := &ir.Deferral{Node: s, Late: lo.HasCall(s.Call.Fun), Plain: !lo.mayRecover(s.Call)}
	if p := lo.Deferred[s]; p != nil {
		lo.deferringPoint(d, s, p)
	} else {
		d.Call = lo.deferredCall(d, s.Call, nil)
	}
	return d
}

// deferredCall returns the call with the evaluated values inserted. Arguments that the source
// does not have come first, except for the receiver of a method expression.
func (lo *lowering) deferredCall(d *ir.Deferral, call *ast.CallExpr, method *types.Selection, more ...ir.Rope) ir.Rope {
	(&mentionScan{lo: lo}).replaceRunner(call)
	fun := lo.deferredFunc(d, call)
	args := lo.keptArguments(d, call)
	at := 0
	if method != nil && method.Kind() == types.MethodExpr {
		at = 1
	}
	args = slices.Insert(args, at, more...)
	return append(append(append(fun, ir.Text("(")), join(args)...), ir.Text(")"))
}

func (lo *lowering) keptArguments(d *ir.Deferral, call *ast.CallExpr) []ir.Rope {
	var args []ir.Rope
	for _, arg := range call.Args {
		if tuple, ok := lo.TypeOf(arg).(*types.Tuple); ok {
			return lo.forward(d, arg, tuple)
		}
		args = append(args, lo.keptValue(d, arg))
	}
	return spread(call, args)
}

// deferredFunc returns the callee: a function by its name, a literal, or a value evaluated here.
func (lo *lowering) deferredFunc(d *ir.Deferral, call *ast.CallExpr) ir.Rope {
	fun := ast.Unparen(call.Fun)
	if _, ok := fun.(*ast.FuncLit); ok {
		return lo.inLiteral(fun)
	}
	if _, ok := lo.Builtin(fun); ok {
		return lo.inLiteral(fun)
	}
	if fn, _, sel := source.Callee(call, lo.Info); fn != nil && (sel == nil || sel.Kind() == types.MethodExpr || lo.BindsItself(fun, sel)) {
		return lo.inLiteral(fun)
	}
	if lo.IsStable(fun) {
		return lo.inLiteral(fun)
	}
	return lo.evaluatedNow(d, calledName(call), lo.value(fun))
}

// keptValue returns an argument as the stored call passes it.
func (lo *lowering) keptValue(d *ir.Deferral, arg ast.Expr) ir.Rope {
	switch e := ast.Unparen(arg); {
	case lo.IsConstant(e), lo.Info.Types[e].IsNil(), lo.Info.Types[e].IsType():
		return lo.inLiteral(e)
	case lo.IsStable(e):
		return lo.inLiteral(e)
	}
	val := lo.value(arg)
	if _, done := lo.evaluated[ast.Unparen(arg)]; !done && lo.needsType(ast.Unparen(arg)) {
		val = lo.convertedTo(lo.TypeOf(arg), val, arg)
	}
	return lo.evaluatedNow(d, "arg", val)
}

// forward handles f(g()): the results of g become arguments.
func (lo *lowering) forward(d *ir.Deferral, arg ast.Expr, tuple *types.Tuple) []ir.Rope {
	var list []ir.Rope
	for range tuple.Len() {
		name := lo.names.Fresh("arg")
		d.Tuple = append(d.Tuple, name)
		list = append(list, ir.Rope{ir.Text(name)})
	}
	d.Forwarded = lo.value(arg)
	return list
}

func (lo *lowering) evaluatedNow(d *ir.Deferral, stem string, val ir.Rope) ir.Rope {
	name := lo.names.Fresh(stem)
	d.Names, d.Vals = append(d.Names, name), append(d.Vals, val)
	return ir.Rope{ir.Text(name)}
}

// inLiteral returns node as it is spelled inside of a function literal.
func (lo *lowering) inLiteral(node ast.Node) ir.Rope {
	s := &mentionScan{lo: lo, root: node, literals: 1}
	s.walk(node)
	return ir.Rope{{Span: s.span()}}
}

// Deferred calls that cannot recover are kept as they are.

// mayRecover reports whether a deferred call may call a function that itself calls recover. Only
// a literal or a function of the file can be seen not to.
func (lo *lowering) mayRecover(call *ast.CallExpr) bool {
	if name, ok := lo.Builtin(call.Fun); ok {
		return name == "recover"
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return lo.CallsRecover(lit.Body)
	}
	fn, _, _ := source.Callee(call, lo.Info)
	if fn == nil {
		return true
	}
	decl := lo.Source.File.DeclarationAt(fn.Origin().Pos())
	return decl == nil || decl.Body == nil || lo.CallsRecover(decl.Body)
}

// Deferred calls that suspend. statemachine/epilogue.go describes what the runtime does
// with them. Source, then result:
//
//	defer conn.close(ctx)
//
//	{
//		close1 := f.conn.closeEnter
//		ctx := f.ctx
//		f.defers.PushEntry(func(
//			r *statemachine.Run, _ *statemachine.Panicking,
//		) statemachine.After {
//			m, _ := close1(r, ctx)
//			return statemachine.Entered(m != nil)
//		})
//	}

// flattenEpilogue adds the code that runs where the function ends, by a return or a panic.
func (lo *lowering) flattenEpilogue() {
	end := lo.Body.Rbrace
	p := &ir.Point{Call: end, Kind: source.KindDeferred, Resume: lo.label("resume")}
	resumed := ir.Rope{ir.DefersName, ir.Text(".Resumed("), ir.RunName, ir.Text(")")}
	lo.add(&ir.Mark{Label: lo.epilogue}, &ir.Park{Point: p}, &ir.Mark{Label: p.Resume}, &ir.Synthetic{Line: resumed}, &ir.Jump{To: lo.epilogue})
}

// declareRecovery gives a deferred literal that calls recover a parameter for the panic.
func (lo *lowering) declareRecovery() {
	if lo.Literal == nil || !lo.Literal.Deferred || !lo.CallsRecover(lo.Body) {
		return
	}
	typ := ir.Rope{ir.Text("*"), ir.StatemachineName, ir.Text(".Panicking")}
	lo.recovery = &ir.Variable{Name: "panicking", Spelled: typ, Param: true, Outside: true, Place: ir.InFrame}
	lo.all = append(lo.all, lo.recovery)
}

// deferringPoint makes d store a call that suspends.
func (lo *lowering) deferringPoint(d *ir.Deferral, s *ast.DeferStmt, p *source.Suspension) {
	switch p.Kind {
	case source.KindEnter:
		lo.renameCallee(s.Call, p.Enter.Name())
		more := []ir.Rope{{ir.RunName}}
		for range p.Companions {
			more = append(more, ir.Rope{ir.NilName})
		}
		enters(d, lo.values(s.Call), lo.deferredCall(d, s.Call, p.Method, more...))
	case source.KindLiteral:
		l := lo.machineOf(ast.Unparen(s.Call.Fun).(*ast.FuncLit))
		args := []ir.Rope{{ir.RunName}}
		if l.recovery != nil {
			d.Recovers = true
			args[0] = append(args[0], ir.Text(", "), ir.PanickingName)
		}
		args = append(args, lo.keptArguments(d, s.Call)...)
		enters(d, lo.values(s.Call), lo.enterLiteral(l, true, args...))
	case source.KindValue:
		f := lo.FuncVarOf(s.Call.Fun)
		entry := lo.evaluatedNow(d, f.Var.Name(), ir.Rope{ir.Use(lo.entryOf(f))})
		args := append([]ir.Rope{{ir.RunName}}, lo.keptArguments(d, s.Call)...)
		enters(d, lo.values(s.Call), append(append(entry, ir.Text("(")), append(join(args), ir.Text(")"))...))
	case source.KindTwin, source.KindSleep:
		lo.renameCallee(s.Call, p.Twin.Name())
		d.Entry = returnOf("DeferTwin(", ir.Rope{ir.RunName}, lo.deferredCall(d, s.Call, p.Method))
	case source.KindAwaitJob:
		d.Entry = lo.deferredAwait(s.Call, p.Result, lo.evaluatedNow(d, "await", lo.awaitedJob(s.Call, p)))
	case source.KindAwait:
		d.Entry = lo.deferredAwait(s.Call, p.Result, lo.keptValue(d, s.Call.Args[0]))
	case source.KindYield:
		d.Entry = returnOf("DeferYield(", ir.Rope{ir.RunName})
	case source.KindSwitchTo:
		args := lo.keptArguments(d, s.Call)
		d.Entry = returnOf("DeferSwitch(", args[0], ir.Rope{ir.RunName}, args[1])
	}
}

// enters sets the entry of d, which calls another entry that returns the machine before its
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
	return append(ir.Rope{ir.Text("return "), ir.StatemachineName, ir.Text("." + function)}, append(join(args), ir.Text(")"))...)
}

func join(list []ir.Rope) ir.Rope {
	var r ir.Rope
	for i, part := range list {
		if i > 0 {
			r = append(r, ir.Text(", "))
		}
		r = append(r, part...)
	}
	return r
}

func (lo *lowering) deferredAwait(call *ast.CallExpr, result types.Type, awaited ir.Rope) ir.Rope {
	r := ir.Rope{ir.Text("return "), ir.StatemachineName, ir.Text(".DeferAwait"), lo.typeArgument(call, result), ir.Text("(")}
	return append(append(append(r, ir.RunName, ir.Text(", ")), awaited...), ir.Text(")"))
}
