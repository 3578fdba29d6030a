package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
)

// plainForms reports calls of plain forms that seem to suspend but do not: in a job's function
// outside of annotated functions, and in literals that an annotated function keeps or passes
// on. They block the goroutine that runs them.
func plainForms(r *reporter, s *survey) {
	for _, region := range s.regions {
		region.walk(func(n ast.Node, stack []ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || started(n, stack) {
				return
			}
			if region.runner == job || region.runner == kept {
				s.plainCall(r, region, call)
			}
			if s.startsJob(call) {
				functions, _ := analyse.RunsAsJob(call, s.info)
				s.plainValue(r, region, call, functions[0])
			}
		})
	}
}

// plainCall reports a call in a job's code or in a literal that is kept.
func (s *survey) plainCall(r *reporter, region *region, call *ast.CallExpr) {
	name := types.ExprString(call.Fun)
	if region.runner == kept && s.blocksWhereKept(call) {
		r.report(call, keptBlocks(name, s.insteadOf(region.given)))
		return
	}
	if _, ok := s.plainTwin(call); !ok || region.runner == kept {
		return
	}
	fix := s.jobOfTwin(region, call)
	if len(fix.TextEdits) == 0 && region.call != nil && s.startsMachine(region.call, machine, region.lit) && !source.IsAnnotated(region.decl) {
		p := s.patch(region.decl.Pos())
		p.annotate(region.decl)
		fix = p.fix("annotate " + region.decl.Name.Name + ", so that its jobs suspend")
	}
	r.report(call, jobBlocks(name), fix)
}

// insteadOf returns the alternative to passing a blocking literal or function to call,
// which may be nil.
func (s *survey) insteadOf(call *ast.CallExpr) string {
	var fn *types.Func
	if call != nil {
		fn = s.callee(call)
	}
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != parallelPath {
		return "call it where the function does, give it to job.Run or a scope's Go, or make it a function marked //movenext:async"
	}
	switch fn.Name() {
	case "Join", "Join2", "Fork", "Sort", "SortFunc", "SortStableFunc":
		return "fetch what it needs before, or divide the work with a scope's Go, whose children suspend"
	case "ForEachAsync", "MapAsync":
		return "give it the twin of a function marked //movenext:async"
	}
	return "call it in a function marked //movenext:async itself, where bodies suspend, or use a scope's Go"
}

// blocksWhereKept reports whether call blocks in plain Go and suspends, or has a form
// that suspends, in a machine.
func (s *survey) blocksWhereKept(call *ast.CallExpr) bool {
	fn := s.callee(call)
	return s.suspends(call) || fn != nil && isObjectOf(fn, jobPath, "Wait") && receiverName(fn) == "Job"
}

// calledName returns the identifier that names the called function.
func calledName(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// jobOfTwin replaces a job that only calls the plain form by the job of the twin:
//
//	job.Run(ctx, func(ctx context.Context) (int, error) { return fetch(ctx, url) })
//
//	fetchAsync(ctx, url)
func (s *survey) jobOfTwin(r *region, call *ast.CallExpr) analysis.SuggestedFix {
	none := analysis.SuggestedFix{}
	point, ok := s.plainTwin(call)
	if !ok || r.call == nil || len(r.call.Args) != 2 || r.call.Args[1] != r.lit || len(r.body.List) != 1 {
		return none
	}
	ret, ok := r.body.List[0].(*ast.ReturnStmt)
	name := calledName(call)
	if !ok || len(ret.Results) != 1 || ret.Results[0] != call || name == nil || !s.isRun(r.call) {
		return none
	}
	own := contextParam(s.info, r.typ)
	if own == nil || len(call.Args) == 0 {
		return none
	}
	first, ok := call.Args[0].(*ast.Ident)
	if !ok || !source.IsContext(s.info.TypeOf(first)) {
		return none
	}
	for _, arg := range call.Args[1:] {
		if len(own.Names) > 0 && mentions(s.info, arg, s.info.Defs[own.Names[0]]) {
			return none
		}
	}
	p := s.patch(r.call.Pos())
	text := p.text(call.Fun)
	text = strings.TrimSuffix(text, name.Name) + point.Twin.Name() + "(" + p.text(r.call.Args[0])
	for _, arg := range call.Args[1:] {
		text += ", " + p.text(arg)
	}
	if call.Ellipsis.IsValid() {
		text += "..."
	}
	p.replace(r.call, text+")")
	return p.fix("start the twin")
}

// isRun reports whether call immediately starts a job of one function.
func (s *survey) isRun(call *ast.CallExpr) bool {
	fn := s.callee(call)
	return isObjectOf(fn, jobPath, "Run") || isObjectOf(fn, jobPath, "Go")
}

func mentions(info *types.Info, n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && obj != nil && info.Uses[id] == obj {
			found = true
		}
		return !found
	})
	return found
}

// plainValue reports the plain form of a twin that is passed to a job as its function.
func (s *survey) plainValue(r *reporter, in *region, call *ast.CallExpr, arg ast.Expr) {
	point, ok := s.plainTwin(&ast.CallExpr{Fun: arg})
	if !ok || source.IsAnnotated(in.decl) && s.startsMachine(call, in.runner, arg) {
		return
	}
	p, name, twin := s.patch(call.Pos()), point.Callee.Name(), point.Twin.Name()
	if s.isRun(call) && len(call.Args) == 2 {
		text := p.text(arg)
		p.replace(call, fmt.Sprintf("%s%s(%s)", strings.TrimSuffix(text, name), twin, p.text(call.Args[0])))
	}
	r.report(arg, jobRunsPlain(name, twin), p.fix("start the twin"))
}
