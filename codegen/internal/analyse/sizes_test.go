package analyse

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSizesFollowTheConditionOfTheFile(t *testing.T) {
	assert.EqualValues(t, 8, sizesOf(nil).Sizeof(types.Typ[types.Int]))
	for condition, want := range map[string]int64{
		"linux": 8, "386": 4, "386 && linux": 4, "linux && (arm || 386)": 4, "386 || amd64": 8,
		"!386": 8, "!amd64": 8, "!amd64 && 386 && !race": 4, "386 && (race || !race) && cgo": 4, "386 || unix": 8,
		"wasm": 8, "mips || mipsle": 4, "386 && amd64": 8, "s390x": 8,
	} {
		expr, err := constraint.Parse("//go:build " + condition)
		require.NoError(t, err)
		assert.Equal(t, want, sizesOf(expr).Sizeof(types.Typ[types.Int]), condition)
	}
}

func TestQuickSizesAreThoseOfPackageTypes(t *testing.T) {
	const source = `package p
type (
	A struct { a bool; b int64; c bool; d struct{} }
	B struct { a [3]A; b [0]int; c func(); d string; e any }
	C struct { a, b [0]B }
	D struct {}
	E struct { a D; b byte; c [7]C }
	F [1 << 30][1 << 30][1 << 30]int
	G struct { a int; b F }
	H struct { a complex128; b float32; c []int; d map[int]int; e *H; f uint16 }
)`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	require.NoError(t, err)
	config := types.Config{Error: func(error) {}}
	pkg, _ := config.Check("p", fset, []*ast.File{file}, nil)
	for _, arch := range []string{"amd64", "386"} {
		slow := types.SizesFor("gc", arch)
		for _, name := range pkg.Scope().Names() {
			typ := pkg.Scope().Lookup(name).Type()
			sizes := quick(slow)
			assert.Equal(t, slow.Sizeof(typ), sizes.Sizeof(typ), "size of %s on %s", name, arch)
			assert.Equal(t, slow.Alignof(typ), sizes.Alignof(typ), "alignment of %s on %s", name, arch)
		}
	}
}
