package typeset_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// constrained returns a type parameter T with this constraint.
func constrained(t *testing.T, constraint string) types.Type {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p; type small [4]int; type large [8]int; func f[T "+constraint+"](T) {}", 0)
	require.NoError(t, err)
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	return pkg.Scope().Lookup("f").(*types.Func).Signature().TypeParams().At(0)
}

func TestTheQuestionsAreAskedOfEveryType(t *testing.T) {
	isArray := typeset.IsA[*types.Array]
	for constraint, want := range map[string]struct {
		of              int // types in the set; -1: any
		core            string
		always, perhaps bool
	}{
		"any":                               {-1, "", false, false},
		"[4]int":                            {1, "[4]int", true, true},
		"~[4]int | ~[8]int":                 {2, "", true, true},
		"~[4]int | ~[]int":                  {2, "", false, true},
		"~[]int | ~string":                  {2, "", false, false},
		"small | [4]int":                    {2, "[4]int", true, true},
		"interface{ small | large; large }": {1, "[8]int", true, true},
		"interface{ comparable; ~[4]int }":  {1, "[4]int", true, true},
		"chan int | <-chan int":             {2, "<-chan int", false, false},
		"chan<- int | <-chan int":           {2, "", false, false},
		"~int | any":                        {-1, "", false, false},
	} {
		param := constrained(t, constraint)
		set := typeset.Of(param)
		if want.of < 0 {
			assert.Nil(t, set, constraint)
		} else {
			assert.Len(t, set, want.of, constraint)
		}
		core := ""
		if c := typeset.Core(param); c != nil {
			core = c.String()
		}
		assert.Equal(t, want.core, core, constraint)
		assert.Equal(t, want.always, typeset.Always(param, isArray), constraint)
		assert.Equal(t, want.perhaps, typeset.Perhaps(param, isArray), constraint)
	}
}

func TestOtherTypesAreTheirOwnSet(t *testing.T) {
	slice := types.NewSlice(types.Typ[types.Int])
	assert.Equal(t, []types.Type{slice}, typeset.Of(slice))
	assert.Equal(t, slice, typeset.Core(slice))
	assert.Equal(t, types.Typ[types.Int], typeset.ChanElem(constrained(t, "chan int | <-chan int")))
}

// Whether a value is an array determines whether its parts have addresses. A type parameter may
// stand for an array although its underlying type is an interface.
func ExamplePerhaps() {
	array := types.NewArray(types.Typ[types.Int], 4)
	union := types.NewUnion([]*types.Term{types.NewTerm(true, array), types.NewTerm(true, types.Typ[types.String])})
	constraint := types.NewInterfaceType(nil, []types.Type{union})
	param := types.NewTypeParam(types.NewTypeName(token.NoPos, nil, "T", nil), constraint)

	fmt.Println(typeset.Perhaps(param, typeset.IsA[*types.Array]), typeset.Always(param, typeset.IsA[*types.Array]))
	// Output: true false
}
