package unnamed_test

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
	"github.com/movenext/movenext/codegen/internal/unnamed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// other is a package with an unexported type.
const other = `package other

type t int

func (t) Next() *t { return nil }

type Box[T any] struct{ Value T }

var Zero t

const One t = 1

func New() (*Box[t], error) { return nil, nil }

func List[T any](T) []t { return nil }
`

// of returns the ways of a function f with a given body, and the types of its variables.
func of(body string) (*unnamed.Ways, *source.Function, func(name string) types.Type) {
	p := testmodel.Package("package p\nimport \"example.com/other\"\nvar _ other.Box[int]\nfunc f() {\n"+body+"\n}", other)
	fn := testmodel.Function(p, "f")
	return unnamed.New(fn, typetext.New(p, p.Files[0])), fn, func(name string) types.Type {
		for id, obj := range p.Info.Defs {
			if id.Name == name {
				return obj.Type()
			}
		}
		panic(name)
	}
}

// step returns a way through a function from one type to another.
func step(by unnamed.Way, params, from, to string) unnamed.Way {
	return unnamed.Inferred{TypeParams: params, Params: "*" + from, Result: to, Args: []unnamed.Way{by}}
}

func TestAWayBeginsAtWhatTheFunctionMentions(t *testing.T) {
	for _, c := range []struct {
		body string
		want func(pkg *types.Package) unnamed.Way
	}{
		{"v := other.Zero; _ = v", func(pkg *types.Package) unnamed.Way { return unnamed.Address{Of: pkg.Scope().Lookup("Zero")} }},
		{"v := other.One; _ = v", func(pkg *types.Package) unnamed.Way {
			return unnamed.Like{X: unnamed.Value{Of: pkg.Scope().Lookup("One")}}
		}},
		{"v, _ := other.New(); _ = v", func(pkg *types.Package) unnamed.Way {
			return step(unnamed.Like{X: unnamed.Value{Of: pkg.Scope().Lookup("New")}}, "F ~func() (R1, R2), R1, R2 any", "F", "R1")
		}},
		{"x := other.List(1); v := x[0]; _ = v", func(pkg *types.Package) unnamed.Way {
			list := unnamed.Like{X: unnamed.Value{Of: pkg.Scope().Lookup("List"), Args: "[int]"}}
			return step(step(list, "F ~func(A1) (R1), A1, R1 any", "F", "R1"), "S ~[]E, E any", "S", "E")
		}},
		{"x, _ := other.New(); v := x.Value; _ = v", func(pkg *types.Package) unnamed.Way {
			box := step(unnamed.Like{X: unnamed.Value{Of: pkg.Scope().Lookup("New")}}, "F ~func() (R1, R2), R1, R2 any", "F", "R1")
			return unnamed.Field{X: step(box, "P ~*E, E any", "P", "E"), Name: "Value"}
		}},
	} {
		ways, fn, typ := of(c.body)
		way, ok := ways.To(typ("v"))
		require.True(t, ok, c.body)
		assert.Equal(t, c.want(fn.Package.Types.Imports()[0]), way, c.body)
	}
}

func TestATypeThatHasANameNeedsNoWay(t *testing.T) {
	ways, _, typ := of("v := map[string]other.Box[int]{}; _ = v")
	way, ok := ways.To(typ("v"))
	require.True(t, ok)
	assert.Equal(t, unnamed.Nil{Type: "map[string]other.Box[int]"}, way)
}

func TestATypeThatIsComposedOfUnnamedOnes(t *testing.T) {
	ways, fn, typ := of("x := other.Zero; _ = x")
	way, ok := ways.To(types.NewMap(typ("x"), types.NewSlice(typ("x"))))
	require.True(t, ok)
	zero := unnamed.Address{Of: fn.Package.Types.Imports()[0].Scope().Lookup("Zero")}
	assert.Equal(t, unnamed.Inferred{TypeParams: "T1 comparable", Params: "*T1", Result: "map[T1][]T1", Args: []unnamed.Way{zero}}, way)
}

func TestThereIsNoWayToWhatIsNeverMentioned(t *testing.T) {
	ways, fn, _ := of("_ = 1")
	way, ok := ways.To(fn.Package.Types.Imports()[0].Scope().Lookup("Zero").Type())
	assert.False(t, ok)
	assert.Nil(t, way)
}

func TestVariablesWhoseTypesHaveNoNameAreMarked(t *testing.T) {
	_, fn, typ := of("v := other.Zero; w := 1; _, _ = v, w")
	im := typetext.New(fn.Package, fn.File)
	v, w := &ir.Variable{Name: "v", Type: typ("v")}, &ir.Variable{Name: "w", Type: typ("w")}
	found := unnamed.New(fn, im).Find([]*ir.Variable{v, w}, func(v *ir.Variable) (string, error) { return im.TypeString(v.Type) })
	assert.True(t, v.Unnamed)
	assert.False(t, w.Unnamed)
	assert.Contains(t, found, v)
	assert.NotContains(t, found, w)
}
