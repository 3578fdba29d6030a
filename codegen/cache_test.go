package codegen

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/load"
	"github.com/movenext/movenext/internal/testmodule"
)

// cachedModule is a module with a recorded run, next to a module that it requires.
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
		testmodule.Age(m.t, dir)
	}
	return m
}

// write writes a file with an old modification time: the next run is recorded only if all files
// are old.
func (m *cachedModule) write(name, text string) {
	path := filepath.Join(m.dir, name)
	testmodule.Write(m.t, path, []byte(text))
	testmodule.Age(m.t, path)
}

// run runs the generator, and reports whether it loaded packages.
func (m *cachedModule) run(config Config) (result *Result, loaded bool) {
	m.t.Helper()
	config.Progress = func(int, int) { loaded = true }
	result, err := Generate(config)
	require.NoError(m.t, err)
	return result, loaded
}

func (m *cachedModule) known(config Config) bool {
	_, ok := config.cache([]string{"./..."}).Lookup()
	return ok
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

func TestARunWithOtherSettingsIsAnotherRun(t *testing.T) {
	m := newCachedModule(t)
	m.run(m.config)
	require.True(t, m.known(m.config))
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

func TestARunThatIsNotConclusiveIsNotRecorded(t *testing.T) {
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

// chain returns a module of three packages, where c imports b and b imports a, and of one that
// imports none of them. All of them are cached.
func chain(t *testing.T) *cachedModule {
	t.Helper()
	m := &cachedModule{t: t, dir: testmodule.New(t, "example.com/chain"), lib: t.TempDir()}
	m.config = Config{Dir: m.dir, Cache: filepath.Join(t.TempDir(), "cache")}
	source := "package %\n\nimport \"context\"\n\n//movenext:async\nfunc F(ctx context.Context) error { return nil }\n"
	for _, name := range []string{"a", "b", "c", "other"} {
		text := strings.Replace(source, "%", name, 1)
		if before := map[string]string{"b": "a", "c": "b"}[name]; before != "" {
			text = strings.Replace(text, "\"context\"", "(\n\t\"context\"\n\n\t\"example.com/chain/"+before+"\"\n)", 1)
			text = strings.Replace(text, "return nil", "return "+before+".F(ctx)", 1)
		}
		m.write(name+"/x.go", text)
	}
	result, _ := m.run(m.config)
	require.Empty(t, result.Diagnostics)
	require.Len(t, result.Stale(), 4)
	return m
}

// recalled runs the generator and returns the packages whose outputs came from the cache.
func (m *cachedModule) recalled() (names []string, result *Result) {
	m.t.Helper()
	config := m.config
	cache := config.cache([]string{"./..."})
	ws, err := load.List(config.settings(), token.NewFileSet(), []string{"./..."})
	require.NoError(m.t, err)
	r := newRun(&config, ws)
	r.cache = cache
	result, err = r.do()
	require.NoError(m.t, err)
	for _, t := range r.targets {
		if t.recalled {
			names = append(names, t.Meta.Name)
		}
	}
	return names, result
}

func TestOnlyWhatDependsOnAChangeIsGeneratedAgain(t *testing.T) {
	m := chain(t)
	names, result := m.recalled()
	assert.Equal(t, []string{"a", "b", "c", "other"}, names)
	assert.Empty(t, result.Stale())

	m.write("b/y.go", "package b\n\n//movenext:async\nfunc G() {}\n")
	names, result = m.recalled()
	assert.Equal(t, []string{"a", "other"}, names)
	require.Len(t, result.Stale(), 1)
	assert.Equal(t, "y_async.go", filepath.Base(result.Stale()[0].Path))

	// A name that a generated name has to avoid, in a file that this system does not
	// build.
	m.write("a/x_plan9.go", "package a\n\nfunc FEnter() {}\n")
	names, result = m.recalled()
	assert.Equal(t, []string{"other"}, names)
	var changed []string
	for _, f := range result.Stale() {
		changed = append(changed, filepath.Base(filepath.Dir(f.Path)))
		assert.Contains(t, string(f.Data), "FEnter2(")
	}
	assert.Equal(t, []string{"a", "b"}, changed, "c calls the entry of b, which has its name still")

	names, _ = m.recalled()
	assert.Equal(t, []string{"a", "b", "c", "other"}, names)
}

func TestAnImporterIsGeneratedAgainOnlyIfDeclarationsChange(t *testing.T) {
	m := chain(t)
	const source = "package a\n\nimport \"context\"\n\n%//movenext:async\nfunc F(ctx context.Context) error { return nil }\n"
	m.write("a/x.go", strings.Replace(source, "%", "// F has a comment.\n//\n", 1))
	names, _ := m.recalled()
	assert.Equal(t, []string{"b", "c", "other"}, names)

	m.write("a/x.go", strings.Replace(source, "%", "// F has another comment.\n//\n", 1))
	names, result := m.recalled()
	assert.Equal(t, []string{"a", "b", "c", "other"}, names)
	assert.Empty(t, result.Stale())

	m.write("a/x.go", strings.Replace(strings.Replace(source, "%", "", 1), "return nil", "return ctx.Err()", 1))
	names, _ = m.recalled()
	assert.Equal(t, []string{"b", "c", "other"}, names)

	m.write("a/x.go", strings.Replace(strings.Replace(source, "%", "", 1), "ctx context.Context", "c context.Context", 1))
	names, _ = m.recalled()
	assert.Equal(t, []string{"other"}, names)
}

func TestOutputsThatWereEditedAreWrittenFromTheCache(t *testing.T) {
	m := chain(t)
	m.write("c/x_async.go", "// Code generated by movenext from x.go. DO NOT EDIT.\n\npackage c\n")
	names, result := m.recalled()
	assert.Equal(t, []string{"a", "b", "c", "other"}, names)
	require.Len(t, result.Stale(), 1)
	assert.Equal(t, Updated, result.Stale()[0].Change)
}

func TestFindingsAreFoundAgainWhateverIsInTheCache(t *testing.T) {
	m := chain(t)
	m.write("a/x.go", "package a\n\nimport \"context\"\n\n//movenext:async\nfunc F(ctx context.Context) error { return 1 }\n")
	for range 2 {
		names, result := m.recalled()
		assert.Equal(t, []string{"b", "c", "other"}, names)
		assert.NotEmpty(t, result.Diagnostics)
		assert.Len(t, result.Held, 2)
	}
	// A file at the path of an output is also detected.
	m = chain(t)
	m.write("other/x_async.go", "package other\n")
	names, result := m.recalled()
	assert.Equal(t, []string{"a", "b", "c"}, names)
	require.Len(t, result.Diagnostics, 1)
	assert.Contains(t, result.Diagnostics[0].String(), "this file is not generated by movenext")
}
