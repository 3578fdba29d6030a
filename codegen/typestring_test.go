package codegen

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

// TestTypesAreWrittenAsTheFileHasTo takes the types of the variables of
// testdata/typestring and compares what is written with the comment after each.
func TestTypesAreWrittenAsTheFileHasTo(t *testing.T) {
	pkg := checkedPackage(t, "./testdata/typestring")
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
	pkg := checkedPackage(t, "./testdata/typestring")
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

func TestWhatMayBeImported(t *testing.T) {
	pkg := func(path, name string) *types.Package { return types.NewPackage(path, name) }
	for _, c := range []struct {
		from, path, name string
		want             bool
	}{
		{"app", "fmt", "fmt", true},
		{"app", "internal/abi", "abi", false},
		{"app", "net/http/internal", "internal", false},
		{"app", "vendor/golang.org/x/net/idna", "idna", false},
		{"app", "app/cmd", "main", false},
		{"app/cmd_test", "app/cmd", "main", true},
		{"app", "app/internal", "internal", true},
		{"app/a/b", "app/internal/x", "x", true},
		{"app_test", "app/internal/x", "x", true},
		{"application", "app/internal/x", "x", false},
		{"app/a", "app/b/internal/x", "x", false},
		{"app/b/c", "app/internal/b/internal/x", "x", false},
		{"app", "example.com/internalize", "internalize", true},
	} {
		assert.Equal(t, c.want, typetext.Importable(pkg(c.from, "p"), pkg(c.path, c.name)), "%s from %s", c.path, c.from)
	}
}
