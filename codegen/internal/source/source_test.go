package source

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world type-checks a package of one file that has package job beside it.
type world struct {
	*types.Package
	info *types.Info
	file *ast.File
}

// jobText is as much of package job as the rule of twins looks at.
const jobText = `package job
type Void = struct{}
type Job[T any] struct{ t T }
func (j *Job[T]) Await() (t T, err error) { return }
type Tuple2[A, B any] struct { V1 A; V2 B }
func Yield() {}
`

func load(t *testing.T, text string) world {
	t.Helper()
	fset := token.NewFileSet()
	var job *types.Package
	check := func(path, text string) world {
		file, err := parser.ParseFile(fset, path+".go", text, parser.ParseComments)
		require.NoError(t, err)
		info := &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		config := &types.Config{Importer: only{job}}
		pkg, err := config.Check(path, fset, []*ast.File{file}, info)
		require.NoError(t, err)
		return world{pkg, info, file}
	}
	job = check(JobPath, jobText).Package
	return check("example.com/p", "package p\nimport job \""+JobPath+"\"\nvar _ job.Void\n"+text)
}

// only imports one package.
type only struct{ pkg *types.Package }

var standard = importer.Default()

func (o only) Import(path string) (*types.Package, error) {
	if path == o.pkg.Path() {
		return o.pkg, nil
	}
	return standard.Import(path)
}

func TestAPairIsDeclaredTogetherAndAgrees(t *testing.T) {
	for text, want := range map[string]bool{
		"func f(int) {}; func fAsync(int) *job.Job[job.Void] { return nil }":                                     true,
		"func f() error { return nil }; func fAsync() *job.Job[job.Void] { return nil }":                         true,
		"func f() (int, error) { return 0, nil }; func fAsync() *job.Job[int] { return nil }":                    true,
		"func f() (int, bool) { return 0, false }; func fAsync() *job.Job[job.Tuple2[int, bool]] { return nil }": true,
		"func f[T any](T) T { panic(0) }; func fAsync[U any](U) *job.Job[U] { return nil }":                      true,
		"func f() {}": false,
		"func f(int) {}; func fAsync(string) *job.Job[job.Void] { return nil }":    false,
		"func f() int { return 0 }; func fAsync() *job.Job[string] { return nil }": false,
		"func f(...int) {}; func fAsync([]int) *job.Job[job.Void] { return nil }":  false,
		"func f() {}; type fAsync int":                                             false,
	} {
		w := load(t, text)
		f := w.Scope().Lookup("f").(*types.Func)
		twin := new(Twins).Twin(f)
		assert.Equal(t, want, twin != nil, text)
		if want {
			assert.Equal(t, f, new(Twins).Plain(twin), text)
		}
	}
}

func TestKeysAgreeOnSyntaxAndTypes(t *testing.T) {
	w := load(t, "type T[A any] struct{}; func (*T[A]) m() {}; func f() {}")
	for _, decl := range w.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			key := NewKey(w.Path(), ReceiverName(fn), fn.Name.Name)
			assert.Equal(t, key, KeyOf(w.info.Defs[fn.Name].(*types.Func)))
		}
	}
}

func TestTheDigestTellsEditedFromStale(t *testing.T) {
	file := string(Sealed([]byte("package p\n")))
	for text, want := range map[string]struct {
		differs bool
		damage  string
	}{
		file:                          {},
		"package p\n":                 {}, // of a generator that wrote none
		"package q\n" + file[10:]:     {differs: true},
		file + "var x int\n":          {differs: true},
		"":                            {true, "it is empty"},
		"package p\nfunc f() {":       {true, "it ends in the middle"},
		"<<<<<<< ours\n" + file + "=": {true, "it has the marks of a merge conflict"},
	} {
		differs, damage := Altered([]byte(text))
		assert.Equal(t, want.differs, differs, "%q", text)
		assert.Equal(t, want.damage, damage, "%q", text)
	}
}

// A call suspends if the function that it calls has a twin, whether that was written by
// hand or is still to be generated.
func ExampleTwins_Suspends() {
	w := load(&testing.T{}, "func f() int { return 0 }; func fAsync() *job.Job[int] { return nil }; func g() { f(); job.Yield(); println() }")
	ast.Inspect(w.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			s, suspends := new(Twins).Suspends(call, w.info)
			fmt.Println(types.ExprString(call), suspends, s.Kind == KindTwin)
		}
		return true
	})
	// Output:
	// f() true true
	// job.Yield() true false
	// println() false false
}
