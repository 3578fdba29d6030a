package codegen

import (
	"go/ast"
	"strings"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Deferred calls that cannot recover, and are kept as they are.

// mayRecover reports whether a deferred call may be one of a function that calls
// recover itself. Only a literal and a function of the file show that they do not.
func (u *unit) mayRecover(call *ast.CallExpr) bool {
	if name, ok := u.builtin(call.Fun); ok {
		return name == "recover"
	}
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return u.callsRecover(lit.Body)
	}
	fn, _, _ := source.Callee(call, u.info)
	if fn == nil {
		return true
	}
	decl := u.fn.File.DeclarationAt(fn.Origin().Pos())
	return decl == nil || decl.Body == nil || u.callsRecover(decl.Body)
}

// function is a call that does not recover, as a function: a literal without arguments
// is one.
func (d *deferral) function(p *printer) string {
	call := p.rope(d.call)
	if lit, ok := ast.Unparen(d.node.Call.Fun).(*ast.FuncLit); ok && lit.Type.Results == nil {
		if literal, ok := strings.CutSuffix(call, "()"); ok && len(d.node.Call.Args) == 0 {
			return literal
		}
	}
	if strings.Contains(call, "\n") {
		return "func() {\n" + call + "\n}"
	}
	return "func() { " + call + " }"
}
