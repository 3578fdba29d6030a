package load

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// TestTypesAreWrittenAsTheFileHasTo writes the types of the variables of testdata/typestring and
// compares each with the comment after the variable.
func TestTypesAreWrittenAsTheFileHasTo(t *testing.T) {
	pkg := checkedPackage(t, "../../testdata/typestring")
	file := pkg.Files[0]
	im := typetext.New(pkg, file)
	want := comments(pkg, file)
	seen := 0
	for id, obj := range pkg.Info.Defs {
		v, ok := obj.(*types.Var)
		if !ok || !strings.HasPrefix(id.Name, "_a") {
			continue
		}
		seen++
		line := pkg.Position(id.Pos()).Line
		for want[line] == "" {
			line++ // gofmt puts the comment after the last line of a type.
		}
		got, err := im.TypeString(v.Type())
		if err != nil {
			got = "error: " + err.Error()
		}
		assert.Equal(t, want[line], got, "line %d", line)
	}
	assert.Greater(t, seen, 30)
	require.Equal(t, seen, len(want))
}

func TestFreshNamesHideNothing(t *testing.T) {
	pkg := checkedPackage(t, "../../testdata/typestring")
	im := typetext.New(pkg, pkg.Files[0])
	assert.Equal(t, "frame", im.Fresh("frame"))
	assert.Equal(t, "frame", im.Fresh("frame"), "the same answer each time")
	assert.Equal(t, "t2", im.Fresh("t"), "a local of the source")
	assert.Equal(t, "local2", im.Fresh("local"), "a type of the package")
	assert.Equal(t, "int2", im.Fresh("int"), "a predeclared name")
	assert.Equal(t, "job", im.Path(source.JobPath, "job"))
	assert.Equal(t, "job2", im.Fresh("job"), "an import")
	assert.Equal(t, "frame2", im.Path("example.com/frame", "frame"), "a fresh name")
}
