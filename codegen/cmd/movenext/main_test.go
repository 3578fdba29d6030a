package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		if len(os.Args) > 3 && os.Args[1] == toolexec {
			os.Exit(execTool(os.Args[2], os.Args[3:]))
		}
		main()
	}
	testmodule.CollectLess()
	// Tests leave nothing in the user's cache.
	if err := os.Setenv("MOVENEXTCACHE", "off"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// folder makes a module with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := testmodule.New(t, "example.com/p")
	for name, text := range files {
		testmodule.Write(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

// movenext runs the command and returns its status and output.
func movenext(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

const annotatedSource = "package p\n\n//movenext:async\nfunc F() {}\n"

func TestAStrangersFirstRunAndThoseAfterIt(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	out := filepath.Join(dir, "x_async.go")
	run := func(command string, flags ...string) (int, string) {
		status, stdout, stderr := movenext(slices.Concat([]string{command, "-mode=plain", "-C", dir}, flags)...)
		require.Empty(t, stderr)
		return status, stdout
	}

	status, stdout := run("check")
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, "missing "+out+"\n", stdout)
	require.NoFileExists(t, out, "check writes nothing")

	status, stdout = run("generate")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "created "+out+"\n", stdout)

	for _, command := range []string{"check", "generate"} {
		status, stdout = run(command)
		assert.Equal(t, exitOK, status, command)
		assert.Empty(t, stdout, "%s when all is up to date", command)
	}

	data, err := os.ReadFile(out)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, append(data, "// by hand\n"...), 0o644))
	status, stdout = run("check")
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, "edited "+out+"\n", stdout)
	status, stdout = run("generate", "-overwrite")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "updated "+out+"\n", stdout)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), []byte("package p\n\nfunc F() {}\n"), 0o644))
	status, stdout = run("check")
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, "orphaned "+out+"\n", stdout)
	status, stdout = run("generate")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "removed "+out+"\n", stdout)
	require.NoFileExists(t, out)
}

func TestAnEditedFileIsToldFromAStaleOneAndIsNotLost(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	source, out := filepath.Join(dir, "x.go"), filepath.Join(dir, "x_async.go")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	check := func(want string) {
		t.Helper()
		_, stdout, stderr := movenext("check", "-mode=plain", "-C", dir)
		assert.Equal(t, want, stdout+stderr)
	}
	status, _, _ := movenext("-mode=plain", "-C", dir)
	require.Equal(t, exitOK, status)
	generated, err := os.ReadFile(out)
	require.NoError(t, err)

	write(out, strings.ReplaceAll(string(generated), "\n", "\r\n")) // another checkout's line ends
	check("")
	status, stdout, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stdout+stderr)

	write(source, annotatedSource+"\n//movenext:async\nfunc G() {}\n")
	check("stale " + out + "\n")
	write(out, strings.ReplaceAll(string(generated), "\n", "\r\n"))
	check("stale " + out + "\n")
	write(out, strings.Replace(string(generated), "package p", "package p // mine", 1))
	check("edited " + out + "\n")

	for _, text := range []string{"package p\n\nfunc F() {}\n", annotatedSource} {
		write(source, text)
		check("edited " + out + "\n")
		status, stdout, stderr = movenext("-mode=plain", "-C", dir)
		assert.Equal(t, exitFindings, status)
		assert.Empty(t, stdout)
		assert.Equal(t, out+": this generated file was edited by hand, and is not what would be generated now; "+
			"generating it again would lose the edits; make the change in the source and remove this file, or run with -overwrite; "+
			"to keep it as your own, remove its first line and the annotation\n", stderr)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		assert.Contains(t, string(data), "// mine")
	}
	status, stdout, stderr = movenext("-mode=plain", "-C", dir, "-overwrite")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "updated "+out+"\n", stdout+stderr)
	check("")
}

func TestFindingsGoToStandardErrorWithPlaceAndStatus(t *testing.T) {
	dir := folder(t, map[string]string{
		"x.go":   "package p\n\n//movenext:async\nfunc init() {}\n",
		"y/y.go": "package y\n\n//movenext:async\nfunc F() {}\n\n//movenext:later\nfunc G() {}\n",
	})
	status, stdout, stderr := movenext("-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stdout)
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasPrefix(lines[0], filepath.Join(dir, "x.go")+":4:6: init cannot be annotated; "), lines[0])
	assert.True(t, strings.HasPrefix(lines[1], filepath.Join(dir, "y", "y.go")+":6:1: unknown directive //movenext:later; "), lines[1])
}

func TestJSONHoldsWhatTheLinesSay(t *testing.T) {
	dir := folder(t, map[string]string{
		"x.go":   "package p\n\n//movenext:async\nfunc init() {}\n",
		"y/y.go": annotatedSource,
	})
	status, stdout, stderr := movenext("check", "-json", "-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Empty(t, stderr)
	var report struct {
		Accepted    []string
		Files       []struct{ Path, Change string }
		Diagnostics []codegen.Diagnostic
		Warnings    []codegen.Diagnostic
		Held        []codegen.Held
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&report))
	require.Len(t, report.Files, 1)
	assert.Equal(t, "created", report.Files[0].Change)
	assert.Equal(t, "y_async.go", filepath.Base(report.Files[0].Path))
	require.Len(t, report.Diagnostics, 1)
	assert.Equal(t, 4, report.Diagnostics[0].Pos.Line)
	assert.Equal(t, "annotation", report.Diagnostics[0].Category)
	assert.Empty(t, report.Warnings)
	assert.Empty(t, report.Held)
}

func TestWrongUsageAndUnloadablePackagesAreStatusTwo(t *testing.T) {
	for _, args := range [][]string{
		{"-mode=fast"},
		{"-unknown"},
		{"check", "./...", "-mode=plain"},
		{"./nowhere"},
		{"example.com/nowhere/at/all"},
		{"main.go"},
		{"-C", "nowhere"},
		{"version", "x"},
		{"-mode=plain", "check"},
		{"vet", "-skip=nonsense"},
		{"vet", "./nowhere"},
		{"check", "-skip=blocking"},
	} {
		status, stdout, stderr := movenext(args...)
		assert.Equal(t, exitUsage, status, "%v", args)
		assert.Empty(t, stdout, "%v", args)
		assert.NotEmpty(t, stderr, "%v", args)
	}
}

func TestVersionNamesTheContract(t *testing.T) {
	status, stdout, _ := movenext("version")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stdout, "contract 1")
}

func TestHelpIsTheUsage(t *testing.T) {
	status, stdout, _ := movenext("help")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, usage, stdout)
	status, _, stderr := movenext("-h")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, usage, stderr)
}

func TestAFolderThatCannotBeWrittenKeepsItsFiles(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource, "x_async.go/taken.txt": "in the way"})
	status, _, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x_async.go")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 4, "go.mod, go.sum, the two of the case, and nothing left behind")
}

func TestWhatAMergeLeftInAGeneratedFileIsWrittenOver(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	out := filepath.Join(dir, "x_async.go")
	status, _, stderr := movenext("-C", dir)
	require.Equal(t, exitOK, status, stderr)
	whole, err := os.ReadFile(out)
	require.NoError(t, err)
	half := len(whole) / 2
	merged := string(whole[:half]) + "\n<<<<<<< HEAD\n=======\n>>>>>>> theirs\n" + string(whole[half:])
	testmodule.Write(t, out, []byte(merged))

	status, stdout, _ := movenext("check", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Equal(t, "damaged "+out+"\n", stdout)

	// A source in conflict says nothing yet.
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte("<<<<<<< HEAD\n"+annotatedSource+"=======\n>>>>>>> theirs\n"))
	status, _, stderr = movenext("-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x.go:1:1: ")
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, merged, string(data))

	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(annotatedSource))
	status, stdout, stderr = movenext("-C", dir)
	assert.Equal(t, exitOK, status, stderr)
	assert.Equal(t, "updated "+out+"\n", stdout)
	data, err = os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(data))
}
