package typetext

import (
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Predeclared names that the source redeclares. A file may import its packages under other names;
// but a package cannot do without bool, even if it has a function called new.

// PredeclaredName returns the spelling of a predeclared type, and whether it has one.
func (im *Imports) PredeclaredName(name string) (spelled string, ok bool) {
	if !im.hidden[name] {
		return name, true
	}
	_, isType := types.Universe.Lookup(name).(*types.TypeName)
	return im.Path(source.GentypesPath, "gentypes") + "." + SetFirst(name, true), isType && name != "comparable"
}
