package codegen

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Functions that the runtime calls. job.Run, a scope's Go, coord.Lazy and their kin
// take a function; if it suspends, it becomes one that tells the runtime so (package
// internal/suspension). Its type and the call stay. For a literal, source, then result:
//
//	j := job.Run(ctx, func(ctx context.Context) (int, error) { return fetch(ctx, url) },
//		job.On(s))
//
//	j := job.Run(ctx, func(ctx1 context.Context) (int, error) {
//		return loadFunc1Run(url, ctx1)
//	}, job.On(s))
//
// and for a function that has a twin:
//
//	s.Go(c.ping)
//
//	s.Go(statemachine.Action1(c.pingAsync))
//
// The call itself is plain Go, so it is found anywhere in the function, in function
// literals that stay as they are too.

// A job that is awaited where it is started need not be queued first. Source, then result:
//
//	v, err := job.Run(ctx, fn).Await()
//
//	f.await1 = job.New(ctx, fn)
//
// Awaiting starts it, and a machine that awaits it on a worker of its scheduler runs it: 250 ns
// with the way through the queue, half of them for another worker that was woken in vain.

// A function that the caller waits for suspends only where the caller does, since that
// calls the twin. In a literal that stays plain Go the caller is plain, and would not
// understand the answer. Source, then result:
//
//	err = job.InScope(ctx, func(ctx context.Context, s *job.Scope) error { return fill(ctx, s) })
//
//	f.inScope1 = job.InScopeAsync(f.ctx, func(ctx1 context.Context, s1 *job.Scope) error {
//		return fetchFunc1Run(ctx1, s1)
//	})

// runners are the runtime's functions that call a function which may suspend: the one
// that is their parameter.
var runners = map[source.FuncKey]bool{
	source.JobPath + ".Run": true, source.JobPath + ".Go": true, source.JobPath + ".New": true, source.JobPath + ".Spawn": true,
	source.JobPath + ".Scope.Go": true, source.JobPath + ".InScope": true, source.JobPath + ".InScopeAsync": true,
	source.JobPath + ".ContinueWith": true, source.JobPath + ".Job.ContinueWith": true, source.JobPath + ".Then": true, source.JobPath + ".Catch": true, source.JobPath + ".Finally": true,
	source.CoordPath + ".NewLazy": true, source.CoordPath + ".SingleFlight.Do": true, source.CoordPath + ".SingleFlight.DoAsync": true,
	source.CoordPath + ".Serial.Do": true, source.CoordPath + ".Serial.DoAsync": true,
	source.CoordPath + ".InTurn": true, source.CoordPath + ".InTurnAsync": true,
}

// runner is how a call runs a function.
type runner struct {
	at     int  // which argument the function is
	blocks bool // its caller waits until the function has ended
}

// runnerOf returns the runner that call names, and the name itself.
func runnerOf(call *ast.CallExpr, info *types.Info) (r runner, id *ast.Ident, ok bool) {
	fn, id, method := source.Callee(call, info)
	if fn == nil || fn.Pkg() == nil || !runners[source.KeyOf(fn.Origin())] || method != nil && method.Kind() != types.MethodVal {
		return runner{}, nil, false
	}
	for i, param := range slices.Collect(fn.Signature().Params().Variables()) {
		if sig, isFunc := param.Type().(*types.Signature); isFunc && source.ResultsOf(sig).Err != nil {
			return runner{at: i, blocks: source.TwinOf(fn.Origin()) != nil}, id, len(call.Args) > i
		}
	}
	return runner{}, nil, false
}

// RunsAsJob returns the function that call has the runtime call, or nil. In an annotated
// function it suspends; but one that the caller waits for does so only where the caller is a
// machine itself: not in a literal that stays plain Go, and not in a go statement.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (fn ast.Expr, waits bool) {
	r, _, ok := runnerOf(call, info)
	if !ok {
		return nil, false
	}
	return ast.Unparen(call.Args[r.at]), r.blocks
}

// jobRun is a call that runs a function which suspends, or whose job is awaited where
// it is started.
type jobRun struct {
	runner
	id      *ast.Ident   // the runner's name
	literal *ast.FuncLit // that has become a machine, or nil
	awaited bool
}

// findRuns notes the literals that become machines of jobs, and the jobs that are
// awaited where they are started.
func (u *unit) findRuns() {
	var around []*ast.FuncLit
	// calls that are made later than their operands are evaluated
	later := map[*ast.CallExpr]bool{}
	aside := map[*ast.CallExpr]bool{} // those of them that other goroutines make
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if u.literals.machines[n] == nil {
				around = append(around, n)
				ast.Inspect(n.Body, visit)
				around = around[:len(around)-1]
			}
			return false
		case *ast.DeferStmt:
			later[n.Call] = true
		case *ast.GoStmt:
			later[n.Call], aside[n.Call] = true, true
		case *ast.CallExpr:
			if run, id := u.awaitedRun(n); run != nil && !later[n] {
				u.literals.runs[run] = jobRun{id: id, awaited: true}
			}
			u.noteRun(n, around, len(around) == 0 && !aside[n])
		}
		return true
	}
	ast.Inspect(u.body, visit)
}

// noteRun notes the function that call runs, if it suspends. around are the literals
// around call; byMachine says that a machine makes the call.
func (u *unit) noteRun(call *ast.CallExpr, around []*ast.FuncLit, byMachine bool) {
	r, id, ok := runnerOf(call, u.info)
	if !ok || r.blocks && !byMachine {
		return
	}
	arg := ast.Unparen(call.Args[r.at])
	lit, ok := arg.(*ast.FuncLit)
	if !ok {
		if s, ok := u.follows(arg); ok {
			u.literals.named[arg] = namedRun{s, r.blocks}
		}
		return
	}
	if !u.literalSuspends(lit) || u.namesTypesOf(lit, around) {
		return
	}
	u.literals.runs[call] = jobRun{runner: r, id: id, literal: lit, awaited: u.literals.runs[call].awaited}
	l := u.machine(lit)
	l.started, l.waited = true, r.blocks
}

// namedRun is a function that the runtime calls and that has a twin.
type namedRun struct {
	Suspension
	waited bool // see literal
}

// follows returns what is known of e if that is a function which the runtime can call
// by its twin.
func (u *unit) follows(e ast.Expr) (source.Suspension, bool) {
	s, ok := u.fn.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, u.info)
	if !ok || s.Twin == nil || s.Method != nil && s.Method.Kind() == types.MethodExpr {
		return s, false
	}
	sig, ok := u.typeOf(e).Underlying().(*types.Signature)
	n := 0
	if ok {
		n = sig.Params().Len()
	}
	return s, (n == 1 || n == 2) && !sig.Variadic() && source.ResultsOf(sig).Err != nil && len(source.ResultsOf(sig).Values) <= 1
}

// named has a function that the runtime calls spelled as its twin, which the runtime's
// part of it follows.
func (s *mentionScan) named(e ast.Expr) bool {
	run, ok := s.u.literals.named[e]
	if !ok || run.waited && s.literals > 0 {
		return false
	}
	sig := s.u.typeOf(e).Underlying().(*types.Signature)
	helper := "Func"
	if len(source.ResultsOf(sig).Values) == 0 {
		helper = "Action"
	}
	helper += strconv.Itoa(sig.Params().Len())
	s.insert(e.Pos(), statemachineName, text("."+helper+"("))
	_, id, _ := source.Callee(&ast.CallExpr{Fun: e}, s.u.info)
	if f, ok := source.Uninstantiated(e).(*ast.SelectorExpr); ok {
		s.walk(f.X)
	}
	s.replace(id, text(s.u.spelledBeside(&ast.CallExpr{Fun: e}, id, run.Twin.Name())))
	switch f := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		s.walk(f.Index)
	case *ast.IndexListExpr:
		for _, index := range f.Indices {
			s.walk(index)
		}
	default:
		if n := run.TypeArgs.Len(); n > 0 {
			s.insert(e.End(), s.u.typeArgument(e, slices.Collect(run.TypeArgs.Types())...))
		}
	}
	s.insert(e.End(), text(")"))
	return true
}

// insert puts something between the text before pos and the text after it.
func (s *mentionScan) insert(pos token.Pos, with ...piece) {
	s.edits = append(s.edits, edit{pos: pos, end: pos, with: with})
}

// awaitedRun returns the call of job.Run whose job call awaits, and the name in it, or nil.
func (u *unit) awaitedRun(call *ast.CallExpr) (run *ast.CallExpr, runner *ast.Ident) {
	await, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || await.Sel.Name != "Await" {
		return nil, nil
	}
	run, ok = ast.Unparen(await.X).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	if _, id, ok := runnerOf(run, u.info); ok && id.Name == "Run" {
		return run, id
	}
	return nil, nil
}

// namesTypesOf reports whether lit mentions a type that one of the literals around it
// declares, or something of such a type: the type cannot be declared elsewhere, as
// those literals stay where they are.
func (u *unit) namesTypesOf(lit *ast.FuncLit, around []*ast.FuncLit) bool {
	declared := func(name *types.TypeName) bool {
		return slices.ContainsFunc(around, func(outer *ast.FuncLit) bool { return within(outer, name.Pos()) && !within(lit, name.Pos()) })
	}
	found := false
	ast.Inspect(lit, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && u.info.Uses[id] != nil {
			found = found || namesType(u.info.Uses[id].Type(), declared)
		}
		return !found
	})
	return found
}

// startsMachine reports whether the literal of a job is a machine where it is scanned.
// In the plain copy of a literal that is a machine as well, it may name types that are
// declared there, and elsewhere for machines.
func (s *mentionScan) startsMachine(lit *ast.FuncLit) bool {
	l := s.u.literals.machines[lit]
	return l != nil && l.started && (s.literals == 0 || !l.waited) && !s.u.namesTypesOf(lit, s.around)
}

// runner has the name in call spelled as New, if the job is awaited where it is started.
func (s *mentionScan) runner(call *ast.CallExpr) {
	if r, ok := s.u.literals.runs[call]; ok && r.awaited && s.literals == 0 {
		s.replace(r.id, text(s.u.spelledBeside(call, r.id, "New")))
	}
}

// started replaces the literal: it takes the machine's first step.
func (u *unit) started(lit *ast.FuncLit) rope {
	l := u.lowered(lit)
	args := u.passedAll(l, true)
	var names []string
	for i := range l.unit.sig.Params().Len() {
		stem := l.unit.sig.Params().At(i).Name()
		if stem == "" || stem == "_" {
			stem = "arg"
		}
		names = append(names, u.names.fresh(stem))
		args = append(args, rope{text(names[i])})
	}
	head := func(p *printer) string {
		var params, results []string
		for i, name := range names {
			params = append(params, name+" "+p.typ(l.unit.sig.Params().At(i).Type(), lit))
		}
		for v := range l.unit.sig.Results().Variables() {
			results = append(results, p.typ(v.Type(), lit))
		}
		return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ") {\nreturn "
	}
	r := append(rope{late(head), text(l.names.Async + u.typeArgs() + "(")}, joined(args)...)
	return append(r, text(")\n}"))
}

// runs reports whether the function gives the runtime a function that suspends, so that
// calling it as it was written would give it one that blocks.
func (u *unit) runs() bool {
	return len(u.literals.named) > 0 || slices.ContainsFunc(u.literals.order, func(l *literal) bool { return l.started })
}
