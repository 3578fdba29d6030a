package codegen

import (
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/internal/testmodule"
)

// FuzzGenerate generates from arbitrary source text. For any text, the generator must not panic,
// and must find no defect of its own (a panic of the lowering, output that does not compile). It
// must write no files if it has findings, and produce the same result twice.
//
// The packages that the text may import are listed and type-checked only once. Run it with
// -fuzzminimizetime=10x: packages are checked in parallel, so coverage varies between runs, and
// minimizing for it would take all of the time.
func FuzzGenerate(f *testing.F) {
	const head = "package p\n\nimport (\n\t\"context\"\n\t\"errors\"\n\t\"fmt\"\n\t\"time\"\n\n" +
		"\t\"example.com/p/trace\"\n\n\t\"" + source.AwaiterPath + "\"\n\t\"" + source.JobPath + "\"\n)\n\n"
	dir := testmodule.New(f, "example.com/p")
	path := filepath.Join(dir, "x.go")
	testmodule.Write(f, path, []byte(head+"var _ = context.Cause\nvar _ = errors.Is\nvar _ = fmt.Print\n"+
		"var _ time.Time\nvar _ = trace.Step\nvar _ = awaiter.ErrNilAwaitable\nvar _ job.Void\n"))
	testmodule.Write(f, filepath.Join(dir, "trace", "trace.go"), []byte(fuzzTrace))
	cfg := &Config{Dir: dir, DryRun: true}
	ws, err := load.List(cfg.settings(), token.NewFileSet(), []string{"./..."})
	require.NoError(f, err)
	require.NoError(f, ws.Add(source.StubPaths...))

	// What is imported is checked here, once: the fuzzer would take a first input that needs ten
	// seconds for one that hangs.
	_, err = newRun(cfg, ws).do()
	require.NoError(f, err)
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cfg.Overlay = map[string][]byte{path: []byte(text)}
		first, err := newRun(cfg, ws).do()
		require.NoError(t, err)
		for _, d := range first.Diagnostics {
			require.NotEqual(t, source.CategoryInternal, d.Category, "%s", d)
			require.NotEmpty(t, d.Pos.Filename, "%s", d)
		}
		if len(first.Diagnostics) > 0 {
			for _, change := range first.Files {
				require.NotEqual(t, dir, filepath.Dir(change.Path), "written in spite of findings")
			}
		}
		second, err := newRun(cfg, ws).do()
		require.NoError(t, err)
		require.Equal(t, first, second)
	})
}

// fuzzTrace replaces the package that the cases of testdata/exec use. It declares the same names,
// so that the cases can serve as seeds.
const fuzzTrace = `package trace

import (
	"` + source.AwaiterPath + `"
	"` + source.JobPath + `"
)

type T struct{}

func (*T) Log(string, ...any)                                {}
func Note[V any](t *T, v V) V                                { return v }
func Later[V any](t *T, v V) *job.Job[V]                     { return nil }
func LaterErr[V any](t *T, v V, err error) *job.Job[V]       { return nil }
func Foreign[V any](t *T, v V, err error) awaiter.Awaitable[V] { return nil }
func Get[V any](t *T, v V) V                                 { return v }
func GetAsync[V any](t *T, v V) *job.Job[V]                  { return nil }
func Try[V any](t *T, v V, err error) (V, error)             { return v, err }
func TryAsync[V any](t *T, v V, err error) *job.Job[V]       { return nil }

//movenext:async
func Step(t *T, n int) int { return n }

//movenext:async
func Pause(t *T) {}
`

// fuzzSeeds returns the sources of all cases.
func fuzzSeeds(f *testing.F) []string {
	var seeds []string
	for _, pattern := range []string{"testdata/*.txtar", "testdata/exec/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			require.NoError(f, err)
			for _, file := range archive.Files {
				if strings.HasSuffix(file.Name, ".go") {
					seeds = append(seeds, strings.ReplaceAll(string(file.Data), `"example.com/cases/trace"`, `"example.com/p/trace"`))
				}
			}
		}
	}
	require.NotEmpty(f, seeds)
	return seeds
}
