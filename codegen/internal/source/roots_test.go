package source

import (
	"go/ast"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
)

// rootText is the part of package root that marks parameters.
const rootText = `package root
type Func[T any] = func(int) (T, error)
type Action = func(int) error
`

func TestFunctionsGivenToMarkedParametersAreRoots(t *testing.T) {
	const library = `
type task = root.Func[int]
func one(n int, fn task, m int) {}
func none(fn func(int) error) {}
type alias = func(int) error
func other(fn alias) {}
func many(fns ...root.Action) {}
func makes[T any](fn root.Func[T]) *job.Job[T] { return nil }
type T[V any] struct{}
func (T[V]) with(fn root.Func[V]) error { return nil }
type in interface{ enter(fn root.Action) }
func pair(fn func(int) error) {}
func pairAsync(fn root.Action) *job.Job[job.Void] { return nil }
func both(fn root.Action) {}
func bothAsync(fn root.Action) *job.Job[job.Void] { return nil }
func act(int) error { return nil }
func get(int) (int, error) { return 0, nil }
var list []root.Action
var i in
`
	for call, want := range map[string]struct {
		functions  []string
		waits, job bool
	}{
		"one(1, get, 2)":             {functions: []string{"get"}},
		"other(act)":                 {},
		"none(act)":                  {},
		"many(act, (act))":           {functions: []string{"act", "act"}},
		"many(list...)":              {},
		"many()":                     {},
		"makes(get)":                 {functions: []string{"get"}, job: true},
		"T[int]{}.with(get)":         {functions: []string{"get"}},
		"T[int].with(T[int]{}, get)": {},
		"i.enter(act)":               {functions: []string{"act"}},
		"pair(act)":                  {functions: []string{"act"}, waits: true},
		"pairAsync(act)":             {functions: []string{"act"}, job: true},
		"both(act)":                  {functions: []string{"act"}},
		"list[0](1)":                 {},
	} {
		w := load(t, library+"func f() { "+call+" }")
		found := false
		ast.Inspect(w.file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && types.ExprString(c) == call {
				found = true
				got := RootsIn(c, w.info)
				var functions []string
				for _, e := range got.Functions {
					functions = append(functions, types.ExprString(e))
				}
				assert.Equal(t, want.functions, functions, call)
				assert.Equal(t, want.waits, got.Waits, call)
				assert.Equal(t, want.job, got.Job, call)
			}
			return true
		})
		assert.True(t, found, call)
	}
}

func TestAParameterForARootHasNoCompanion(t *testing.T) {
	w := load(t, "func f(a func(int) error, b root.Action, c ...root.Func[int]) {}")
	list := CompanionsIn(w.Package, w.Scope().Lookup("f").Type().(*types.Signature))
	assert.Len(t, list, 1)
	assert.Equal(t, "a", list[0].Param.Name())
}
