package typetext_test

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

	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/codegen/internal/testmodel"
	"github.com/movenext/movenext/codegen/internal/typetext"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// other is a package with an unexported type.
const other = "package other\ntype t int\nfunc New() t { return 0 }\ntype Pair[K comparable, V any] struct { K K; V V }\n"

func model(text string) *source.Package { return testmodel.Package(text, other) }

// imports returns the imports of the only file of p, and a function that returns the types of its
// variables by name.
func imports(p *source.Package) (*typetext.Imports, func(name string) types.Type) {
	return typetext.New(p, p.Files[0]), func(name string) types.Type { return p.Types.Scope().Lookup(name).Type() }
}

func TestQualifiersGiveWayToWhatTheFileDeclares(t *testing.T) {
	im, of := imports(model("package p\nimport url \"context\"\nvar v url.Context\nvar w map[string][]error\nfunc f(job, other int) {}"))
	text, err := im.TypeString(of("v"))
	require.NoError(t, err)
	assert.Equal(t, "url.Context", text, "the user's name for the import")
	assert.Equal(t, "job2", im.Path("example.com/job", "job"), "a local of an annotated function")
	assert.Equal(t, "v2", im.Fresh("v"))
	assert.Equal(t, "import (\n\turl \"context\"\n\n\tjob2 \"example.com/job\"\n)\n", im.Spec())
	im.Prune([]byte("var x url.Context"))
	assert.Equal(t, "import (\n\turl \"context\"\n)\n", im.Spec())
	text, err = im.TypeString(of("w"))
	require.NoError(t, err)
	assert.Equal(t, "map[string][]error", text)
}

func TestTypesThatThePackageHides(t *testing.T) {
	im, of := imports(model("package p\nvar v []uint8\nfunc byte() {}\nfunc error() {}"))
	text, err := im.TypeString(of("v"))
	require.NoError(t, err)
	assert.Equal(t, "[]uint8", text)
	text, err = im.TypeString(types.Universe.Lookup("byte").Type())
	require.NoError(t, err)
	assert.Equal(t, "uint8", text)
	for name, want := range map[string]struct {
		spelled string
		ok      bool
	}{"error": {"gentypes.Error", true}, "comparable": {"comparable", true}, "nil": {"nil", true}} {
		spelled, ok := im.PredeclaredName(name)
		assert.Equal(t, want.spelled, spelled)
		assert.Equal(t, want.ok, ok, name)
	}
}

func TestATypeWithoutAName(t *testing.T) {
	im, of := imports(model("package p\nimport \"example.com/other\"\nvar v = map[string][]any{}\nvar w = other.New()\nvar m = map[string]interface{}{}\nvar q = []other.Pair[string, int]{}\nvar r = &w"))
	for name, open := range map[string]bool{"v": false, "w": true, "m": false, "q": false, "r": true} {
		assert.Equal(t, open, im.IsOpen(of(name)), name)
	}
	_, err := im.TypeString(of("r"))
	assert.ErrorContains(t, err, "package example.com/other does not export it")
	o, err := im.Open(func() (string, error) { return im.TypeString(of("r")) })
	require.NoError(t, err)
	assert.Equal(t, "*T1", o.Text)
	require.Len(t, o.Holes, 1)
	assert.Equal(t, "comparable", o.Holes[0].Constraint(im))
}

func TestSignaturesNameEachParameter(t *testing.T) {
	p := model("package p\nimport \"context\"\ntype T[A any] struct{}\nfunc (T[_]) m(_ context.Context, _ int, _ ...string) {}\nfunc f[K comparable](int int, b, c K) {}")
	im := typetext.New(p, p.Files[0])
	m, err := im.Signature(p.Files[0].Functions[0])
	require.NoError(t, err)
	assert.Equal(t, "(recv T[P1]) ", m.ReceiverText())
	assert.Equal(t, "[P1 any]", m.FrameParams)
	assert.Equal(t, "arg0 context.Context, arg1 int, arg2 ...string", m.ParamList())
	assert.Equal(t, "arg0, arg1, arg2...", m.ArgList())
	assert.Equal(t, "arg0", m.Context())
	f, err := im.Signature(p.Files[0].Functions[1])
	require.NoError(t, err)
	assert.Equal(t, "[K comparable]", f.TypeParams)
	assert.Equal(t, "intArg int, b, c K", f.ParamList())
	assert.Equal(t, "nil", f.Context())
}

// The twin's name is fixed. All other names avoid the declarations of the package, the imports of
// its files, and the type parameters of annotated functions.
func ExampleDeclared_Choose() {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", `package p; import fetchLocals "x"; import "x/fetchArgs"
type fetchFrame int; func fetch(fetchMachine int) {}; type T int; func (T) Fetch() {}
//movenext:async
func f[fetchEnter any]() {}`, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	d := typetext.NewDeclared()
	d.AddFile(file)
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fmt.Printf("%+v\n", d.Choose(fn))
		}
	}
	// Output:
	// {Async:fetchAsync Enter:fetchEnter2 Nested: Frame:fetchFrame2 Locals:fetchLocals2 Args:fetchArgs2 Machine:fetchMachine2 Stem:fetch}
	// {Async:FetchAsync Enter:FetchEnter Nested: Frame:TFetchFrame Locals:TFetchLocals Args:TFetchArgs Machine:TFetchMachine Stem:tFetch}
	// {Async:fAsync Enter:fEnter Nested: Frame:fFrame Locals:fLocals Args:fArgs Machine:fMachine Stem:f}
}
