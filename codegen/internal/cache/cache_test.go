package cache

import (
	"encoding/json"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/filecache"
	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/codegen/internal/source"
	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// module is a module with outputs, next to a module that it requires. All files are old, because
// a run does not trust files as recent as itself.
type module struct {
	t        testing.TB
	dir, lib string
	settings Settings
}

func newModule(t testing.TB) *module {
	t.Helper()
	m := &module{t: t, dir: testmodule.New(t, "example.com/app"), lib: testmodule.New(t, "example.com/lib")}
	m.settings = Settings{
		Folder: filepath.Join(t.TempDir(), "cache"), Load: &load.Settings{Dir: m.dir, Env: os.Environ()}, Patterns: []string{"./..."},
	}
	mod, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	require.NoError(t, err)
	m.write("go.mod", string(mod)+"\nrequire example.com/lib v0.0.0\nreplace example.com/lib => "+filepath.ToSlash(m.lib)+"\n")
	m.write("x.go", "package app\n\n//movenext:async\nfunc F() {}\n")
	m.write("x_async.go", string(generated("x.go", "app")))
	m.write("sub/y.go", "package sub\n\nimport _ \"example.com/lib\"\n\n//movenext:async\nfunc G() {}\n")
	m.write("sub/y_async.go", string(generated("y.go", "sub")))
	testmodule.Write(t, filepath.Join(m.lib, "lib.go"), []byte("package lib\n"))
	for _, dir := range []string{m.dir, m.lib} {
		testmodule.Age(m.t, dir)
	}
	return m
}

// generated returns a text that a run may write for the source file called name.
func generated(name, pkg string) []byte {
	return source.Seal([]byte(source.Header(name) + "\n\npackage " + pkg + "\n"))
}

func (m *module) write(name, text string) {
	path := filepath.Join(m.dir, name)
	testmodule.Write(m.t, path, []byte(text))
	testmodule.Age(m.t, path)
}

// outputs returns the generated files of m.
func (m *module) outputs() []File {
	m.t.Helper()
	var list []File
	for _, name := range []string{filepath.Join("sub", "y_async.go"), "x_async.go"} {
		path := filepath.Join(m.dir, name)
		data, err := os.ReadFile(path)
		require.NoError(m.t, err)
		list = append(list, File{Path: path, Data: data})
	}
	return list
}

// keep simulates a run that leaves these outputs and has no findings.
func (m *module) keep(outputs []File) {
	m.t.Helper()
	c := Open(&m.settings)
	require.NotNil(m.t, c)
	ws, _ := m.load()
	c.Keep(ws, &Run{Outputs: outputs, Warnings: []source.Diagnostic{{What: "a warning"}}})
}

func (m *module) load() (*load.Workspace, *load.Sources) {
	m.t.Helper()
	ws, err := load.List(m.settings.Load, token.NewFileSet(), m.settings.Patterns)
	require.NoError(m.t, err)
	return ws, load.NewSources(ws)
}

func (m *module) known() bool {
	_, ok := Open(&m.settings).Lookup()
	return ok
}

func TestWithoutAFolderNothingIsKept(t *testing.T) {
	c := Open(&Settings{Load: &load.Settings{}})
	require.Nil(t, c)
	_, ok := c.Lookup()
	assert.False(t, ok)
	c.Keep(nil, nil)
	pkg := c.Packages(nil, nil).Of(nil)
	pkg.Keep(nil)
	_, ok = pkg.Outputs()
	assert.False(t, ok)
}

func TestEachChangeOfTheInputsIsNoticed(t *testing.T) {
	m := newModule(t)
	require.False(t, m.known())
	m.keep(m.outputs())
	run, ok := Open(&m.settings).Lookup()
	require.True(t, ok)
	assert.Equal(t, &Run{Outputs: m.outputs(), Warnings: []source.Diagnostic{{What: "a warning"}}}, run)
	text, err := os.ReadFile(filepath.Join(m.dir, "x.go"))
	require.NoError(t, err)
	for name, change := range map[string]func(){
		"a source, to one of the same length and time": func() { m.write("x.go", strings.Replace(string(text), "F", "H", 1)) },
		"a new file":                            func() { m.write("z.go", "package app\n") },
		"a new test":                            func() { m.write("sub/y_test.go", "package sub\n") },
		"a new package":                         func() { m.write("new/n.go", "package n\n") },
		"a file for another system":             func() { m.write("x_windows.go", "package app\n") },
		"a removed file":                        func() { require.NoError(t, os.Remove(filepath.Join(m.dir, "x.go"))) },
		"a generated file, edited":              func() { m.write("x_async.go", "package app\n") },
		"a generated file, removed":             func() { require.NoError(t, os.Remove(filepath.Join(m.dir, "x_async.go"))) },
		"go.mod":                                func() { m.write("go.mod", "module example.com/app\n") },
		"go.sum":                                func() { m.write("go.sum", "") },
		"a workspace around it":                 func() { m.write("go.work", "go 1.26.0\nuse .\n") },
		"a module inside":                       func() { m.write("sub/go.mod", "module example.com/sub\n") },
		"a vendor folder":                       func() { m.write("vendor/modules.txt", "") },
		"the source of a module that lies here": func() { testmodule.Write(t, filepath.Join(m.lib, "lib.go"), []byte("package lib // \n")) },
	} {
		t.Run(name, func(t *testing.T) {
			undo := m.snapshot(t)
			change()
			assert.False(t, m.known())
			undo()
			assert.True(t, m.known(), "as it was before")
		})
	}
}

// snapshot returns a function that restores the current state of both modules.
func (m *module) snapshot(t *testing.T) (undo func()) {
	t.Helper()
	copies := map[string]string{}
	for _, dir := range []string{m.dir, m.lib} {
		copies[dir] = filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.CopyFS(copies[dir], os.DirFS(dir)))
	}
	return func() {
		for dir, saved := range copies {
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.CopyFS(dir, os.DirFS(saved)))
		}
	}
}

func TestARunWhoseFilesChangeMeanwhileIsNotKept(t *testing.T) {
	t.Run("a source is younger than the run", func(t *testing.T) {
		m := newModule(t)
		require.NoError(t, os.Chtimes(filepath.Join(m.dir, "x.go"), time.Now(), time.Now().Add(time.Hour)))
		m.keep(m.outputs())
		assert.False(t, m.known())
	})
	t.Run("an output was written by another program", func(t *testing.T) {
		m := newModule(t)
		outputs := m.outputs()
		outputs[0].Data = []byte("package app")
		m.keep(outputs)
		assert.False(t, m.known())
	})
}

func TestTimesWithinATickOfTheClockAreNotTrusted(t *testing.T) {
	start := time.Date(2030, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	settled := func(at time.Time) bool {
		return (&state{files: map[string]time.Time{"a": at, "b": start.Add(time.Hour)}}).settledSince(start, []string{"b"})
	}
	assert.True(t, settled(start.Add(-fineTick)))
	assert.False(t, settled(start.Add(-fineTick+time.Millisecond)))
	assert.False(t, settled(start.Truncate(time.Second)), "a file system that counts in seconds")
	assert.True(t, settled(start.Truncate(time.Second).Add(-coarseTick)))
}

func TestAnEntryOfAnotherProgramInTheCacheIsNoOutput(t *testing.T) {
	m := newModule(t)
	ws, srcs := m.load()
	finder := load.Find(ws, srcs, nil)
	variants := finder.Variants(func(string, []source.Diagnostic) {})
	require.Len(t, variants, 2)
	pkg := Open(&m.settings).Packages(ws, srcs).Of(variants[0])
	good := File{Path: filepath.Join(m.dir, "x_async.go"), Data: generated("x.go", "app")}
	pkg.Keep([]File{good})
	list, ok := pkg.Outputs()
	require.True(t, ok)
	assert.Equal(t, []File{good}, list)

	escaped := File{Path: filepath.Join(m.dir, "escaped_async.go"), Data: generated("escaped.go", "app")}
	edited := File{Path: good.Path, Data: append(source.Seal([]byte(source.Header("x.go"))), "func init() {}\n"...)}
	unsealed := File{Path: good.Path, Data: []byte(source.Header("x.go") + "\n\npackage app\n")}
	misnamed := File{Path: good.Path, Data: generated("z.go", "app")}
	for name, files := range map[string][]File{
		"no file": {}, "one more": {good, escaped}, "another name": {escaped}, "edited": {edited},
		"no digest": {unsealed}, "of another source": {misnamed},
	} {
		pkg.Keep(files)
		_, ok := pkg.Outputs()
		assert.False(t, ok, name)
	}
	dir := filecache.Open(m.settings.Folder)
	require.NoError(t, dir.Put(pkg.key, []byte(`{"../x_async.go": null}`)))
	_, ok = pkg.Outputs()
	assert.False(t, ok, "a path")
	require.NoError(t, dir.Put(pkg.key, []byte("no JSON")))
	_, ok = pkg.Outputs()
	assert.False(t, ok, "no JSON")
}

// FuzzEntry has entries of the cache that no run has written. A run that accepts one gets nothing
// but files of the names that runs write.
func FuzzEntry(f *testing.F) {
	m := newModule(f)
	ws, srcs := m.load()
	variants := load.Find(ws, srcs, nil).Variants(func(string, []source.Diagnostic) {})
	c := Open(&m.settings)
	pkg := c.Packages(ws, srcs).Of(variants[0])
	m.keep(m.outputs())
	pkg.Keep([]File{m.outputs()[1]})
	keys := []filecache.Key{c.key, pkg.key}
	var kept [][]byte
	for i, key := range keys {
		value, ok := c.dir.Get(key)
		require.True(f, ok)
		kept = append(kept, value)
		f.Add(value, uint8(i))
	}
	f.Fuzz(func(t *testing.T, value []byte, of uint8) {
		for i, key := range keys {
			if i == int(of)%len(keys) {
				require.NoError(t, c.dir.Put(key, value))
			} else {
				require.NoError(t, c.dir.Put(key, kept[i]))
			}
		}
		var outputs []File
		if !readsElsewhere(m, value) { // that would read what the machine has
			if run, ok := Open(&m.settings).Lookup(); ok {
				outputs = run.Outputs
			}
		}
		if list, ok := pkg.Outputs(); ok {
			outputs = append(outputs, list...)
		}
		for _, out := range outputs {
			require.True(t, canBeOutput(out.Path), out.Path)
		}
	})
}

// readsElsewhere reports whether the record of a run names folders or files that are not of m.
func readsElsewhere(m *module, value []byte) bool {
	var rec record
	_ = json.Unmarshal(value, &rec)
	for _, path := range slices.Concat(rec.Inputs.Trees, rec.Inputs.Folders, rec.Inputs.Files, rec.Outputs) {
		if !filepath.IsLocal(strings.TrimPrefix(path, m.dir+"/")) {
			return true
		}
	}
	return false
}

// The record of a run may name any file as its output: what is no generated file is not read, not
// even one without an end.
func TestAnOutputThatIsNoneIsNotRead(t *testing.T) {
	m := newModule(t)
	m.keep(m.outputs())
	c := Open(&m.settings)
	value, ok := c.dir.Get(c.key)
	require.True(t, ok)
	var rec record
	require.NoError(t, json.Unmarshal(value, &rec))
	for _, path := range []string{os.DevNull, "/dev/zero", filepath.Join(m.dir, "go.mod"), filepath.Join(m.dir, "x.go"), filepath.Join(t.TempDir(), "x_async.go")} {
		poisoned := rec
		poisoned.Outputs = []string{path}
		c.put(c.key, poisoned)
		assert.False(t, m.known(), path)
	}
	c.put(c.key, rec)
	assert.True(t, m.known())
}

func TestARunWithAnOverlayOfTheGoCommandIsNotKept(t *testing.T) {
	m := newModule(t)
	require.NotNil(t, Open(&m.settings))
	env := m.settings.Load.Env
	m.settings.Load.Env = append(slices.Clone(env), "GOFLAGS=-trimpath -overlay=x.json")
	assert.Nil(t, Open(&m.settings))
	file := filepath.Join(t.TempDir(), "env")
	testmodule.Write(t, file, []byte("GOFLAGS=-overlay=x.json\n"))
	m.settings.Load.Env = append(slices.Clone(env), "GOENV="+file)
	assert.Nil(t, Open(&m.settings))
}
