package codegen

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Diagnostic is one finding about the user's source: what is wrong, why it
// cannot be otherwise, and what to do. Every message has a constructor of its
// own in this file and its neighbour diagnostics_lower.go, so that one place
// lists all that the tool may say.
type Diagnostic struct {
	Pos token.Position `json:"pos"` // Line 0: the file as a whole
	End token.Position `json:"end"`

	// Category is a stable word for filters: "annotation", "twin", "source", "unsupported", …
	Category string `json:"category"`

	What string `json:"what"`
	Why  string `json:"why,omitempty"`
	Do   string `json:"do,omitempty"`
}

// String renders the finding on one line: file:line:col: what; why; what to do.
func (d Diagnostic) String() string {
	parts := []string{d.What}
	for _, p := range []string{d.Why, d.Do} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return fmt.Sprintf("%s: %s", d.Pos, strings.Join(parts, "; "))
}

// sortDiagnostics orders findings by place and drops repetitions, which arise
// where one file belongs to two packages (with and without tests).
func sortDiagnostics(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			strings.Compare(a.String(), b.String()),
		)
	})
	return slices.CompactFunc(list, func(a, b Diagnostic) bool { return a.String() == b.String() })
}
