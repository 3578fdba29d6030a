package codegen

import (
	"go/ast"
	"go/types"
	"slices"
)

// Literals that are run as jobs. Source, then result:
//
//	j := job.Run(ctx, func(ctx context.Context) (int, error) { return fetch(ctx, url) }, job.On(s))
//
//	j := job.RunMachine(ctx, func(m1 *job.Machine[int], ctx1 context.Context) job.Rest {
//		return fetchFunc1Run(m1, url, ctx1)
//	}, job.On(s))
//
// The call itself is plain Go, so it is found wherever the function has it, in function
// literals that stay as they are too.

// A job that is awaited where it is started need not be queued first. Source, then result:
//
//	v, err := job.Run(ctx, fn).Await()
//
//	f.await1 = job.New(ctx, fn)
//
// Awaiting starts it, and a machine that awaits it on a worker of its scheduler runs it: 250 ns with the way through
// the queue, half of them for another worker that was woken in vain.

// runners are the functions that run a literal as a job, and what they are called if
// the literal is a machine.
var runners = map[string]string{"Run": "RunMachine", "Go": "RunMachine", "New": "NewMachine"}

// jobRun is a call that runs a literal which has become a machine, or whose job is awaited where it is started.
type jobRun struct {
	runner  *ast.Ident
	literal *ast.FuncLit // nil: it is no machine
	awaited bool
}

// name is that of the function that takes the runner's place: of a machine that a machine starts, or of
// something else.
func (r jobRun) name(machine, plain bool) string {
	name := r.runner.Name
	if r.awaited && !plain {
		name = "New"
	}
	if machine {
		name = runners[name]
	}
	return name
}

// findRuns notes the literals that become machines of jobs, and the jobs that are awaited where they are started.
func (u *unit) findRuns() {
	var around []*ast.FuncLit
	later := map[*ast.CallExpr]bool{} // calls that are made later than their operands are evaluated
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
			later[n.Call] = true
		case *ast.CallExpr:
			if run, id := u.awaitedRun(n); run != nil && !later[n] {
				u.literals.runs[run] = jobRun{runner: id, awaited: true}
			}
			if r, ok := u.runOf(n); ok && !u.namesTypesOf(r.literal, around) {
				r.awaited = u.literals.runs[n].awaited
				u.literals.runs[n] = r
				u.machine(r.literal).started = true
			}
		}
		return true
	}
	ast.Inspect(u.body, visit)
}

// runOf reports whether call runs a literal that suspends.
func (u *unit) runOf(call *ast.CallExpr) (jobRun, bool) {
	fn, id, _ := callee(call, u.info)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != jobPath || fn.Signature().Recv() != nil || runners[fn.Name()] == "" || len(call.Args) < 2 {
		return jobRun{}, false
	}
	lit, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit)
	if !ok || !u.literalSuspends(lit) {
		return jobRun{}, false
	}
	return jobRun{runner: id, literal: lit}, true
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
	fn, id, _ := callee(run, u.info)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != jobPath || fn.Signature().Recv() != nil || fn.Name() != "Run" {
		return nil, nil
	}
	return run, id
}

// namesTypesOf reports whether lit mentions a type that one of the literals around it declares, or something of such a
// type: the type cannot be declared elsewhere, as those literals stay where they are.
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

// startsMachine reports whether the literal of a job is a machine where it is scanned. In the plain copy of a literal that
// is a machine as well, it may name types that are declared there, and elsewhere for machines.
func (s *mentionScan) startsMachine(lit *ast.FuncLit) bool {
	l := s.u.literals.machines[lit]
	return l != nil && l.started && !s.u.namesTypesOf(lit, s.around)
}

// started is what takes the place of the literal: it is the machine's first step.
func (u *unit) started(lit *ast.FuncLit) rope {
	l := u.lowered(lit)
	m, ctx := u.names.fresh("m"), u.names.fresh("ctx")
	head := func(p *printer) string {
		arg, err := u.imports.JobArgument(l.unit.jobResults())
		if err != nil {
			u.refuse(unnameableType(u.at(lit), err))
		}
		job := p.path(jobPath, "job")
		return "func(" + m + " *" + job + ".Machine[" + arg + "], " + ctx + " " + p.path("context", "context") + ".Context) " + job + ".Rest {\nreturn "
	}
	args := append([]rope{{text(m)}}, u.passedAll(l, true)...)
	args = append(args, rope{text(ctx)})
	r := append(rope{late(head), text(l.names.Async + u.typeArgs() + "(")}, joined(args)...)
	return append(r, text(")\n}"))
}
