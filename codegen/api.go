package codegen

import (
	"go/token"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Diagnostic is one finding about the user's source: what is wrong, why it cannot be
// otherwise, and what to do.
type Diagnostic struct {
	Pos, End token.Position // Line 0: the file as a whole

	// Category is a stable word for filters: "annotation", "twin", "source",
	// "unsupported", …
	Category string

	What, Why, Do string // Why and Do may be empty
}

// String renders the finding on one line: file:line:col: what; why; what to do.
func (d Diagnostic) String() string { return source.Diagnostic(d).String() }

// published returns findings of the phases in the form that callers see.
func published(list []source.Diagnostic) []Diagnostic {
	var all []Diagnostic
	for _, d := range list {
		all = append(all, Diagnostic(d))
	}
	return all
}
