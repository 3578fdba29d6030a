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

// A body that the caller waits for is a machine only where the caller is one, since it is that machine that waits. Source,
// then result:
//
//	err := job.InScope(ctx, func(ctx context.Context, s *job.Scope) error { return fill(ctx, s) })
//
//	f.await1 = job.InScopeMachine(f.ctx, func(m1 *job.Machine[job.Void], ctx1 context.Context, s1 *job.Scope) job.Rest {
//		return fetchFunc1Run(m1, ctx1, s1)
//	})

// runner is a function that runs a literal as a job.
type runner struct {
	machine string // what is called in its place if the literal is a machine
	at      int    // which argument the literal is
	blocks  bool   // its caller waits until the literal has ended
}

// The runners by their names, and the methods of scopes among them.
var (
	runners = map[string]runner{
		"Run": {machine: "RunMachine", at: 1}, "Go": {machine: "RunMachine", at: 1}, "New": {machine: "NewMachine", at: 1},
		"Spawn": {machine: "SpawnMachine", at: 1}, "InScope": {machine: "InScopeMachine", at: 1, blocks: true},
	}
	scopeRunners = map[string]runner{"Go": {machine: "GoMachine"}}
)

// runnerOf returns the runner that call names, and the name itself.
func runnerOf(call *ast.CallExpr, info *types.Info) (r runner, id *ast.Ident, ok bool) {
	fn, id, method := callee(call, info)
	switch {
	case fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != jobPath:
		return runner{}, nil, false
	case fn.Signature().Recv() == nil:
		r, ok = runners[fn.Name()]
	case method != nil && method.Kind() == types.MethodVal && receiverNamed(fn) != nil && receiverNamed(fn).Obj().Name() == "Scope":
		r, ok = scopeRunners[fn.Name()]
		ok = ok && finds(method.Recv(), fn.Pkg(), r.machine)
	}
	return r, id, ok
}

// finds reports whether x.name is a method of pkg for an x of type t, as it is not where something around an embedded value hides it.
func finds(t types.Type, pkg *types.Package, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	fn, ok := obj.(*types.Func)
	return ok && fn.Pkg() == pkg
}

// RunsAsJob returns the function that call runs as a job, or nil. In an annotated function a literal becomes a machine there; but
// one that the caller waits for does so only where the caller is a machine itself: not in a literal that stays plain Go, and not in a go
// statement.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (fn ast.Expr, waits bool) {
	r, _, ok := runnerOf(call, info)
	if !ok || len(call.Args) <= r.at {
		return nil, false
	}
	return ast.Unparen(call.Args[r.at]), r.blocks
}

// jobRun is a call that runs a literal which has become a machine, or whose job is awaited where it is started.
type jobRun struct {
	runner
	id      *ast.Ident   // the runner's name
	literal *ast.FuncLit // nil: it is no machine
	awaited bool
}

// name is that of the function that takes the runner's place: of a machine that a machine starts, or of
// something else.
func (r jobRun) name(machine, plain bool) string {
	switch first := r.awaited && !plain; {
	case first && machine:
		return "NewMachine"
	case first:
		return "New"
	case machine:
		return r.machine
	}
	return r.id.Name
}

// findRuns notes the literals that become machines of jobs, and the jobs that are awaited where they are started.
func (u *unit) findRuns() {
	var around []*ast.FuncLit
	later := map[*ast.CallExpr]bool{} // calls that are made later than their operands are evaluated
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
			if r, ok := u.runOf(n); ok && !u.namesTypesOf(r.literal, around) && (!r.blocks || len(around) == 0 && !aside[n]) {
				r.awaited = u.literals.runs[n].awaited
				u.literals.runs[n] = r
				l := u.machine(r.literal)
				l.started, l.waited = true, r.blocks
			}
		}
		return true
	}
	ast.Inspect(u.body, visit)
}

// runOf reports whether call runs a literal that suspends.
func (u *unit) runOf(call *ast.CallExpr) (jobRun, bool) {
	fn, _ := RunsAsJob(call, u.info)
	lit, ok := fn.(*ast.FuncLit)
	if !ok || !u.literalSuspends(lit) {
		return jobRun{}, false
	}
	r, id, _ := runnerOf(call, u.info)
	return jobRun{runner: r, id: id, literal: lit}, true
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
	return l != nil && l.started && (s.literals == 0 || !l.waited) && !s.u.namesTypesOf(lit, s.around)
}

// runner has the name in call spelled as that of what takes the place of a runner.
func (s *mentionScan) runner(call *ast.CallExpr) {
	if r, ok := s.u.literals.runs[call]; ok {
		s.u.idents[r.id] = s.u.spelledBeside(call, r.id, r.name(s.startsMachine(r.literal), s.literals > 0))
	}
}

// started is what takes the place of the literal: it is the machine's first step.
func (u *unit) started(lit *ast.FuncLit) rope {
	l := u.lowered(lit)
	m := u.names.fresh("m")
	params, args := l.unit.sig.Params(), append([]rope{{text(m)}}, u.passedAll(l, true)...)
	var names []string
	for i := range params.Len() {
		names = append(names, u.names.fresh(startedStems[i]))
		args = append(args, rope{text(names[i])})
	}
	head := func(p *printer) string {
		arg, err := u.imports.JobArgument(l.unit.jobResults())
		if err != nil {
			u.refuse(unnameableType(u.at(lit), err))
		}
		job := p.path(jobPath, "job")
		list := m + " *" + job + ".Machine[" + arg + "]"
		for i, name := range names {
			list += ", " + name + " " + p.typeOf(&variable{typ: params.At(i).Type()})
		}
		return "func(" + list + ") " + job + ".Rest {\nreturn "
	}
	r := append(rope{late(head), text(l.names.Async + u.typeArgs() + "(")}, joined(args)...)
	return append(r, text(")\n}"))
}

// startedStems are what the parameters of such literals are called.
var startedStems = [...]string{"ctx", "s"}
