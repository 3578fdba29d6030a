package codegen

import (
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
)

// labels makes a call of runtime/pprof that gives the goroutine labels one that gives
// them to the machine, which has many goroutines. Source, then result:
//
//	pprof.SetGoroutineLabels(ctx)
//
//	statemachine.SetGoroutineLabels(t, f.ctx)
//
// Likewise pprof.Do, which sets labels twice. In a literal it stays as it is: the
// literal may be called when the machine is not running, and from other goroutines.
func (s *mentionScan) labels(call *ast.CallExpr) (replaced bool) {
	name := s.u.setsLabels(call)
	if name == "" || s.literals > 0 {
		return false
	}
	s.replace(call.Fun, ir.StatemachineName, ir.Text("."+name))
	s.insert(call.Lparen+1, ir.TaskName, ir.Text(", "))
	for _, arg := range call.Args {
		s.walk(arg)
	}
	return true
}

// leavesLabels leaves a call as it is that gives labels to another goroutine. It returns
// whether there is more to look at.
func (s *mentionScan) leavesLabels(n *ast.GoStmt) (more bool) {
	if s.u.setsLabels(n.Call) == "" {
		return true
	}
	s.literals++
	s.walk(n.Call)
	s.literals--
	return false
}

// setsLabels is the name in package statemachine of the function of runtime/pprof that
// call calls, if that sets labels; else empty.
func (u *unit) setsLabels(call *ast.CallExpr) string {
	fn, _, _ := source.Callee(call, u.Info)
	switch {
	case fn == nil:
		return ""
	case source.IsObject(fn, "runtime/pprof", "SetGoroutineLabels"):
		return "SetGoroutineLabels"
	case source.IsObject(fn, "runtime/pprof", "Do"):
		return "DoWithLabels"
	}
	return ""
}

// givesLabels reports whether the function itself gives its goroutine labels, so that
// calling it as it was written would leave them to the worker.
func (u *unit) givesLabels() (gives bool) {
	ast.Inspect(u.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && u.setsLabels(call) != "" {
			gives = true
		}
		_, literal := n.(*ast.FuncLit)
		return !gives && !literal
	})
	return gives
}
