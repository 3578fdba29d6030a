package durable

import (
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The messages are where the reasons are, in the other files. Those of asynchronous functions are
// in a table of the README; these are about another language.

// refuse notes that a durable function cannot hold something.
func (lo *lowering) refuse(at ast.Node, what, why, do string) {
	lo.found = append(lo.found, lo.refusal(at, what, why, do))
}

func (lo *lowering) refusal(at ast.Node, what, why, do string) source.Diagnostic {
	return source.Unsupported(lo.fn.Extent(at), what, why, do)
}
