package load

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/codegen/internal/typetext"
)

// TestOpenTypesAreThoseThatOthersDoNotName checks the types of the variables of
// testdata/typestring. It determines, without writing them, which of them contain a type that
// another package does not export.
func TestOpenTypesAreThoseThatOthersDoNotName(t *testing.T) {
	pkg := checkedPackage(t, "../../testdata/typestring")
	im := typetext.New(pkg, pkg.Files[0])
	open := map[string]bool{}
	for id, obj := range pkg.Info.Defs {
		if v, ok := obj.(*types.Var); ok && strings.HasPrefix(id.Name, "_a") {
			if im.IsOpen(v.Type()) {
				open[id.Name] = true
			}
		}
	}
	assert.Equal(t, map[string]bool{"_a36": true, "_a39": true, "_a40": true}, open)
	assert.Empty(t, im.Names, "nothing is imported for it")
}
