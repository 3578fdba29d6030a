package codegen

import (
	"go/ast"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/analyse"
	"github.com/movenext/movenext/codegen/internal/source"
)

// halfPairs warns about calls in annotated functions that block although a function whose name and
// result say that it is the asynchronous form exists. Package vet sees such a call, too, but not
// why it blocks, and rarely runs before the program has too many goroutines.
func halfPairs(p *source.Package) []source.Diagnostic {
	var found []source.Diagnostic
	check := func(fun ast.Expr) {
		if async, why := p.Twins.HalfPair(&ast.CallExpr{Fun: fun}, p.Info); async != nil {
			found = append(found, halfPair(p.Extent(fun), types.ExprString(fun), async.Name(), why))
		}
	}
	for _, file := range p.Files {
		for _, fn := range file.Functions {
			ast.Inspect(fn.Decl.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					check(call.Fun)
					functions, _ := analyse.RunsAsJob(call, p.Info)
					for _, value := range functions {
						check(value)
					}
				}
				return true
			})
		}
	}
	return found
}
