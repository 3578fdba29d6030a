package durable

import (
	"go/ast"

	"github.com/movenext/movenext/codegen/internal/source"
)

// The messages are next to the checks, in the other files. The messages about asynchronous
// functions are in a table of the README; these concern another language.

// refuse reports that a durable function cannot contain something.
func (lo *lowering) refuse(at ast.Node, what, why, do string) {
	lo.found = append(lo.found, lo.refusal(at, what, why, do))
}

func (lo *lowering) refusal(at ast.Node, what, why, do string) source.Diagnostic {
	return source.Unsupported(lo.fn.Extent(at), what, why, do)
}
