package codegen

import (
	"go/ast"
	"go/types"
	"slices"
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
	source.ParallelPath + ".For": true, source.ParallelPath + ".ForBlocks": true, source.ParallelPath + ".ForEach": true,
	source.ParallelPath + ".Map": true, source.ParallelPath + ".Reduce": true, source.ParallelPath + ".Invoke": true, source.ParallelPath + ".Run": true,
}

// runner is how a call runs functions.
type runner struct {
	functions []ast.Expr // arguments
	blocks    bool       // its caller waits until they have ended
	operation bool       // of package parallel; see lower_operation.go
}

// runnerOf returns the runner that call names, and the name itself.
func runnerOf(call *ast.CallExpr, info *types.Info) (r runner, id *ast.Ident, ok bool) {
	fn, id, method := source.Callee(call, info)
	if fn == nil || fn.Pkg() == nil || !runners[source.KeyOf(fn.Origin())] || method != nil && method.Kind() != types.MethodVal {
		return runner{}, nil, false
	}
	r = runner{operation: fn.Pkg().Path() == source.ParallelPath}
	r.blocks = r.operation || source.TwinOf(fn.Origin()) != nil
	sig := fn.Signature()
	for i, param := range slices.Collect(sig.Params().Variables()) {
		if i >= len(call.Args) {
			break
		}
		switch {
		case returnsError(param.Type()):
			r.functions = []ast.Expr{ast.Unparen(call.Args[i])}
			return r, id, true
		case sig.Variadic() && i == sig.Params().Len()-1 && returnsError(param.Type().(*types.Slice).Elem()) && !call.Ellipsis.IsValid():
			for _, arg := range call.Args[i:] {
				r.functions = append(r.functions, ast.Unparen(arg))
			}
			return r, id, true
		}
	}
	return runner{}, nil, false
}

// returnsError reports whether typ is a function that can say by its error that it has
// suspended.
func returnsError(typ types.Type) bool {
	sig, ok := typ.(*types.Signature)
	return ok && source.ResultsOf(sig).Err != nil
}

// RunsAsJob returns the functions that call has the runtime call. In an annotated
// function they suspend; but those that the caller waits for do so only where the caller is a
// machine itself: not in a literal that stays plain Go, and not in a go statement. An operation
// of package parallel does not suspend in a defer statement either.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (functions []ast.Expr, waits, operation bool) {
	r, _, _ := runnerOf(call, info)
	return r.functions, r.blocks, r.operation
}

// jobRun is a call that runs a function which suspends, or whose job is awaited where
// it is started.
type jobRun struct {
	id      *ast.Ident // the runner's name
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
			u.noteRun(n, around, len(around) == 0 && !aside[n], later[n])
		}
		return true
	}
	ast.Inspect(u.body, visit)
}

// noteRun notes the functions that call runs, as far as they suspend. around are the
// literals around call; byMachine says that a machine makes the call, later that a
// defer statement does.
func (u *unit) noteRun(call *ast.CallExpr, around []*ast.FuncLit, byMachine, later bool) {
	r, id, ok := runnerOf(call, u.info)
	if !ok || r.blocks && !byMachine || r.operation && later {
		return
	}
	for _, arg := range r.functions {
		arg = u.valueOf(arg)
		lit, ok := arg.(*ast.FuncLit)
		if !ok {
			if s, ok := u.follows(arg); ok {
				u.literals.named[arg] = namedRun{s, r.blocks || u.literals.named[arg].waited}
			}
			continue
		}
		if !u.literalSuspends(lit) || u.namesTypesOf(lit, around) {
			continue
		}
		u.literals.runs[call] = jobRun{id: id, awaited: u.literals.runs[call].awaited}
		l := u.machine(lit)
		l.started, l.waited = true, r.blocks || l.waited
	}
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
