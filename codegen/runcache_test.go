package codegen

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/testmodule"
)

// cachedModule is a module of which a run has been recorded, with a module next to it
// that it requires.
type cachedModule struct {
	t        *testing.T
	dir, lib string
	config   Config
}

func newCachedModule(t *testing.T) *cachedModule {
	t.Helper()
	m := &cachedModule{t: t, dir: testmodule.New(t, "example.com/app"), lib: testmodule.New(t, "example.com/lib")}
	m.config = Config{Dir: m.dir, Mode: Plain, Cache: filepath.Join(t.TempDir(), "cache")}
	mod, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	require.NoError(t, err)
	m.write("go.mod", string(mod)+"\nrequire example.com/lib v0.0.0\nreplace example.com/lib => "+filepath.ToSlash(m.lib)+"\n")
	m.write("x.go", "package app\n\n//movenext:async\nfunc F() {}\n")
	m.write("sub/y.go", "package sub\n\nimport _ \"example.com/lib\"\n\n//movenext:async\nfunc G() {}\n")
	testmodule.Write(t, filepath.Join(m.lib, "lib.go"), []byte("package lib\n"))
	for _, dir := range []string{m.dir, m.lib} {
		m.age(dir)
	}
	return m
}

// write writes a file with an old time: with any other time, the next run would not be
// recorded.
func (m *cachedModule) write(name, text string) {
	path := filepath.Join(m.dir, name)
	testmodule.Write(m.t, path, []byte(text))
	m.age(path)
}

// age sets the times of all files below path into the past.
func (m *cachedModule) age(path string) {
	past := time.Now().Add(-time.Hour).Truncate(time.Hour)
	require.NoError(m.t, filepath.WalkDir(path, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, past, past)
	}))
}

// run runs the generator, and reports whether it looked at packages.
func (m *cachedModule) run(config Config) (result *Result, loaded bool) {
	m.t.Helper()
	config.Progress = func(int, int) { loaded = true }
	result, err := Generate(config)
	require.NoError(m.t, err)
	return result, loaded
}

func (m *cachedModule) known(config Config) bool {
	_, ok := openRunCache(&config, []string{"./..."}).lookup()
	return ok
}

func TestARunAfterAChangeOfCommentsLoadsNothing(t *testing.T) {
	m := newCachedModule(t)
	m.run(m.config)
	for range 2 {
		m.write("x.go", "package app // comment\n\n//movenext:async\nfunc F() {} // does nothing\n\n// end\n")
		_, loaded := m.run(m.config)
		assert.False(t, loaded)
	}
	m.write("x.go", "package app // comment\n\n//movenext:async\nfunc F() {} //movenext:async\n")
	result, loaded := m.run(m.config)
	assert.True(t, loaded)
	assert.NotEmpty(t, result.Diagnostics)

	m.write("x.go", "// comment\npackage app\n\n//movenext:async\nfunc F() {}\n")
	_, loaded = m.run(m.config)
	assert.True(t, loaded, "lines have moved")
}

func TestARunOfWhichNothingChangedLoadsNothing(t *testing.T) {
	m := newCachedModule(t)
	first, loaded := m.run(m.config)
	require.Empty(t, first.Diagnostics)
	require.Len(t, first.Stale(), 2)
	require.True(t, loaded)

	second, loaded := m.run(m.config)
	assert.False(t, loaded)
	assert.Empty(t, second.Stale())
	require.Len(t, second.Files, 2)
	for i := range first.Files {
		assert.Equal(t, FileChange{Path: first.Files[i].Path, Change: Unchanged, Data: first.Files[i].Data}, second.Files[i])
	}
	check := m.config
	check.DryRun = true
	_, loaded = m.run(check)
	assert.False(t, loaded, "what generate knows, check knows")
}

func TestWhateverChangesTheInputsIsNoticed(t *testing.T) {
	m := newCachedModule(t)
	m.run(m.config)
	require.True(t, m.known(m.config))
	source, err := os.ReadFile(filepath.Join(m.dir, "x.go"))
	require.NoError(t, err)
	for name, change := range map[string]func(){
		"a source, to one of the same length and time": func() { m.write("x.go", strings.Replace(string(source), "F", "H", 1)) },
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
			assert.False(t, m.known(m.config))
			undo()
			assert.True(t, m.known(m.config), "as it was before")
		})
	}
	for name, change := range map[string]func(*Config){
		"mode":        func(c *Config) { c.Mode = Release },
		"tags":        func(c *Config) { c.Tags = []string{"t"} },
		"system":      func(c *Config) { c.GOOS = "windows" },
		"folder":      func(c *Config) { c.Dir = filepath.Join(m.dir, "sub") },
		"environment": func(c *Config) { c.Env = append(os.Environ(), "GOFLAGS=-tags=t") },
		"driver":      func(c *Config) { c.Env = append(os.Environ(), "GOPACKAGESDRIVER=other") },
		"overlay":     func(c *Config) { c.Overlay = map[string][]byte{"/x.go": nil} },
		"no cache":    func(c *Config) { c.Cache = "" },
	} {
		config := m.config
		change(&config)
		assert.False(t, m.known(config), name)
	}
}

// snapshot returns a function that restores the current state of both modules.
func (m *cachedModule) snapshot(t *testing.T) (undo func()) {
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

func TestWhatARunCouldNotSettleIsNotRecorded(t *testing.T) {
	t.Run("findings", func(t *testing.T) {
		m := newCachedModule(t)
		m.write("bad.go", "package app\n\n//movenext:later\nfunc B() {}\n")
		for range 2 {
			result, loaded := m.run(m.config)
			assert.Len(t, result.Diagnostics, 1)
			assert.True(t, loaded)
		}
	})
	t.Run("a check that found something stale", func(t *testing.T) {
		m := newCachedModule(t)
		check := m.config
		check.DryRun = true
		for range 2 {
			result, loaded := m.run(check)
			assert.Len(t, result.Stale(), 2)
			assert.True(t, loaded)
		}
	})
	t.Run("a file that is younger than the run", func(t *testing.T) {
		m := newCachedModule(t)
		require.NoError(t, os.Chtimes(filepath.Join(m.dir, "x.go"), time.Now(), time.Now().Add(time.Hour)))
		m.run(m.config)
		assert.False(t, m.known(m.config))
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

func TestRunsAtTheSameTimeShareACache(t *testing.T) {
	m := newCachedModule(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			result, err := Generate(m.config)
			if assert.NoError(t, err) {
				assert.Empty(t, result.Diagnostics)
				assert.Len(t, result.Files, 2)
			}
		})
	}
	wg.Wait()
	assert.True(t, m.known(m.config))
	_, loaded := m.run(m.config)
	assert.False(t, loaded)
}
