package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Operations of package parallel: For, Map, Reduce and their kin. They block, and have
// no twins, since their bodies are called on the caller's goroutine too. But where one
// of their functions suspends, so does the machine that calls them. Source, then
// result:
//
//	out, err = parallel.Map(ctx, urls, func(ctx context.Context, url string) (page, error) {
//		return fetch(ctx, url)
//	})
//
//	f.map1, f.out, f.err = statemachine.Func(parallel.Map(statemachine.Calling(f.ctx), f.urls,
//		func(ctx1 context.Context, url1 string) (page, error) {
//			return crawlFunc1Run(ctx1, url1)
//		})).Enter(t)
//
// The functions say by their errors that they have suspended, as those of jobs do
// (lower_run.go), and the operation then says so by its own: there is no second form of
// each operation. It has to know that its caller will understand that, which is what
// the context is for.

// operates reports whether call is an operation that calls a function which suspends.
func (u *unit) operates(call *ast.CallExpr) bool {
	r, _, ok := runnerOf(call, u.info)
	if !ok || !r.operation {
		return false
	}
	for _, arg := range r.functions {
		arg = u.valueOf(arg)
		lit, ok := arg.(*ast.FuncLit)
		if !ok {
			_, ok = u.follows(arg)
		} else {
			ok = u.literalSuspends(lit)
		}
		if ok {
			return true
		}
	}
	return false
}

// suspendOperation calls an operation, and gets the results of one that has not ended
// when it has.
func (u *unit) suspendOperation(call *ast.CallExpr, p *point, dst []dest) {
	u.spillArgs(call)
	helper, wait := "Action", func() (string, error) {
		return "*" + u.imports.Path(source.StatemachinePath, "statemachine") + ".ActionWait", nil
	}
	if results, ok := u.typeOf(call).(*types.Tuple); ok {
		helper, wait = "Func", func() (string, error) {
			value, err := u.imports.TypeString(results.At(0).Type())
			return "*" + u.imports.Path(source.StatemachinePath, "statemachine") + ".FuncWait[" + value + "]", err
		}
	}
	u.hold(p, calledName(call), wait)
	p.resumed = u.label("resumed")
	ctx := call.Args[0]
	u.renamed[call] = append(u.renamed[call],
		edit{pos: ctx.Pos(), end: ctx.Pos(), with: rope{statemachineName, text(".Calling(")}},
		edit{pos: ctx.End(), end: ctx.End(), with: rope{text(")")}})
	entry := append(rope{statemachineName, text("." + helper + "(")}, u.expr(call)...)
	u.enterCallee(p, append(entry, text(").Enter("), taskName, text(")")), dst)
}
