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

// world type-checks a package of one file next to package job.
type world struct {
	*types.Package
	info *types.Info
	file *ast.File
}

// jobText is the part of package job that the rule of twins reads.
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
	var job, root, run *types.Package
	check := func(path, text string) world {
		file, err := parser.ParseFile(fset, path+".go", text, parser.ParseComments)
		require.NoError(t, err)
		info := &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Instances: map[*ast.Ident]types.Instance{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		config := &types.Config{Importer: only{job, root, run}}
		pkg, err := config.Check(path, fset, []*ast.File{file}, info)
		require.NoError(t, err)
		return world{pkg, info, file}
	}
	job = check(JobPath, jobText).Package
	root = check(RootPath, rootText).Package
	run = check(StatemachinePath, runText).Package
	head := fmt.Sprintf("package p\nimport (job %q; root %q; statemachine %q)\nvar (_ job.Void; _ root.Action; _ statemachine.Run)\n", JobPath, RootPath, StatemachinePath)
	return check("example.com/p", head+text)
}

// only imports nothing but the packages of the runtime.
type only [3]*types.Package

var standard = importer.Default()

func (o only) Import(path string) (*types.Package, error) {
	for _, pkg := range o {
		if pkg != nil && path == pkg.Path() {
			return pkg, nil
		}
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

// runText is the part of package statemachine that the rule of twins reads.
const runText = "package statemachine\ntype Run struct{}\n"

func TestAnEntryIsBesideOrComesFromAStructThatHasNoFormOfItsOwn(t *testing.T) {
	const (
		forms = "func (t *T) F(int) error { return nil }; func (t *T) FAsync(int) *job.Job[job.Void] { return nil }\n"
		entry = "FEnter(r *statemachine.Run, n int) (*W, error) { return nil, nil }; type W struct{}\n"
		inner = "func (h *hidden) " + entry
	)
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"beside":                     {"type T struct{}; func (t *T) " + entry, true},
		"by an alias":                {"type T struct{}; type t = T; func (t *t) " + entry, true},
		"embedded":                   {"type T struct{ hidden }; type hidden struct{};" + inner, true},
		"embedded by an alias":       {"type T struct{ h }; type h = hidden; type hidden struct{};" + inner, true},
		"none":                       {"type T struct{}", false},
		"with other parameters":      {"type T struct{ hidden }; type hidden struct{}; func (h *hidden) FEnter(r *statemachine.Run) (*W, error) { return nil, nil }; type W struct{}", false},
		"of the embedded F":          {"type T struct{ hidden }; type hidden struct{}; func (h *hidden) F(int) error { return nil };" + inner, false},
		"from a struct further in":   {"type T struct{ outer }; type outer struct{ hidden }; func (o *outer) F(int) error { return nil }; type hidden struct{};" + inner, false},
		"not the embedded pointer's": {"type T struct{ *hidden }; type hidden struct{}; func (h hidden) F(int) error { return nil };" + inner, false},
	} {
		w := load(t, c.text+"\n"+forms)
		named := w.Scope().Lookup("T").Type().(*types.Named)
		for m := range named.Methods() {
			if m.Name() == "F" {
				assert.Equal(t, c.want, new(Twins).enterOf(Suspension{Callee: m}) != nil, name)
			}
		}
	}
}

func TestAnEntryOfAGenericTypeIsPromoted(t *testing.T) {
	w := load(t, `type T[A any] struct{ h[A] }
type h[A any] = hidden[A]
type hidden[A any] struct{}
type W[A any] struct{}
func (h *hidden[B]) FEnter(r *statemachine.Run, b B) (*W[B], B, error) { panic(0) }
func (t *T[A]) F(a A) (A, error) { panic(0) }
func (t *T[A]) FAsync(a A) *job.Job[A] { panic(0) }
func g(t *T[string]) { t.F("") }
`)
	found := false
	ast.Inspect(w.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "t.F" {
			s, suspends := new(Twins).Suspends(call, w.info)
			found = suspends && s.Kind == KindEnter && types.TypeString(s.Frame, func(*types.Package) string { return "" }) == "*W[string]"
		}
		return true
	})
	assert.True(t, found)
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
	file := string(Seal([]byte("package p\n")))
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
		differs, damage := FindAlteration([]byte(text))
		assert.Equal(t, want.differs, differs, "%q", text)
		assert.Equal(t, want.damage, damage, "%q", text)
	}
}

// A call suspends if the called function has a twin, whether the twin was written by hand or is
// still to be generated.
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
