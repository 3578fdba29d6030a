package codegen

import (
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// kind is a kind of annotated functions other than the asynchronous ones, from their directives to
// their files. There is one: durable functions.
type kind interface {
	load.Kind

	// IsAnnotation reports whether something is generated for a function with this directive.
	IsAnnotation(directive string) bool

	// Translate is a translator for the functions of the kind. Calls are concurrent.
	Translate(*source.Function, *typetext.Imports) ([]byte, []source.Diagnostic)

	// Settle ends the translation in folders. The error is about the settings of the run: it
	// counts only if there is no finding, which may be its cause.
	Settle(dirs []string, report func(dir string, found ...source.Diagnostic)) error

	// Beside returns a file that belongs to a folder besides the generated ones; path is empty
	// if there is none. said is for [Result.Accepted].
	Beside(dir string) (path string, data []byte, said []string)
}
