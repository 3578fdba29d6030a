package source

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Diagnostic is one finding about the user's source: what is wrong, why it cannot be otherwise,
// and what to do. Every message has its own constructor; those of one phase are together in the
// file diagnostics.go of its package.
type Diagnostic struct {
	Pos, End token.Position // Line 0: the file as a whole

	// Category is a stable word for filters: "annotation", "twin", "source",
	// "unsupported", …
	Category string

	What, Why, Do string // Why and Do may be empty
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

// Compare orders findings by position, and those at one position by message.
func (d Diagnostic) Compare(other Diagnostic) int {
	return cmp.Or(
		strings.Compare(d.Pos.Filename, other.Pos.Filename),
		cmp.Compare(d.Pos.Line, other.Pos.Line),
		cmp.Compare(d.Pos.Column, other.Pos.Column),
		strings.Compare(d.String(), other.String()),
	)
}

// SortDiagnostics orders findings by position and drops duplicates, which arise where one file
// belongs to two packages (with and without tests).
func SortDiagnostics(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, Diagnostic.Compare)
	return slices.CompactFunc(list, func(a, b Diagnostic) bool { return a.String() == b.String() })
}

// Categories. They are part of the tool's output format.
const (
	CategorySource     = "source"     // the source does not parse, type-check or load
	CategoryAnnotation = "annotation" // an annotation that cannot be meant
	CategoryTwin       = "twin"       // the two forms of a function disagree
	CategoryWrite      = "write"      // a file could not be written
	CategoryInternal   = "internal"   // a defect of the generator

	CategoryUnsupported = "unsupported" // right Go, but not in an annotated function
)

// Unsupported returns the finding that an annotated function must not contain something: what it
// is, why not, and what to write instead.
func Unsupported(pos Extent, what, why, do string) Diagnostic {
	return Diagnostic{Pos: pos.From, End: pos.To, Category: CategoryUnsupported, What: what, Why: why, Do: do}
}

// Also adds the second position of an error.
func (d Diagnostic) Also(what string, pos token.Position) Diagnostic {
	d.What += fmt.Sprintf(" (%s at %s:%d)", OneLine(what), filepath.Base(pos.Filename), pos.Line)
	return d
}

// Unreadable returns the finding that a file or folder cannot be read.
func Unreadable(path string, err error) Diagnostic {
	return Diagnostic{Pos: token.Position{Filename: path}, Category: CategorySource, What: "cannot read: " + err.Error()}
}

func overridden(pos token.Position, h HalfPair) Diagnostic {
	typ := h.Type.Obj().Name()
	return Diagnostic{
		Pos: pos, Category: CategoryTwin,
		What: fmt.Sprintf("%s.%s overrides one form of the pair that %s gets from %s", typ, h.Method.Name(), typ, h.From),
		Why:  fmt.Sprintf("%s.%s is still that of %s, so the two forms would do different things", typ, h.Missing, h.From),
		Do:   fmt.Sprintf("declare %s too, or annotate the plain form", h.Missing),
	}
}

func mixed(pos token.Position, h HalfPair) Diagnostic {
	typ, method := h.Type.Obj().Name(), h.Method.Name()
	return Diagnostic{
		Pos: pos, Category: CategoryTwin,
		What: fmt.Sprintf("%s gets %s from %s, and %s from the pair of %s", typ, method, h.By, h.Missing, h.From),
		Why:  "the two forms would do different things",
		Do:   fmt.Sprintf("declare both for %s, or embed one of the two only", typ),
	}
}

// OneLine joins the lines of a message from the go command.
func OneLine(msg string) string { return strings.Join(strings.Fields(msg), " ") }
