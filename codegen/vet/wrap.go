package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// Wrapping: the blocking expression moves into a function for job.Blocking, which has
// goroutines for this purpose, and the code awaits its job. The form depends on the position
// of the blocking expression.
//
//	data, err := os.ReadFile(name)
//
//	data, err := job.Blocking(ctx, func(context.Context) ([]byte, error) {
//		return os.ReadFile(name)
//	}).Await()
//
// A fix of this form exists if the expression is a statement, or provides all values of an
// assignment or of a return.

const wrapMessage = "run it with job.Blocking"

// blockingJob returns the text of a job that returns values.
func (p *patch) blockingJob(typ, body string) string {
	return fmt.Sprintf("%s.Blocking(%s, func(%s.Context) (%s, error) { %s }).Await()",
		p.qualifier(jobPath), p.context(), p.qualifier("context"), typ, body)
}

// wrapStatement replaces a statement without a result.
func (p *patch) wrapStatement(stmt ast.Node) analysis.SuggestedFix {
	void := p.qualifier(jobPath) + ".Void"
	text := p.text(stmt)
	p.replace(stmt, "_, _ = "+p.blockingJob(void, fmt.Sprintf("%s; return %s{}, nil", text, void)))
	return p.fix(wrapMessage)
}

// wrapReceive replaces a receive.
func (b *blocking) wrapReceive(n *ast.UnaryExpr, stack []ast.Node) analysis.SuggestedFix {
	p := b.patch(n.Pos())
	switch around := stack[len(stack)-1].(type) {
	case *ast.ExprStmt:
		return p.wrapStatement(n)
	case *ast.AssignStmt:
		if len(around.Lhs) != 1 || around.Tok != token.DEFINE && around.Tok != token.ASSIGN {
			return analysis.SuggestedFix{} // The comma-ok form cannot return an error.
		}
		p.insert(around.Lhs[0].End(), ", _")
		p.replace(n, p.blockingJob(p.typeString(b.info.TypeOf(n)), fmt.Sprintf("return %s, nil", p.text(n))))
		return p.fix(wrapMessage)
	}
	return analysis.SuggestedFix{}
}

// wrapCall replaces a call.
func (b *blocking) wrapCall(call *ast.CallExpr, stack []ast.Node) analysis.SuggestedFix {
	p := b.patch(call.Pos())
	results := b.info.TypeOf(call.Fun).(*types.Signature).Results()
	isError := results.Len() > 0 && types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	switch {
	case isStatement(stack):
		return p.wrapStatement(call)
	case results.Len() == 2 && isError && takesAll(call, stack):
		p.replace(call, p.blockingJob(p.typeString(results.At(0).Type()), "return "+p.text(call)))
	case results.Len() == 1 && isError:
		assign, ok := stack[len(stack)-1].(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			return analysis.SuggestedFix{}
		}
		void := p.qualifier(jobPath) + ".Void"
		p.insert(assign.Lhs[0].Pos(), "_, ")
		p.replace(call, p.blockingJob(void, fmt.Sprintf("return %s{}, %s", void, p.text(call))))
	default:
		return analysis.SuggestedFix{}
	}
	return p.fix(wrapMessage)
}

// takesAll reports whether the code around call uses both of its results.
func takesAll(call *ast.CallExpr, stack []ast.Node) bool {
	switch around := stack[len(stack)-1].(type) {
	case *ast.AssignStmt:
		return len(around.Rhs) == 1
	case *ast.ReturnStmt:
		return len(around.Results) == 1
	case *ast.ValueSpec:
		return len(around.Values) == 1
	case *ast.CallExpr:
		return len(around.Args) == 1 && around.Fun != call
	}
	return false
}
