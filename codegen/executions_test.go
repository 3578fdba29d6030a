package codegen_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

var everywhere = flag.Bool("schedulers", false, "run the cases on all schedulers")

// report is the output of testdata/exec/trace for one run of one case.
type report struct {
	Case      string
	Scheduler string
	Timing    string
	Lines     []string
	Outcome   string
}

// TestTwoExecutions runs each case of testdata/exec as plain functions on goroutines and as
// machines, with four timings of the awaited jobs, and compares logs, results and panics. The
// machines run with one processor, two and eight. A case is a package with an annotated function
//
//	func Run(ctx context.Context, t *trace.T) …
//
// The file want of a case, if it exists, contains the log of the case as plain Go. The file spread
// says that jobs of the plain form wait for others, which would block the single worker that is
// enough for machines. With -schedulers the machines run on all schedulers of the module, except
// for those named in the first line of a file "not on". With -targets the debug form is compared,
// too, except for cases with a file release-only. All cases form one module, built once in each
// mode.
func TestTwoExecutions(t *testing.T) {
	cases := archives(t, "testdata/exec/*.txtar")
	dir := testmodule.New(t, "example.com/cases")
	for _, c := range cases {
		for _, f := range c.Files {
			testmodule.Write(t, filepath.Join(dir, c.name, f.Name), f.Data)
		}
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "trace"), os.DirFS("testdata/exec/trace")))

	binary, refusedPlain := buildCases(t, dir, codegen.Plain, cases)
	plain := execute(t, binary, 2)
	debug := map[string][]report{}
	if *targets {
		binary, _ = buildCases(t, dir, codegen.Debug, cases)
		debug = execute(t, binary, 2)
		buildEverywhere(t, dir)
	}
	binary, refused := buildCases(t, dir, codegen.Release, cases)
	release := map[int]map[string][]report{}
	for _, processors := range []int{1, 2, 8} {
		release[processors] = execute(t, binary, processors)
	}
	var scheduled []map[string][]report
	if *everywhere {
		scheduled = onSchedulers(t, binary)
	}
	vetOutput(t, dir)
	buildEverywhere(t, dir)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Empty(t, refusedPlain[c.name], "in plain mode")
			require.Empty(t, refused[c.name])
			held(t, c, plain[c.name])
			for processors, reports := range release {
				t.Log("GOMAXPROCS", processors)
				compare(t, plain[c.name], reports[c.name])
			}
			for _, reports := range scheduled {
				compareOn(t, c, plain[c.name], reports[c.name])
			}
			if *targets && fileOf(c.Archive, "release-only") == nil {
				compare(t, plain[c.name], debug[c.name])
			}
		})
	}
}

// held compares the behaviour of a case as plain Go with its file want, if it has one: where the
// language leaves the behaviour open, the file records what the compiler does.
func held(t *testing.T, c archive, plain []report) {
	for i, f := range c.Files {
		if f.Name != "want" {
			continue
		}
		require.NotEmpty(t, plain)
		got := strings.Join(plain[0].Lines, "\n") + "\n"
		if !*update {
			require.Equal(t, string(f.Data), got, "what gc does")
			return
		}
		c.Files[i].Data = []byte(got)
		require.NoError(t, os.WriteFile(c.path, txtar.Format(c.Archive), 0o644))
	}
}

// compare compares the reports of one case, one for each timing.
func compare(t *testing.T, plain, release []report) {
	require.Len(t, plain, 4, "the plain program crashed in an earlier case or in this")
	require.Len(t, release, 4, "the program of machines crashed in an earlier case or in this")
	for i, want := range plain {
		require.NotEqual(t, "hangs", want.Outcome, "the plain form, %s", want.Timing)
		require.NotEmpty(t, want.Lines, "a case that logs nothing shows nothing")
		require.Empty(t, differences(want.Lines, release[i].Lines), "trace, %s", want.Timing)
		require.Equal(t, want.Outcome, release[i].Outcome, "outcome, %s", want.Timing)
	}
}

// compareOn compares the reports of a case on a scheduler, unless the case is excluded there.
func compareOn(t *testing.T, c archive, plain, on []report) {
	require.NotEmpty(t, on, "the program crashed on a scheduler")
	if name := on[0].Scheduler; !slices.Contains(notOn(c), name) {
		t.Log(name)
		compare(t, plain, on)
	}
}

// notOn returns the schedulers on which a case is excluded.
func notOn(c archive) []string {
	names, _, _ := strings.Cut(string(fileOf(c.Archive, "not on")), "\n")
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' })
}

// onSchedulers runs the cases on one scheduler after another, and returns the reports for each.
func onSchedulers(t *testing.T, binary string) []map[string][]report {
	t.Helper()
	var list []map[string][]report
	for {
		reports := execute(t, binary, 2, strconv.Itoa(len(list)))
		if len(reports) == 0 {
			require.Greater(t, len(list), 20)
			return list
		}
		list = append(list, reports)
	}
}

// differences lists lines in which two traces differ, but only a few of them.
func differences(plain, release []string) string {
	var b strings.Builder
	for i, found := 0, 0; i < max(len(plain), len(release)) && found < 5; i++ {
		want, got := "the end", "the end"
		if i < len(plain) {
			want = plain[i]
		}
		if i < len(release) {
			got = release[i]
		}
		if want != got {
			found++
			fmt.Fprintf(&b, "line %d: plain %q, machine %q\n", i+1, want, got)
		}
	}
	return b.String()
}

// buildCases generates and builds the cases in one mode, with more flags. It returns the program,
// and the findings for each case.
func buildCases(t *testing.T, dir string, mode codegen.Mode, cases []archive, flags ...string) (string, map[string]string) {
	t.Helper()
	// The program of the previous mode would call twins that no case has any more.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "main")))
	result, err := codegen.Generate(codegen.Config{Dir: dir, Mode: mode}, "./...")
	require.NoError(t, err)
	refused := map[string]string{}
	for _, d := range result.Diagnostics {
		rel, err := filepath.Rel(dir, d.Pos.Filename)
		require.NoError(t, err)
		name, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		refused[name] += strings.ReplaceAll(d.String(), dir+string(filepath.Separator), "") + "\n"
	}
	require.Empty(t, refused["trace"], "the package of all cases")
	sign := map[codegen.Mode]string{codegen.Plain: ".Plain(", codegen.Release: ") MoveNext(", codegen.Debug: "\n//line "}[mode]
	for _, f := range result.Files {
		require.Contains(t, string(f.Data), sign, "%s is not of mode %s", f.Path, mode)
	}
	testmodule.Write(t, filepath.Join(dir, "main", "main.go"), program(cases, refused, mode))
	binary := filepath.Join(dir, string(mode)+".exe")
	compiler := exec.Command("go", slices.Concat([]string{"build", "-o", binary}, buildFlags(mode), flags, []string{"./main"})...)
	compiler.Dir, compiler.Env = dir, append(os.Environ(), "GOGC=800")
	output, err := compiler.CombinedOutput()
	require.NoError(t, err, "building in mode %s:\n%s", mode, output)
	return binary, refused
}

// buildFlags speed up compiling, which takes nine tenths of this test. (A compiler that collects
// garbage less often saves another third.) Debug information is a sixth of the work, and so is
// what goroutines within a compiler cost, since there are more packages than processors. The plain
// form, which consists mostly of generic code of package job, is compiled without inlining, which
// saves two fifths. The machines, whose correctness the test shows, are compiled as users compile
// them. Flags of all packages, such as -trimpath, would have the standard library compiled again.
func buildFlags(mode codegen.Mode) []string {
	compile := "-dwarf=0 -c=1"
	if mode == codegen.Plain {
		compile += " -l"
	}
	return []string{"-ldflags=-s -w", "-gcflags=example.com/cases/...=" + compile}
}

// execute runs the cases and returns their reports; an argument is the number of a scheduler.
func execute(t *testing.T, binary string, processors int, args ...string) map[string][]report {
	t.Helper()
	var stdout, stderr bytes.Buffer
	run := exec.Command(binary, args...)
	run.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", processors))
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Errorf("running %s with GOMAXPROCS=%d: %v\n%s", filepath.Base(binary), processors, err, stderr.Bytes())
	}
	return parseReports(t, &stdout)
}

// vetOutput runs go vet on the machines. vet may warn about the cases themselves, but not about
// their generated files.
func vetOutput(t *testing.T, dir string) {
	t.Helper()
	vet := exec.Command("go", "vet", "./...")
	vet.Dir = dir
	output, err := vet.CombinedOutput()
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "_async.go:") {
			t.Errorf("go vet: %s", line)
		}
	}
	if err != nil && !strings.Contains(string(output), ".go:") {
		t.Errorf("go vet: %v\n%s", err, output)
	}
}

func parseReports(t *testing.T, r io.Reader) map[string][]report {
	t.Helper()
	reports := map[string][]report{}
	for decoder := json.NewDecoder(r); ; {
		var one report
		err := decoder.Decode(&one)
		if err == io.EOF {
			return reports
		}
		require.NoError(t, err)
		reports[one.Case] = append(reports[one.Case], one)
	}
}

// program returns the main package that runs the cases that were not refused.
func program(cases []archive, refused map[string]string, mode codegen.Mode) []byte {
	var imports, list strings.Builder
	for _, c := range cases {
		if refused[c.name] == "" {
			fmt.Fprintf(&imports, "\tcase_%s \"example.com/cases/%s\"\n", c.name, c.name)
			fmt.Fprintf(&list, "\t\ttrace.New(%q, case_%s.RunAsync)", c.name, c.name)
			if mode == codegen.Plain && fileOf(c.Archive, "spread") != nil {
				list.WriteString(".Spread()")
			}
			for _, name := range notOn(c) {
				fmt.Fprintf(&list, ".NotOn(%q)", name)
			}
			list.WriteString(",\n")
		}
	}
	return fmt.Appendf(nil, "package main\n\nimport (\n\t\"example.com/cases/trace\"\n%s)\n\nfunc main() {\n\ttrace.Main(\n%s\t)\n}\n", &imports, &list)
}
