package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/testmodule"
)

// bounds are those of a run. The time is that of processors, which other programs on the
// machine do not use up. The memory is the most that was resident at a time, of the command or
// of a command that it runs.
type bounds struct {
	time   time.Duration
	memory int64 // in bytes; measured on Linux
}

var (
	small = bounds{30 * time.Second, 512 << 20}
	large = bounds{2 * time.Minute, 1536 << 20} // for a source of 4 000 to 16 000 awaits
)

const (
	hostileWait   = 5 * time.Minute     // a command that takes longer is ended
	hostileMemory = "GOMEMLIMIT=900MiB" // collects garbage in time, but bounds nothing
)

// asCommand is a variable that makes the program of the tests the command itself.
const asCommand = "MOVENEXT_TEST_AS_COMMAND"

// bounded runs the command in a process of its own. program is the test's own, or a copy of it.
func bounded(t *testing.T, within bounds, dir, program string, args ...string) (status int, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), hostileMemory, asCommand+"=1")
	var text bytes.Buffer
	cmd.Stderr = &text
	_ = cmd.Run() // its status tells more
	require.NotNil(t, cmd.ProcessState)
	assert.Less(t, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), within.time)
	assert.Less(t, resident(cmd.ProcessState), within.memory)
	assert.NotContains(t, text.String(), "panic")
	assert.NotContains(t, text.String(), "defect of movenext")
	return cmd.ProcessState.ExitCode(), text.String()
}

// self returns the program of the tests.
func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return program
}

// hostile are malicious inputs, or the leftovers of a crash: the files of a module, and
// the status and output with which the command must end instead of panicking.
var hostile = []struct {
	name   string
	files  map[string]string
	status int
	says   string
	within bounds
}{
	{"an empty source", map[string]string{"x.go": ""}, exitOK, "", small},
	{"zeros", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() {}\x00\x00"}, exitFindings, "x.go:", small},
	{"a byte order mark", map[string]string{"x.go": "\ufeff" + annotatedSource}, exitOK, "", small},
	{"a byte order mark inside", map[string]string{"x.go": annotatedSource + "\ufeff"}, exitFindings, "x.go:", small},
	{"bytes that are not text", map[string]string{"x.go": annotatedSource + "var s = \"\xff\xfe\"\n"}, exitFindings, "x.go:", small},
	{"a source that is cut", map[string]string{"x.go": annotatedSource[:len(annotatedSource)-3]}, exitFindings, "x.go:", small},
	{"a merge conflict", map[string]string{"x.go": "<<<<<<< HEAD\n" + annotatedSource + "=======\n>>>>>>> x\n"}, exitFindings, "x.go:1:1: ", small},
	{"a line of a million bytes", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() string { return \"" + strings.Repeat("x", 1e6) + "\" }\n"}, exitOK, "", small},
	{"parentheses", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() int { return " + strings.Repeat("(", 5_000) + "1" + strings.Repeat(")", 5_000) + " }\n"}, exitOK, "", small},
	{"too many parentheses", map[string]string{"x.go": "package p\n//movenext:async\nfunc F() int { return " + strings.Repeat("(", 200_000) + "1 }\n"}, exitFindings, "x.go:", small},
	{"blocks", map[string]string{"x.go": suspending("func F() {" + strings.Repeat("{", 2_000) + "job.Yield()" + strings.Repeat("}", 2_000) + "}")}, exitOK, "", small},
	{"conditions", map[string]string{"x.go": suspending("func F(b bool) {" + strings.Repeat("if b { job.Yield();", 200) + strings.Repeat("}", 200) + "}")}, exitOK, "", small},
	{"literals", map[string]string{"x.go": suspending("func F() {" + strings.Repeat("func() { job.Yield();", 300) + strings.Repeat("}()", 300) + "}")}, exitOK, "", small},
	{"literals of which each holds the next", map[string]string{"x.go": suspending("func F() int { return " + strings.Repeat("func() int { job.Yield(); return 1 + ", 300) + "1" + strings.Repeat("}()", 300) + " }")}, exitOK, "", small},
	{"arrays of nothing", map[string]string{"x.go": suspending("func F(v T) { w := v; job.Yield(); m := map[T]bool{w: w == v}; job.Yield(); _ = m }\ntype T " + strings.Repeat("[0]", 2_000) + "int")}, exitOK, "", small},
	{"an array of 2^800 elements of no size", map[string]string{"x.go": suspending("func F() { var w " + strings.Repeat("[1 << 20]", 40) + "struct{}; job.Yield(); for i, v := range w { job.Yield(); _, _ = i, v } }")}, exitOK, "", small},
	{"structures of which each has the next three times", map[string]string{"x.go": suspending("func F(v *T25, w T3) { u := w; job.Yield(); _, _ = u, *v; job.Yield(); x := v; job.Yield(); _ = x }\n" + thrice(25))}, exitOK, "", small},
	{"a long sum", map[string]string{"x.go": "package p\n//movenext:async\nfunc F(a int) int { return a" + strings.Repeat("+a", 10_000) + " }\n"}, exitOK, "", small},
	{"many suspensions", map[string]string{"x.go": suspending("func F(n int) (int, error) {\n" +
		repeated(16_000, "{ v, err := G(%d); if err != nil { return v, err }; n += v }\n") + "return n, nil }\n" + callee)}, exitOK, "", large},
	{"a sum of many suspensions", map[string]string{"x.go": suspending("func F(n int) int { return n" + repeated(8_000, " +\nH(%d)") + " }\n" + callee)}, exitOK, "", large},
	{"a switch of which each case suspends", map[string]string{"x.go": suspending("func F(n int) (int, error) { switch n {\n" +
		repeated(16_000, "case %[1]d: if v, err := G(%[1]d); err != nil { return v, err }\n") + "}; return n, nil }\n" + callee)}, exitOK, "", large},
	{"many variables that are kept at once", map[string]string{"x.go": suspending("func F() (n int) {\n" +
		repeated(4_000, "v%[1]d := H(%[1]d)\n") + repeated(4_000, "n += v%d\n") + "return n }\n" + callee)}, exitOK, "", large},
	{"generic types", map[string]string{"x.go": suspending("func F(v " + deep("N[%s]", 60) + ") { w := v; job.Yield(); _ = w }\n" +
		"type N[T any] struct { f func(a, b T) T; m map[string]T; a T }")}, exitOK, "", small},
	{"generic pointers", map[string]string{"x.go": suspending("func F(v " + deep("N[%s]", 60) + ") { w := v; job.Yield(); _ = w }\ntype N[T any] struct { a, b *T }")}, exitOK, "", small},
	{"a generic type without an end", map[string]string{"x.go": suspending("func F(v N[int]) { w := v; job.Yield(); _ = w }\ntype N[T any] struct { next *N[[]T] }")}, exitFindings, "cycle", small},
	{"a type of itself", map[string]string{"x.go": suspending("func F(v T) { w := v; job.Yield(); _ = w }\ntype T struct { a T }")}, exitFindings, "invalid recursive type", small},
	{"a cycle of imports", map[string]string{"x.go": "package p\nimport _ \"example.com/p/q\"\n//movenext:async\nfunc F() {}\n", "q/q.go": "package q\nimport _ \"example.com/p\"\n"}, exitFindings, "cycle", small},
	{"two packages", map[string]string{"x.go": annotatedSource, "y.go": "package q\n"}, exitFindings, "found packages", small},
	{"a go.mod that is none", map[string]string{"go.mod": "<<<<<<< HEAD\n", "x.go": annotatedSource}, exitUsage, "go.mod", small},
}

// callee are functions for large ones to call.
const callee = "//movenext:async\nfunc G(n int) (int, error) { job.Yield(); return n, nil }\n" +
	"//movenext:async\nfunc H(n int) int { job.Yield(); return n }\n"

// repeated returns a form for each number below n.
func repeated(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// suspending returns a file with an annotated function that names package job.
func suspending(function string) string {
	return "package p\n\nimport \"github.com/movenext/movenext/job\"\n\n//movenext:async\n" + function + "\n"
}

// thrice declares structs, each of which contains the previous one in three ways.
func thrice(levels int) string {
	text := "type T0 struct { n int }\ntype P[X any] struct { x *X }\n"
	for i := range levels {
		text += fmt.Sprintf("type T%[2]d struct { a P[T%[1]d]; b P[*T%[1]d]; c [2]T%[1]d }\n", i, i+1)
	}
	return text
}

func deep(form string, levels int) string {
	t := "int"
	for range levels {
		t = fmt.Sprintf(form, t)
	}
	return t
}

func TestHostileInputEndsWithinBoundsAndSaysWhatIsWrong(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			dir := folder(t, h.files)
			status, stderr := bounded(t, h.within, dir, self(t), "-cache=off", "./...")
			assert.Equal(t, h.status, status, stderr)
			assert.Contains(t, stderr, h.says)
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			require.NoError(t, err)
			assert.Empty(t, left, "nothing is left half-written")
		})
	}
}

func TestObstaclesWhereAFileIsToBeWritten(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	out := filepath.Join(dir, "x_async.go")
	require.NoError(t, os.Mkdir(out, 0o755))
	status, _, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x_async.go: this cannot be replaced by a generated file: not a regular file")
	require.NoError(t, os.Remove(out))

	nowhere := filepath.Join(t.TempDir(), "nowhere")
	for _, name := range []string{"x_async.go", "x_async_test.go"} { // the second has no source yet
		link := filepath.Join(dir, name)
		require.NoError(t, os.Symlink(nowhere, link))
		status, _, stderr = movenext("-mode=plain", "-C", dir)
		assert.Equal(t, exitUsage, status)
		assert.Contains(t, stderr, "is a link that leads nowhere")
		led, err := os.Readlink(link)
		require.NoError(t, err, "a dangling link is left alone")
		assert.Equal(t, nowhere, led)
		require.NoFileExists(t, nowhere)
		require.NoError(t, os.Remove(link))
		_ = os.Remove(out)
	}

	require.NoError(t, os.Symlink(os.DevNull, out))
	status, _, stderr = movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "is a named pipe or a device, and to read it may never end; rename or remove it")
	require.NoError(t, os.Remove(out))

	for _, name := range []string{".x_async.go.123", ".x_async.go.2147483646-1"} {
		testmodule.Write(t, filepath.Join(dir, name), []byte("half"))
	}
	running := filepath.Join(dir, fmt.Sprintf(".x_async.go.%d-1", os.Getpid()))
	testmodule.Write(t, running, []byte("half"))
	status, _, stderr = movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitOK, status, stderr)
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	assert.Equal(t, []string{running}, left, "what a run at the same time is about to need stays")
}

func TestADamagedFileIsOverwrittenIfThatIsAsked(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource, "x_async.go": ""})
	status, _, stderr := movenext("-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "this generated file is damaged: it is empty")
	status, stdout, _ := movenext("check", "-mode=plain", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stdout, "damaged ")
	status, _, stderr = movenext("-mode=plain", "-overwrite", "-C", dir)
	assert.Equal(t, exitOK, status, stderr)
}

func TestACommandThatThereIsNot(t *testing.T) {
	status, _, stderr := movenext("generat", "./...")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, `movenext: unknown command "generat": want generate, check`)
}

func TestExplainSaysWhenAFunctionOnlyPassesResultsOn(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": suspending("func F() { job.Yield() }\n\n//movenext:async\nfunc G() int { return H() }\n\n//movenext:async\nfunc H() int { job.Yield(); return 1 }")})
	status, stdout, stderr := movenext("explain", "-C", dir, ".", "G")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "no frame but that of H: it returns what is returned there, and suspends nowhere else\n")
}

// What people read of a run has no character that a terminal or a log obeys.
func TestHostileNamesReachNoTerminalAsTheyAre(t *testing.T) {
	const screen, turn = "\x1b[2J", "\u202e" // clears the screen; turns the text behind it
	for name, files := range map[string]map[string]string{
		"a directive":             {"x.go": "package p\n\n//movenext:later" + screen + turn + "\nfunc F() {}\n"},
		"a file with a finding":   {"x" + screen + turn + ".go": "package p\n\n//movenext:async\nfunc F() { undefined }\n"},
		"a file without findings": {"x" + screen + turn + ".go": annotatedSource},
		"a line of the source":    {"x.go": suspending("func F() { job.Yield() /* " + turn + " */; _ = `" + screen + "` }")},
		"a line directive":        {"x.go": "package p\n\n//line " + screen + turn + ".go:7\n//movenext:async\nfunc F() { undefined }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, files)
			for _, command := range [][]string{{"check"}, {"generate"}, {"vet"}, {"explain"}} {
				_, stdout, stderr := movenext(append(command, "-C", dir)...)
				for _, c := range stdout + stderr {
					require.True(t, unicode.IsPrint(c) || c == '\n' || c == '\t', "%v prints %q", command, c)
				}
			}
		})
	}
}

// Whatever GOFLAGS tells the go command, a run ends with what it generates without them, or with
// the message of the go command.
func TestFlagsOfTheGoCommand(t *testing.T) {
	dir := folder(t, map[string]string{"x.go": annotatedSource})
	for flags, c := range map[string]struct {
		status int
		says   string
	}{
		"-json": {exitUsage, "go list -f cannot be used with -json"}, "-f=x": {exitUsage, "go list -f cannot be used"},
		"nonsense": {exitUsage, `non-flag "nonsense"`}, "-nonsense": {exitUsage, "unknown flag -nonsense"},
		"-C=/": {exitUsage, "-C flag must be first"}, "-modfile=/nowhere.mod": {exitUsage, ""}, "-m": {exitUsage, ""},
		"-cover": {exitOK, ""}, "-cover -coverpkg=./...": {exitOK, ""},
		"-x": {exitOK, ""}, "-n": {exitOK, ""}, "-e": {exitOK, ""}, "-test": {exitOK, ""}, "-deps": {exitOK, ""}, "-o=/dev/null": {exitOK, ""},
	} {
		t.Run(flags, func(t *testing.T) {
			t.Setenv("GOFLAGS", flags)
			status, stderr := bounded(t, small, dir, self(t), "-mode=plain", "-cache=off", "./...")
			assert.Equal(t, c.status, status, stderr)
			assert.Contains(t, stderr, c.says)
		})
	}
}

// toolexec makes the program of the tests one for -toolexec.
const toolexec = "toolexec"

// execTool runs a tool of the go command and notes in a file that it did, or fails if there is
// none.
func execTool(file string, command []string) int {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "toolexec: on purpose")
		return 1
	}
	_, noted := fmt.Fprintln(f, filepath.Base(command[0]))
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if errors.Join(noted, f.Close(), cmd.Run()) != nil {
		return 1
	}
	return 0
}

// The go command runs the program of -toolexec. It is a flag of whoever runs movenext: the source
// cannot give it, and nothing of the source runs.
func TestTheProgramOfToolexecRunsAndTheSourceDoesNot(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	dir := folder(t, map[string]string{
		"x.go": "package main\n\nimport \"os\"\n\n//go:generate go run .\n\nvar _ = os.WriteFile(ran, nil, 0o600)\n\nconst ran = `" + ran + "`\n\n" +
			"func init() { _ = os.WriteFile(ran, nil, 0o600) }\n\n//movenext:async\nfunc F() {}\n\nfunc main() { F() }\n",
		"x_test.go": "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(*testing.M) { _ = os.WriteFile(ran, nil, 0o600) }\n",
		"go.env":    "GOFLAGS=-toolexec=" + ran + "\n",
	})
	status, stderr := bounded(t, small, dir, self(t), "-cache=off", "./...")
	assert.Equal(t, exitOK, status, stderr)
	generated := contents(t, dir)

	tools := filepath.Join(t.TempDir(), "tools")
	require.NoError(t, os.WriteFile(tools, nil, 0o600))
	t.Setenv("GOFLAGS", fmt.Sprintf("'-toolexec=%s %s %s'", self(t), toolexec, tools))
	status, stderr = bounded(t, small, dir, self(t), "-cache=off", "./...")
	assert.Equal(t, exitOK, status, stderr)
	assert.Equal(t, generated, contents(t, dir))
	used, err := os.ReadFile(tools)
	require.NoError(t, err)
	assert.Contains(t, string(used), "compile")

	require.NoError(t, os.Remove(tools))
	status, stderr = bounded(t, small, dir, self(t), "-cache=off", "./...")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "toolexec: on purpose")
	assert.NoFileExists(t, ran)
}

// A dependency may be hostile, too. Whatever it contains, a run ends with what is wrong, and
// writes nothing there, nor where a line directive points.
func TestHostileDependencies(t *testing.T) {
	const use = "package p\n\nimport (\n\t\"example.com/dep\"\n\t\"github.com/movenext/movenext/job\"\n)\n\n"
	elsewhere := filepath.ToSlash(filepath.Join(t.TempDir(), "victim"))
	for name, c := range map[string]struct {
		files  map[string]string
		source string // else that of a function that calls dep.F
		status int
		says   string
	}{
		"a twin that is none": {map[string]string{
			"d.go":       "package dep\n\n//movenext:async\nfunc F() int { return 1 }\n",
			"d_async.go": "// Code generated by movenext from d.go. DO NOT EDIT.\n\npackage dep\n\nfunc FAsync(x string) string { return x }\n",
		}, "", exitOK, ""},
		"a twin of other parameters": {map[string]string{
			"d.go":       "package dep\n\n//movenext:async\nfunc F() int { return 1 }\n",
			"d_async.go": "package dep\n\nimport \"github.com/movenext/movenext/job\"\n\nfunc FAsync[T any]() *job.Job[T] { return nil }\n",
		}, "", exitOK, "they are not a pair of twins"},
		"an awaitable without an end": {map[string]string{"d.go": "package dep\n\ntype L[T any] struct{}\n\nfunc (L[T]) Await() (v T, err error) { return }\nfunc (L[T]) OnCompleted(func(L[[]T])) {}\n"},
			use + "//movenext:async\nfunc F() any { var l dep.L[int]; v, _ := l.Await(); job.Yield(); return v }\n", exitFindings, "instantiation cycle"},
		"the package of the runtime": {map[string]string{"d.go": "package statemachine\n\ntype Run int\n\nfunc F() Run { return 1 }\n"},
			strings.Replace(use, `"example`, `dep "example`, 1) + "//movenext:async\nfunc F() any { v := dep.F(); job.Yield(); return v }\n", exitOK, ""},
		"a place elsewhere": {map[string]string{"d.go": "package dep\n\n//line " + elsewhere + ".go:99999999\nfunc F() int { return 1 }\n"},
			use + "//line " + elsewhere + ".go:7\n//movenext:async\nfunc F() any { v := dep.F(); job.Yield(); return v }\n", exitOK, ""},
		"zeros":              {map[string]string{"d.go": strings.Repeat("\x00", 100_000)}, "", exitFindings, "unexpected NUL"},
		"a type error":       {map[string]string{"d.go": "package dep\n\nfunc F() undefined { return 1 }\n"}, "", exitFindings, "undefined: undefined"},
		"a file of the host": {map[string]string{"d.go": "package dep\n\nimport _ \"embed\"\n\n//go:embed ../../etc/passwd\nvar s string\n\nfunc F() string { return s }\n"}, "", exitFindings, "invalid pattern"},
		"a later toolchain":  {map[string]string{"d.go": "package dep\n", "go.mod": "module example.com/dep\n\ngo 9.99.0\n"}, "", exitUsage, "requires go >= 9.99.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOTOOLCHAIN", "local")
			if c.source == "" {
				c.source = use + "//movenext:async\nfunc F() any { v := dep.F(); job.Yield(); return v }\n"
			}
			dir, dep := folder(t, map[string]string{"x.go": c.source}), t.TempDir()
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			require.NoError(t, err)
			sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
			require.NoError(t, err)
			testmodule.Write(t, filepath.Join(dir, "go.mod"), append(mod, "\nrequire example.com/dep v0.0.0\n\nreplace example.com/dep => "+filepath.ToSlash(dep)+"\n"...))
			testmodule.Write(t, filepath.Join(dep, "go.mod"), []byte("module example.com/dep\n\ngo 1.26.0\n\nrequire github.com/movenext/movenext v0.0.0\n"))
			testmodule.Write(t, filepath.Join(dep, "go.sum"), sums)
			for file, text := range c.files {
				testmodule.Write(t, filepath.Join(dep, file), []byte(text))
			}
			before := contents(t, dep)
			status, stderr := bounded(t, small, dir, self(t), "-cache=off", "./...")
			assert.Equal(t, c.status, status, stderr)
			assert.Contains(t, stderr, c.says)
			assert.Equal(t, before, contents(t, dep))
			assert.NoFileExists(t, filepath.FromSlash(elsewhere)+"_async.go")
		})
	}
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(data)
	}
	return all
}

// Two builds of the command share a folder, but no record in it.
func TestVersionsShareACacheFolder(t *testing.T) {
	first := self(t)
	program, err := os.ReadFile(first)
	require.NoError(t, err)
	second := filepath.Join(t.TempDir(), "second.exe")
	require.NoError(t, os.WriteFile(second, append(program, 0), 0o755)) // the same program, in another file
	dir, shared := folder(t, map[string]string{"x.go": annotatedSource}), t.TempDir()
	testmodule.Age(t, dir)
	records := func() (n int) {
		all, err := filepath.Glob(filepath.Join(shared, "??", "*"))
		require.NoError(t, err)
		return len(all)
	}
	run := func(tool string) {
		status, stderr := bounded(t, small, dir, tool, "-mode=plain", "-cache", shared, "./...")
		require.Equal(t, exitOK, status, stderr)
	}
	run(first)
	of := records()
	require.Positive(t, of)
	generated := contents(t, dir)
	run(second)
	assert.Equal(t, 2*of, records(), "it found nothing, and has kept its own")
	run(first)
	run(second)
	assert.Equal(t, 2*of, records(), "each finds its own")
	assert.Equal(t, generated, contents(t, dir))
}
