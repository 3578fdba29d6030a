package analyse

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// operates reports whether call is an operation that calls a suspending function.
func (fs *Facts) operates(call *ast.CallExpr) bool {
	r, _, ok := runnerOf(call, fs.Info)
	if !ok || !r.operation {
		return false
	}
	for _, arg := range r.functions {
		arg = fs.valueOf(arg)
		lit, ok := arg.(*ast.FuncLit)
		if !ok {
			_, ok = fs.follows(arg)
		} else {
			ok = fs.literalSuspends(lit)
		}
		if ok {
			return true
		}
	}
	return false
}

// operations are the functions of package parallel that take a function which may suspend, and
// call it.
var operations = map[source.FuncKey]bool{
	source.ParallelPath + ".For": true, source.ParallelPath + ".ForBlocks": true, source.ParallelPath + ".ForEach": true,
	source.ParallelPath + ".Filter": true, source.ParallelPath + ".GroupBy": true, source.ParallelPath + ".Distinct": true, source.ParallelPath + ".Scan": true,
	source.ParallelPath + ".Map": true, source.ParallelPath + ".Reduce": true, source.ParallelPath + ".Invoke": true, source.ParallelPath + ".Run": true,
}

// runner describes how a call runs functions.
type runner struct {
	functions []ast.Expr // arguments
	blocks    bool       // the caller waits until they have ended
	operation bool       // of package parallel; see lower/run.go
	job       bool       // the function may be that of a job which the call returns
}

// runnerOf returns the runner that call names, and the identifier that names it.
func runnerOf(call *ast.CallExpr, info *types.Info) (r runner, id *ast.Ident, ok bool) {
	fn, id, method := source.Callee(call, info)
	if fn == nil {
		return runner{}, nil, false
	}
	if roots := source.RootsIn(call, info); roots.Functions != nil {
		return runner{functions: roots.Functions, blocks: roots.Waits, job: roots.Job}, id, true
	}
	if !operations[source.KeyOf(fn.Origin())] || method != nil {
		return runner{}, nil, false
	}
	r = runner{operation: true, blocks: true}
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

// returnsError reports whether typ is a function that can report through its error that it has
// suspended.
func returnsError(typ types.Type) bool {
	sig, ok := typ.(*types.Signature)
	return ok && source.ResultsOf(sig).Err != nil
}

// RunsAsJob returns the function arguments of call that the runtime calls. In an annotated
// function they suspend. Those that the caller waits for suspend only if the caller itself is a
// machine: not in a literal that stays plain Go, and not in a go statement. An operation
// of package parallel does not suspend in a defer statement either.
func RunsAsJob(call *ast.CallExpr, info *types.Info) (functions []ast.Expr, waits, operation bool) {
	r, _, _ := runnerOf(call, info)
	return r.functions, r.blocks, r.operation
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
			fs.noteRun(n, around, len(around) == 0 && !aside[n], later[n])
		}
		return true
	}
	ast.Inspect(fs.Body, visit)
}

// noteRun records the suspending functions that call runs. around are the literals around call;
// byMachine says that a machine makes the call, later that a defer statement does.
func (fs *Facts) noteRun(call *ast.CallExpr, around []*ast.FuncLit, byMachine, later bool) {
	r, id, ok := runnerOf(call, fs.Info)
	if !ok || r.blocks && !byMachine || r.operation && later {
		return
	}
	for _, arg := range r.functions {
		arg = fs.valueOf(arg)
		lit, ok := arg.(*ast.FuncLit)
		if !ok {
			if s, ok := fs.follows(arg); ok {
				fs.Literals.Named[arg] = NamedRun{s, r.blocks || fs.Literals.Named[arg].Waited}
			}
			continue
		}
		if !fs.literalSuspends(lit) || fs.NamesTypesOf(lit, around) {
			continue
		}
		fs.Literals.Runs[call] = JobRun{Name: id, Awaited: fs.Literals.Runs[call].Awaited}
		l := fs.machine(lit)
		l.Hosts = r.job && (l.Hosts || !l.Started)
		l.Started, l.Waited = true, r.blocks || l.Waited
	}
}

// awaitedRun returns the call of job.Run whose job call awaits, and its runner's name, or nil.
func (fs *Facts) awaitedRun(call *ast.CallExpr) (run *ast.CallExpr, runner *ast.Ident) {
	await, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || await.Sel.Name != "Await" {
		return nil, nil
	}
	run, ok = ast.Unparen(await.X).(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	fn, id, _ := source.Callee(run, fs.Info)
	if fn == nil || !source.IsObject(fn, source.JobPath, "Run") {
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
	return s, n >= 1 && n <= 3 && !sig.Variadic() && source.ResultsOf(sig).Err != nil && len(source.ResultsOf(sig).Values) <= 1
}
