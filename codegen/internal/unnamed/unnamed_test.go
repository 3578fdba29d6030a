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

// derive returns the derivations of a function f with a given body, and the types of its
// variables.
func derive(body string) (*unnamed.Derivations, *source.Function, func(name string) types.Type) {
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

// infer returns a derivation through a function from one type to another.
func infer(d unnamed.Derivation, params, from, to string) unnamed.Derivation {
	return unnamed.Inferred{TypeParams: params, Params: "*" + from, Result: to, Args: []unnamed.Derivation{d}}
}

func TestADerivationBeginsAtWhatTheFunctionMentions(t *testing.T) {
	for _, c := range []struct {
		body string
		want func(pkg *types.Package) unnamed.Derivation
	}{
		{"v := other.Zero; _ = v", func(pkg *types.Package) unnamed.Derivation {
			return unnamed.Address{Object: pkg.Scope().Lookup("Zero")}
		}},
		{"v := other.One; _ = v", func(pkg *types.Package) unnamed.Derivation {
			return unnamed.Witness{X: unnamed.Value{Object: pkg.Scope().Lookup("One")}}
		}},
		{"v, _ := other.New(); _ = v", func(pkg *types.Package) unnamed.Derivation {
			return infer(unnamed.Witness{X: unnamed.Value{Object: pkg.Scope().Lookup("New")}}, "F ~func() (R1, R2), R1, R2 any", "F", "R1")
		}},
		{"x := other.List(1); v := x[0]; _ = v", func(pkg *types.Package) unnamed.Derivation {
			list := unnamed.Witness{X: unnamed.Value{Object: pkg.Scope().Lookup("List"), Args: "[int]"}}
			return infer(infer(list, "F ~func(A1) (R1), A1, R1 any", "F", "R1"), "S ~[]E, E any", "S", "E")
		}},
		{"x, _ := other.New(); v := x.Value; _ = v", func(pkg *types.Package) unnamed.Derivation {
			box := infer(unnamed.Witness{X: unnamed.Value{Object: pkg.Scope().Lookup("New")}}, "F ~func() (R1, R2), R1, R2 any", "F", "R1")
			return unnamed.Field{X: infer(box, "P ~*E, E any", "P", "E"), Name: "Value"}
		}},
	} {
		derivations, fn, typ := derive(c.body)
		d, ok := derivations.To(typ("v"))
		require.True(t, ok, c.body)
		assert.Equal(t, c.want(fn.Package.Types.Imports()[0]), d, c.body)
	}
}

func TestATypeThatHasANameNeedsNoDerivation(t *testing.T) {
	derivations, _, typ := derive("v := map[string]other.Box[int]{}; _ = v")
	d, ok := derivations.To(typ("v"))
	require.True(t, ok)
	assert.Equal(t, unnamed.Nil{Type: "map[string]other.Box[int]"}, d)
}

func TestATypeThatIsComposedOfUnnamedOnes(t *testing.T) {
	derivations, fn, typ := derive("x := other.Zero; _ = x")
	d, ok := derivations.To(types.NewMap(typ("x"), types.NewSlice(typ("x"))))
	require.True(t, ok)
	zero := unnamed.Address{Object: fn.Package.Types.Imports()[0].Scope().Lookup("Zero")}
	assert.Equal(t, unnamed.Inferred{TypeParams: "T1 comparable", Params: "*T1", Result: "map[T1][]T1", Args: []unnamed.Derivation{zero}}, d)
}

func TestWhatIsNeverMentionedCannotBeDerived(t *testing.T) {
	derivations, fn, _ := derive("_ = 1")
	d, ok := derivations.To(fn.Package.Types.Imports()[0].Scope().Lookup("Zero").Type())
	assert.False(t, ok)
	assert.Nil(t, d)
}

func TestVariablesWhoseTypesHaveNoNameAreMarked(t *testing.T) {
	_, fn, typ := derive("v := other.Zero; w := 1; _, _ = v, w")
	im := typetext.New(fn.Package, fn.File)
	v, w := &ir.Variable{Name: "v", Type: typ("v")}, &ir.Variable{Name: "w", Type: typ("w")}
	found := unnamed.New(fn, im).Find([]*ir.Variable{v, w}, func(v *ir.Variable) (string, error) { return im.TypeString(v.Type) })
	assert.True(t, v.Unnamed)
	assert.False(t, w.Unnamed)
	assert.Contains(t, found, v)
	assert.NotContains(t, found, w)
}
