package analyse

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// entersGiven describes a call that suspends because of what it is given: see
// [source.Twins.EntersGiven].
func (fs *Facts) entersGiven(call *ast.CallExpr) (source.Suspension, bool) {
	s, ok := fs.Source.Package.Twins.EntersGiven(call, fs.Info)
	if !ok {
		return s, false
	}
	for _, g := range s.Given(call, fs.Info) {
		for _, e := range g.Values {
			if fs.maySuspend(e) {
				return s, true
			}
		}
	}
	return s, false
}

// maySuspend reports whether a value that is given to a parameter with a companion has an entry
// there which may suspend.
func (fs *Facts) maySuspend(e ast.Expr) bool {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return fs.literalSuspends(lit) && fs.bringsEntry(lit) && !fs.Imports.IsOpen(fs.TypeOf(lit))
	}
	return fs.bringsEntry(e) || fs.Binds(e) != nil || fs.wasAssignedEntry(e)
}

// wasAssignedEntry reports whether e is a local variable to which a value with an entry is
// assigned. In a literal that has not been analysed yet, nothing more is known of its variables.
// If the variable turns out to have no companion, the call enters with none, which is the same as
// a plain call.
func (fs *Facts) wasAssignedEntry(e ast.Expr) bool {
	v, _ := fs.Info.Uses[identOf(e)].(*types.Var)
	return slices.ContainsFunc(fs.Literals.assigned[v], func(value ast.Expr) bool {
		lit, ok := ast.Unparen(value).(*ast.FuncLit)
		return ok && fs.literalSuspends(lit) || !ok && (fs.EntryOf(value) != nil || fs.Binds(value) != nil)
	})
}

// findAssigned finds what is assigned to local variables of function type, in literals too.
func (fs *Facts) findAssigned() {
	note := func(lhs ast.Expr, rhs ast.Expr) {
		id := identOf(lhs)
		v, ok := fs.Info.ObjectOf(id).(*types.Var)
		if !ok || v.IsField() {
			return
		}
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			fs.Literals.assigned[v] = append(fs.Literals.assigned[v], rhs)
		}
	}
	ast.Inspect(fs.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					note(lhs, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if len(n.Names) == len(n.Values) {
					note(id, n.Values[i])
				}
			}
		}
		return true
	})
}

// RunsAsJob returns the function arguments of call that become jobs. In an annotated function
// they suspend. Those that the caller waits for suspend only if the caller itself is a machine:
// not in a literal that stays plain Go, and not in a go statement.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (functions []ast.Expr, waits bool) {
	roots := source.RootsIn(call, info)
	return roots.Functions, roots.Waits
}

// JobRun is a call that runs a suspending function, or whose job is awaited where it is started.
type JobRun struct {
	Name    *ast.Ident // the runner's name
	Awaited bool
}

// findRuns records the literals that become machines of jobs, and the jobs that are awaited
// where they are started.
func (fs *Facts) findRuns() {
	var around []*ast.FuncLit
	// calls that are made later than their operands are evaluated
	later := map[*ast.CallExpr]bool{}
	aside := map[*ast.CallExpr]bool{} // those that other goroutines make
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if fs.Literals.Machines[n] == nil {
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
			if run, id := fs.awaitedRun(n); run != nil && !later[n] {
				fs.Literals.Runs[run] = JobRun{Name: id, Awaited: true}
			}
			fs.noteRun(n, around, len(around) == 0 && !aside[n])
		}
		return true
	}
	ast.Inspect(fs.Body, visit)
}

// noteRun records the suspending functions that call runs. around are the literals around call;
// byMachine says that a machine makes the call.
func (fs *Facts) noteRun(call *ast.CallExpr, around []*ast.FuncLit, byMachine bool) {
	roots := source.RootsIn(call, fs.Info)
	if roots.Waits && !byMachine {
		return
	}
	_, id, _ := source.Callee(call, fs.Info)
	for _, arg := range roots.Functions {
		arg = fs.valueOf(arg)
		lit, ok := arg.(*ast.FuncLit)
		if !ok {
			if s, ok := fs.follows(arg); ok {
				fs.Literals.Named[arg] = NamedRun{s, roots.Waits || fs.Literals.Named[arg].Waited}
			}
			continue
		}
		if !fs.literalSuspends(lit) || fs.NamesTypesOf(lit, around) {
			continue
		}
		fs.Literals.Runs[call] = JobRun{Name: id, Awaited: fs.Literals.Runs[call].Awaited}
		l := fs.machine(lit)
		l.Hosts = roots.Job && (l.Hosts || !l.Started)
		l.Started, l.Waited = true, roots.Waits || l.Waited
	}
}

// awaitedRun returns the call of job.Run whose job call awaits, and its runner's name, or nil.
func (fs *Facts) awaitedRun(call *ast.CallExpr) (run *ast.CallExpr, runner *ast.Ident) {
	await, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || await.Sel.Name != source.AwaitName {
		return nil, nil
	}
	run, ok = ast.Unparen(await.X).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	fn, id, _ := source.Callee(run, fs.Info)
	if fn == nil || !source.IsRun(fn) {
		return nil, nil
	}
	return run, id
}

// NamesTypesOf reports whether lit mentions a type that one of the literals around it declares,
// or something of such a type. That type cannot be declared elsewhere, since those literals stay
// in place.
func (fs *Facts) NamesTypesOf(lit *ast.FuncLit, around []*ast.FuncLit) bool {
	declared := func(name *types.TypeName) bool {
		return slices.ContainsFunc(around, func(outer *ast.FuncLit) bool { return Within(outer, name.Pos()) && !Within(lit, name.Pos()) })
	}
	found := false
	ast.Inspect(lit, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && fs.Info.Uses[id] != nil {
			found = found || typeset.NamesType(fs.Info.Uses[id].Type(), declared)
		}
		return !found
	})
	return found
}

// NamedRun is a function with a twin that the runtime calls.
type NamedRun struct {
	source.Suspension
	Waited bool // see Literal
}

// follows describes e if it is a function that the runtime can call by its twin.
func (fs *Facts) follows(e ast.Expr) (source.Suspension, bool) {
	s, ok := fs.Source.Package.Twins.Suspends(&ast.CallExpr{Fun: e}, fs.Info)
	if !ok || s.Twin == nil || s.Method != nil && s.Method.Kind() == types.MethodExpr {
		return s, false
	}
	sig, ok := fs.TypeOf(e).Underlying().(*types.Signature)
	n := 0
	if ok {
		n = sig.Params().Len()
	}
	return s, n >= 1 && n <= 2 && !sig.Variadic() && source.ResultsOf(sig).Err != nil && len(source.ResultsOf(sig).Values) <= 1
}
