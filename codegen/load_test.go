package codegen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

// changed lists the base names of changed files, and requires that there are no findings.
func changed(t *testing.T, config codegen.Config, patterns ...string) []string {
	t.Helper()
	result, err := codegen.Generate(config, patterns...)
	require.NoError(t, err)
	require.Empty(t, result.Diagnostics)
	require.Empty(t, result.Held)
	var names []string
	for _, f := range result.Stale() {
		names = append(names, filepath.Base(f.Path))
	}
	return names
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), output)
}

const (
	callee = "package lib\n\n//movenext:async\nfunc F(n int) int { return n }\n"
	caller = "package app\n\nimport \"example.com/lib\"\n\n//movenext:async\nfunc G() int { return lib.F(1) }\n"
)

// twoModules makes a module app that requires a module lib next to it.
func twoModules(t *testing.T) (app, lib string) {
	t.Helper()
	app, lib = testmodule.New(t, "example.com/app"), testmodule.New(t, "example.com/lib")
	testmodule.Write(t, filepath.Join(app, "app.go"), []byte(caller))
	testmodule.Write(t, filepath.Join(lib, "lib.go"), []byte(callee))
	goCommand(t, app, "mod", "edit", "-require=example.com/lib@v0.0.0", "-replace=example.com/lib="+lib)
	return app, lib
}

func output(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

func TestInOtherModulesOnlyTwinsThatExistCount(t *testing.T) {
	app, lib := twoModules(t)
	require.Equal(t, []string{"app_async.go"}, changed(t, codegen.Config{Dir: app}))
	assert.NotContains(t, output(t, app, "app_async.go"), "FEnter", "the annotation of another module is not ours")
	require.NoFileExists(t, filepath.Join(lib, "lib_async.go"))

	require.Equal(t, []string{"lib_async.go"}, changed(t, codegen.Config{Dir: lib}))
	require.Equal(t, []string{"app_async.go"}, changed(t, codegen.Config{Dir: app}))
	assert.Contains(t, output(t, app, "app_async.go"), "lib.FEnter(r, 1)")
	goCommand(t, app, "vet", "./...")
}

func TestInAWorkspaceAnnotationsOfAllItsModulesCount(t *testing.T) {
	app, lib := twoModules(t)
	goCommand(t, app, "work", "init", ".", lib)
	result, err := codegen.Generate(codegen.Config{Dir: app})
	require.NoError(t, err)
	require.Len(t, result.Diagnostics, 1)
	require.Contains(t, result.Diagnostics[0].String(), "go tool movenext -C "+app+" ./... example.com/lib")
	require.Equal(t, []string{"app_async.go", "lib_async.go"}, changed(t, codegen.Config{Dir: app}, "./...", "example.com/lib"))
	assert.Contains(t, output(t, app, "app_async.go"), "lib.FEnter(r, 1)")
	goCommand(t, app, "vet", "./...", "example.com/lib")
	require.Empty(t, changed(t, codegen.Config{Dir: app}))
}

// TestVendoredModulesNeedNeitherNetworkNorModuleCache generates with vendored packages only.
func TestVendoredModulesNeedNeitherNetworkNorModuleCache(t *testing.T) {
	app, lib := twoModules(t)
	require.Equal(t, []string{"lib_async.go"}, changed(t, codegen.Config{Dir: lib}))
	goCommand(t, app, "mod", "tidy")
	// Packages that generated code imports must be vendored, so a file must import them when
	// vendoring runs; afterwards generated code does.
	testmodule.Write(t, filepath.Join(app, "need.go"), []byte("package app\n\nimport _ \"github.com/movenext/movenext/statemachine\"\n"))
	goCommand(t, app, "mod", "vendor")
	offline := os.Environ()
	for name, value := range map[string]string{"GOFLAGS": "-mod=vendor", "GOPROXY": "off", "GOMODCACHE": t.TempDir()} {
		offline = append(offline, name+"="+value)
	}
	require.Equal(t, []string{"app_async.go"}, changed(t, codegen.Config{Dir: app, Env: offline}))
	assert.Contains(t, output(t, app, "app_async.go"), "lib.FEnter(r, 1)")
	goCommand(t, app, "vet", "./...")
}

func TestAFirstRunInAVendoredModuleIsToldWhatToVendor(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(
		"package p\n\nimport \"github.com/movenext/movenext/job\"\n\n//movenext:async\nfunc f() { job.Yield() }\n"))
	goCommand(t, dir, "mod", "vendor")
	_, err := codegen.Generate(codegen.Config{Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=vendor")})
	require.ErrorContains(t, err, `write import _ "github.com/movenext/movenext/statemachine" in a file of the module and run go mod vendor`)
}

func TestInAWorkspaceVendoringIsForAllModules(t *testing.T) {
	app, lib := twoModules(t)
	goCommand(t, app, "work", "init", ".", lib)
	need := filepath.Join(app, "need.go")
	testmodule.Write(t, need, []byte("package app\n\nimport _ \"github.com/movenext/movenext/job\"\n"))
	goCommand(t, app, "work", "vendor")
	_, err := codegen.Generate(codegen.Config{Dir: app}, "./...", "example.com/lib")
	require.ErrorContains(t, err, "in a file of the module and run go work vendor")
	testmodule.Write(t, need, []byte("package app\n\nimport _ \"github.com/movenext/movenext/statemachine\"\n"))
	goCommand(t, app, "work", "vendor")
	require.Equal(t, []string{"app_async.go", "lib_async.go"}, changed(t, codegen.Config{Dir: app}, "./...", "example.com/lib"))
	goCommand(t, app, "vet", "./...")
}

func TestAModuleThatDoesNotRequireTheRuntimeIsToldSo(t *testing.T) {
	dir := t.TempDir()
	testmodule.Write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/lonely\n\ngo 1.26.0\n"))
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte("package lonely\n\n//movenext:async\nfunc F() {}\n"))
	_, err := codegen.Generate(codegen.Config{Dir: dir})
	require.ErrorContains(t, err, "github.com/movenext/movenext")
	require.NoFileExists(t, filepath.Join(dir, "x_async.go"))
}

func TestAPackageThatTheRuntimeImportsCannotHaveTwins(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	path := filepath.Join(root, "schedulers", "annotated.go")
	result, err := codegen.Generate(codegen.Config{
		Dir:     root,
		DryRun:  true,
		Overlay: map[string][]byte{path: []byte("package schedulers\n\n//movenext:async\nfunc annotated() {}\n")},
	}, "./schedulers")
	require.NoError(t, err)
	require.Len(t, result.Diagnostics, 1)
	assert.Contains(t, result.Diagnostics[0].String(), "annotated.go:4:6: package github.com/movenext/movenext/schedulers cannot have generated twins; ")
	assert.Empty(t, result.Stale())
}

func TestARunDoesNotDependOnWhatAnEarlierOneLeft(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	source := "package p\n\n//movenext:async\nfunc f(n int) int { return g(n) }\n\n//movenext:async\nfunc g(n int) int { return f(n) }\n"
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(source))
	require.Equal(t, []string{"p_async.go"}, changed(t, codegen.Config{Dir: dir}))
	first := output(t, dir, "p_async.go")

	// With another signature the generated code no longer fits.
	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(strings.ReplaceAll(source, "n int", "n string")))
	require.Equal(t, []string{"p_async.go"}, changed(t, codegen.Config{Dir: dir}))
	goCommand(t, dir, "vet", "./...")

	testmodule.Write(t, filepath.Join(dir, "p.go"), []byte(source))
	require.Equal(t, []string{"p_async.go"}, changed(t, codegen.Config{Dir: dir}))
	assert.Equal(t, first, output(t, dir, "p_async.go"))
	assert.Empty(t, changed(t, codegen.Config{Dir: dir}))
}

func TestPatternsLimitWhatIsWrittenButNotWhatIsKnown(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	testmodule.Write(t, filepath.Join(dir, "lib", "lib.go"), []byte(callee))
	testmodule.Write(t, filepath.Join(dir, "app", "app.go"), []byte(strings.ReplaceAll(caller, "example.com/lib", "example.com/p/lib")))
	for _, check := range []bool{false, true} {
		result, err := codegen.Generate(codegen.Config{Dir: dir, DryRun: check}, "./app")
		require.NoError(t, err)
		require.Empty(t, result.Files, "code that calls what does not exist would not build")
		require.Len(t, result.Diagnostics, 1)
		assert.Contains(t, result.Diagnostics[0].String(), filepath.Join("app", "app.go")+":6:27: the generated code of example.com/p/lib is missing or out of date for F; ")
		assert.Contains(t, result.Diagnostics[0].String(), "go tool movenext -C "+dir+" ./app example.com/p/lib")
	}
	changed(t, codegen.Config{Dir: dir}, "./lib")
	require.Equal(t, []string{"app_async.go"}, changed(t, codegen.Config{Dir: dir}, "./app"))
	assert.Contains(t, output(t, filepath.Join(dir, "app"), "app_async.go"), "lib.FEnter(r, 1)")
	goCommand(t, dir, "vet", "./...")
}

// TestTheEntriesOfARunHaveTheirCompanions generates packages of which one gives functions to another
// one's functions, which do not exist before, whatever the types of the parameters are called.
func TestTheEntriesOfARunHaveTheirCompanions(t *testing.T) {
	dir := testmodule.New(t, "example.com/p")
	archive, err := txtar.ParseFile("testdata/load/companions.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		testmodule.Write(t, filepath.Join(dir, f.Name), f.Data)
	}
	require.Len(t, changed(t, codegen.Config{Dir: dir}), 4)
	text := output(t, filepath.Join(dir, "app"), "app_async.go")
	for _, name := range []string{"Do", "Each", "Walk", "Visit", "Get"} {
		assert.Regexp(t, name+`Enter\(r, (\[\]func\(|enter\d)`, text)
	}
	assert.Contains(t, text, "KeepEnter(r, func()", "a type parameter has none, nor has a slice")
	goCommand(t, dir, "vet", "./...")
}

// What a package calls, and in which state the code of its callee is.
func TestCodeOfUnmatchedPackagesIsThereWhereItIsNeeded(t *testing.T) {
	const head = "package lib\n\nimport \"context\"\n\ntype T struct{}\n\n//movenext:async\nfunc F(ctx context.Context, n int) error { return nil }\n\n"
	sources := map[string]string{
		"calls a function":   "//movenext:async\nfunc G(ctx context.Context) error { return lib.F(ctx, 1) }\n",
		"calls a method":     "//movenext:async\nfunc G(ctx context.Context) error { return lib.T{}.M(ctx) }\n",
		"starts a twin":      "//movenext:async\nfunc G(ctx context.Context) { lib.FAsync(ctx, 1) }\n",
		"calls a plain form": "//movenext:async\nfunc G(ctx context.Context) { go lib.F(ctx, 1) }\n",
		"calls nothing":      "//movenext:async\nfunc G(ctx context.Context, _ lib.T) {}\n",
	}
	const method = "//movenext:async\nfunc (T) M(ctx context.Context) error { return nil }\n"
	states := map[string]struct {
		generated, now string // of the package lib; generated may be empty
		function, meth bool   // there is no such twin
	}{
		"never generated":         {"", head + method, true, true},
		"up to date":              {head + method, head + method, false, false},
		"older than the method":   {head, head + method, false, true},
		"with another parameter":  {strings.ReplaceAll(head, "n int", "n string") + method, head + method, true, false},
		"with parameters renamed": {strings.ReplaceAll(head, "n int", "m int") + method, head + method, false, false},
	}
	for name, state := range states {
		dir := testmodule.New(t, "example.com/p")
		lib, app := filepath.Join(dir, "lib", "lib.go"), filepath.Join(dir, "app", "app.go")
		if state.generated != "" {
			testmodule.Write(t, lib, []byte(state.generated))
			changed(t, codegen.Config{Dir: dir}, "./lib")
		}
		testmodule.Write(t, lib, []byte(state.now))
		for calls, text := range sources {
			testmodule.Write(t, app, []byte("package app\n\nimport (\n\"context\"\n\"example.com/p/lib\"\n)\n\n"+text))
			result, err := codegen.Generate(codegen.Config{Dir: dir, DryRun: true, Cache: filepath.Join(dir, "cache")}, "./app")
			require.NoError(t, err)
			needs := state.function && (calls == "calls a function" || calls == "starts a twin") || state.meth && calls == "calls a method"
			assert.Equal(t, needs, len(result.Diagnostics) > 0, "%s, %s: %v", name, calls, result.Diagnostics)
		}
	}
}
