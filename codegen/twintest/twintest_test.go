package twintest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestThisModuleIsFresh(t *testing.T) { Fresh(t) }

// recorder is a test that has failed or not.
type recorder struct {
	testing.TB
	errors []string
	fatal  bool
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Fatalf(format string, args ...any) {
	r.errors, r.fatal = append(r.errors, fmt.Sprintf(format, args...)), true
	panic(r)
}

// fresh calls Fresh in a folder.
func fresh(t *testing.T, dir string) (r *recorder) {
	t.Helper()
	t.Chdir(dir)
	r = &recorder{}
	defer func() {
		if v := recover(); v != nil && v != any(r) {
			panic(v)
		}
	}()
	Fresh(r)
	return r
}

func TestFreshNamesWhatIsMissingInTheWholeModule(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const annotated = "package p\n\n//movenext:async\nfunc F() {}\n"
	write("go.mod", "module example.com/p\n")
	write("below/deep/f.go", annotated)
	write("f_test.go", annotated)
	write("above.go", "package p\n")
	for _, out := range []string{
		"testdata/f.go", "vendor/example.com/q/f.go", ".hidden/f.go", "_hidden/f.go", "inner/f.go",
		"f_plan9.go", "ignored.go",
	} {
		write(out, annotated)
	}
	write("ignored.go", "//go:build ignore\n\n"+annotated)
	write("inner/go.mod", "module example.com/inner\n")
	r := fresh(t, filepath.Join(dir, "below"))
	assert.Equal(t, []string{
		filepath.Join(dir, "f_test.go") + ":4:6: F has no twin, since f_async_test.go is missing; machines that call it block; run go generate",
		filepath.Join(dir, "below", "deep", "f.go") + ":4:6: F has no twin, since f_async.go is missing; machines that call it block; run go generate",
	}, r.errors)
	assert.False(t, r.fatal)
}

func TestFreshNeedsAModule(t *testing.T) {
	dir := t.TempDir()
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		require.NoFileExists(t, filepath.Join(at, "go.mod"))
	}
	r := fresh(t, dir)
	assert.True(t, r.fatal)
	assert.Contains(t, r.errors[0], "twintest: cannot find the module of the test: ")
}
