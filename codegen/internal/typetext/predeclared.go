package typetext

import (
	"go/types"

	"github.com/movenext/movenext/codegen/internal/source"
)

// Predeclared names that the source redeclares. A file may import what it needs under
// another name; a package cannot do without bool, though it may well have a function
// called new.

// Predeclared is how a type of the universe is written, and whether it can be.
func (im *Imports) Predeclared(name string) (spelled string, ok bool) {
	if !im.hidden[name] {
		return name, true
	}
	_, isType := types.Universe.Lookup(name).(*types.TypeName)
	return im.Path(source.StatemachinePath, "statemachine") + "." + SetFirst(name, true), isType && name != "comparable"
}
