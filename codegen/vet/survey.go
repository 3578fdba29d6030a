package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
)

// runner says what kind of code runs a piece of code.
type runner int

const (
	plain   runner = iota // a goroutine, which may block
	machine               // a machine: calls with a twin suspend
	job                   // a job on a scheduler's worker: calls with a twin block
	kept                  // any caller of a literal that an annotated function keeps or passes on
)

// region is the body of a function or of a function literal, without the literals in it, each
// of which is a region of its own.
type region struct {
	runner runner
	decl   *ast.FuncDecl  // around it
	parts  []*ast.FuncLit // literals that are machines of decl, wherever they are
	lit    *ast.FuncLit   // nil: the region is the body of decl
	typ    *ast.FuncType
	body   *ast.BlockStmt
	call   *ast.CallExpr // the call that passes lit to a job, or nil
	given  *ast.CallExpr // the call that has lit as an argument, or nil
	here   bool          // kept, but called there, so that a machine's worker runs it
}

// survey holds what the checks know about a package.
type survey struct {
	pass     *analysis.Pass
	info     *types.Info
	twins    source.Twins
	files    []*ast.File // written by hand
	regions  []*region
	decls    map[*types.Func]*ast.FuncDecl
	entered  map[*types.Var]bool // variables of machines whose calls suspend
	runnable map[*types.Var]bool // variables whose values suspend where the runtime calls them
	plain    map[ast.Expr]bool   // what machines give to functions that have no entry of it
	deferred map[*ast.CallExpr]bool
	called   map[types.Object]bool // functions and variables that calls name
	facts    *known
}

func newSurvey(pass *analysis.Pass) *survey {
	s := &survey{
		pass: pass, info: pass.TypesInfo, facts: readFacts(pass),
		decls: map[*types.Func]*ast.FuncDecl{}, entered: map[*types.Var]bool{}, runnable: map[*types.Var]bool{},
		plain: map[ast.Expr]bool{}, deferred: map[*ast.CallExpr]bool{}, called: map[types.Object]bool{},
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		s.files = append(s.files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				s.called[s.info.Uses[nameIn(ast.Unparen(n.Fun))]] = true
			case *ast.DeferStmt:
				s.deferred[n.Call] = true
			}
			return true
		})
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if obj, ok := s.info.Defs[fn.Name].(*types.Func); ok {
				s.decls[obj] = fn
			}
			who := plain
			if source.IsAnnotated(fn) {
				who = machine
			}
			r := &region{runner: who, decl: fn, typ: fn.Type, body: fn.Body}
			if who == machine {
				held := analyse.HeldFunctions(pass.Fset, pass.Pkg, s.info, file, fn)
				r.parts = slices.Concat(held.Literals, []*ast.FuncLit{source.StreamLiteral(fn)})
				for _, v := range held.Entered {
					s.entered[v] = true
				}
				for _, v := range held.Run {
					s.runnable[v] = true
				}
				for _, e := range held.Plain {
					s.plain[e] = true
				}
			}
			s.survey(r)
		}
	}
	return s
}

// survey adds r and the regions inside it.
func (s *survey) survey(r *region) {
	s.regions = append(s.regions, r)
	r.walk(func(n ast.Node, stack []ast.Node) {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return
		}
		inner := &region{decl: r.decl, parts: r.parts, lit: lit, typ: lit.Type, body: lit.Body}
		inner.runner, inner.call = s.runnerOf(r, lit, stack)
		inner.given, _ = callAround(stack)
		inner.here = inner.runner == kept && (r.runner == machine || r.here) && s.calledHere(stack)
		s.survey(inner)
	})
}

// runnerOf returns what runs a literal in the region outer.
func (s *survey) runnerOf(outer *region, lit *ast.FuncLit, stack []ast.Node) (runner, *ast.CallExpr) {
	call, started := callAround(stack)
	switch {
	case slices.Contains(outer.parts, lit):
		return machine, nil
	case call == nil:
	case ast.Unparen(call.Fun) == lit && started:
		return plain, nil // It runs on another goroutine.
	case ast.Unparen(call.Fun) == lit:
		return outer.runner, nil // It is part of the function, called or deferred.
	case isObjectOf(s.callee(call), jobPath, "Blocking"):
		return plain, nil // It runs on the blocking lane.
	case started && s.waitsFor(call):
		return plain, nil
	case source.IsAnnotated(outer.decl) && s.startsMachine(call, outer.runner, lit):
		return machine, call
	case s.startsJob(call):
		return job, call
	}
	if outer.runner == machine || outer.runner == kept {
		return kept, nil
	}
	return plain, nil
}

// calledHere reports whether the code around a literal calls it before it ends: it passes the
// literal to a function that starts no goroutine for it, or calls the variable that holds it.
func (s *survey) calledHere(stack []ast.Node) bool {
	if call, started := callAround(stack); call != nil {
		return !started && !startsGoroutine(s.callee(call))
	}
	if len(stack) == 0 {
		return false
	}
	switch around := stack[len(stack)-1].(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(around.Lhs, s.isCalled)
	case *ast.ValueSpec:
		return slices.ContainsFunc(around.Names, func(id *ast.Ident) bool { return s.isCalled(id) })
	}
	return false
}

// isCalled reports whether e is a variable that is called somewhere.
func (s *survey) isCalled(e ast.Expr) bool {
	v, ok := s.info.ObjectOf(nameIn(e)).(*types.Var)
	return ok && s.called[v]
}

// callAround returns the call that has the top of stack as its function or argument, and
// reports whether that is the call of a go statement.
func callAround(stack []ast.Node) (call *ast.CallExpr, started bool) {
	for i := len(stack) - 1; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.ParenExpr:
		case *ast.CallExpr:
			if i > 0 {
				_, started = stack[i-1].(*ast.GoStmt)
			}
			return n, started
		default:
			return nil, false
		}
	}
	return nil, false
}

// walk calls f for all nodes of the region, with the nodes around each. It visits function
// literals but does not enter them.
func (r *region) walk(f func(n ast.Node, stack []ast.Node)) {
	ast.PreorderStack(r.body, nil, func(n ast.Node, stack []ast.Node) bool {
		f(n, stack)
		_, isLit := n.(*ast.FuncLit)
		return !isLit
	})
}

// suspends reports whether a call is a suspension point for a machine.
func (s *survey) suspends(call *ast.CallExpr) bool {
	_, ok := s.twins.Suspends(call, s.info)
	return ok
}

// enters reports whether a machine's call may suspend because of what it is given.
func (c *callCheck) enters(call *ast.CallExpr) bool {
	_, ok := c.twins.EntersGiven(call, c.info)
	return ok && c.region.runner == machine && !c.deferred[call]
}

// plainTwin returns the callee if call calls the plain form of a twin.
func (s *survey) plainTwin(call *ast.CallExpr) (source.Suspension, bool) {
	point, ok := s.twins.Suspends(call, s.info)
	return point, ok && point.Twin != nil
}

// callee returns the declared function that call names, or nil.
func (s *survey) callee(call *ast.CallExpr) *types.Func {
	return s.function(stripInstantiation(call.Fun))
}

// stripInstantiation returns the function that an expression may instantiate: F for F[int].
func stripInstantiation(fun ast.Expr) ast.Expr {
	switch f := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return ast.Unparen(f.X)
	case *ast.IndexListExpr:
		return ast.Unparen(f.X)
	default:
		return f
	}
}

// function returns the function that e names, or nil.
func (s *survey) function(e ast.Expr) *types.Func {
	fn, _ := s.info.Uses[nameIn(e)].(*types.Func)
	return fn
}

// nameIn returns the identifier in e that names its value, or nil.
func nameIn(e ast.Expr) *ast.Ident {
	switch f := e.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// The runtime packages that checks know.
const (
	jobPath   = source.Module + "/job"
	coordPath = source.Module + "/coord"

	parallelPath = source.Module + "/parallel"
)

// startsMachine reports whether call lets fn, one of its arguments, suspend when a machine or
// other code (by) makes the call in an annotated function.
func (s *survey) startsMachine(call *ast.CallExpr, starter runner, fn ast.Expr) bool {
	functions, waits := analyse.RunsAsJob(call, s.info)
	if waits && starter != machine {
		return false
	}
	return slices.Contains(functions, ast.Unparen(fn))
}

// waitsFor reports whether the caller waits for the function that call runs.
func (s *survey) waitsFor(call *ast.CallExpr) bool {
	functions, waits := analyse.RunsAsJob(call, s.info)
	return len(functions) > 0 && waits
}

// startsJob reports whether call passes its function arguments to jobs.
func (s *survey) startsJob(call *ast.CallExpr) bool {
	functions, _ := analyse.RunsAsJob(call, s.info)
	return len(functions) > 0
}

// isJob reports whether typ is *job.Job[T].
func isJob(typ types.Type) bool {
	ptr, ok := types.Unalias(typ).(*types.Pointer)
	return ok && isNamed(ptr.Elem(), jobPath, "Job")
}

func isNamed(typ types.Type, path, name string) bool {
	named, ok := types.Unalias(typ).(*types.Named)
	return ok && isObject(named.Obj(), path, name)
}

func isObject(obj types.Object, path, name string) bool {
	return obj != nil && obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}

// receiverName returns the name of the type that declares method fn, or "" for functions.
func receiverName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	typ := types.Unalias(recv.Type())
	if ptr, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(ptr.Elem())
	}
	if named, ok := typ.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}
