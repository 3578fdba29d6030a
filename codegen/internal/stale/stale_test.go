package stale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	functions = "package p\n\n//movenext:async\nfunc F() int { return 1 }\n\n//movenext:async\nfunc (t *T) M() {}\n\nfunc plain() {}\n"
	durable   = "package p\n\n//movenext:durable name=p.D\nfunc D(ctx context.Context) error { return step(ctx) }\n"
)

const (
	literal = "\n//movenext:async\nfunc L(ctx context.Context) { defer func() { f() }() }\n"
	pair    = "\ntype Pair interface {\n\tF(context.Context) error\n\tFAsync(context.Context) *job.Job[job.Void]\n}\n"
)

// generated returns what is left of a generated file for readers of digests.
func generated(t *testing.T, name, text string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	require.NoError(t, err)
	out := source.Header(name) + "\n\npackage p\n"
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && source.HasTwin(fn) {
			out += "\n// Digest of " + source.DeclaredName(fn) + ": " + source.Origin(file, fn, []byte(text)) + "\n"
		}
	}
	return string(source.Seal([]byte(out)))
}

// changed returns a text in which something is replaced.
func changed(t *testing.T, text, from, to string) string {
	t.Helper()
	require.Contains(t, text, from)
	return strings.Replace(text, from, to, 1)
}

func TestFindings(t *testing.T) {
	for _, c := range slices.Concat(casesOfFunctions(t), casesOfFiles(t)) {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, check(c.files, c.excluded)) })
	}
}

// findingCase is a package, and the findings about it.
type findingCase struct {
	name     string
	files    map[string]string
	excluded []string
	want     []string
}

func casesOfFunctions(t *testing.T) []findingCase {
	fresh := generated(t, "x.go", functions)
	return []findingCase{
		{"fresh", map[string]string{"x.go": functions, "x_async.go": fresh}, nil, nil},
		{"fresh, with other line endings", map[string]string{
			"x.go": strings.ReplaceAll(functions, "\n", "\r\n"), "x_async.go": strings.ReplaceAll(fresh, "\n", "\r\n"),
		}, nil, nil},
		{"changed", map[string]string{"x.go": changed(t, functions, "return 1", "return 2"), "x_async.go": fresh}, nil, []string{
			"x.go:4:6: the twin of F is stale; F has changed since x_async.go was generated, and machines run the old code; run go generate",
		}},
		{"changed in a literal", map[string]string{
			"x.go": changed(t, functions+literal, "{ f() }", "{}"), "x_async.go": generated(t, "x.go", functions+literal),
		}, nil, []string{
			"x.go:12:6: the twin of L is stale; L has changed since x_async.go was generated, and machines run the old code; run go generate",
		}},
		{"changed beside it: a plain function, a pair of an interface", map[string]string{
			"x.go": changed(t, functions+pair, "plain() {}", "plain() { println() }"), "x_async.go": fresh,
		}, nil, nil},
		{"changed in a test", map[string]string{
			"x_test.go": changed(t, functions, "M() {}", "M() { plain() }"), "x_async_test.go": generated(t, "x_test.go", functions),
		}, nil, []string{
			"x_test.go:7:13: the twin of T.M is stale; T.M has changed since x_async_test.go was generated, and machines run the old code; run go generate",
		}},
		{"a durable function changed", map[string]string{
			"d.go": changed(t, durable, "step(ctx)", "nil"), "d_async.go": generated(t, "d.go", durable),
		}, nil, []string{
			"d.go:4:6: the twin of D is stale; D has changed since d_async.go was generated, and machines run the old code; run go generate",
		}},
		{"renamed", map[string]string{"x.go": changed(t, functions, "func F", "func G"), "x_async.go": fresh}, nil, []string{
			"x.go:1:9: x_async.go still has the twin of F, which is not annotated in this file; it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code; run go generate",
			"x.go:4:6: G has no twin in x_async.go; it was annotated, renamed or moved since that file was generated, and machines that call it block; run go generate",
		}},
		{"the type of a method renamed", map[string]string{"x.go": changed(t, functions, "*T", "*U"), "x_async.go": fresh}, nil, []string{
			"x.go:1:9: x_async.go still has the twin of T.M, which is not annotated in this file; it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code; run go generate",
			"x.go:7:13: U.M has no twin in x_async.go; it was annotated, renamed or moved since that file was generated, and machines that call it block; run go generate",
		}},
		{"no annotation left", map[string]string{"x.go": "package p\n", "x_async.go": fresh}, nil, []string{
			"x.go:1:9: x_async.go still has the twin of F, which is not annotated in this file; it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code; run go generate",
			"x.go:1:9: x_async.go still has the twin of T.M, which is not annotated in this file; it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code; run go generate",
		}},
	}
}

func casesOfFiles(t *testing.T) []findingCase {
	fresh := generated(t, "x.go", functions)
	return []findingCase{
		{"the source renamed", map[string]string{"y.go": functions, "x_async.go": fresh}, nil, []string{
			"x_async.go:1:1: x_async.go was generated from x.go, which is gone; whoever calls its twins runs the old code; run go generate",
			"y.go:4:6: F has no twin, since y_async.go is missing; machines that call it block; run go generate",
		}},
		{"the generated file renamed", map[string]string{"x.go": functions, "y_async.go": fresh}, nil, []string{
			"x.go:4:6: F has no twin, since x_async.go is missing; machines that call it block; run go generate",
			"y_async.go:1:1: y_async.go was generated from x.go, but has the name of another file's; whoever calls its twins runs the old code; run go generate",
		}},
		{"never generated", map[string]string{"x.go": functions}, nil, []string{
			"x.go:4:6: F has no twin, since x_async.go is missing; machines that call it block; run go generate",
		}},
		{"a file of the user under the name", map[string]string{"x.go": functions, "x_async.go": "package p\n"}, nil, []string{
			"x.go:4:6: F has no twin, since x_async.go is missing; machines that call it block; run go generate",
		}},
		{"generated by an older movenext", map[string]string{
			"x.go": functions, "x_async.go": string(source.Seal([]byte(source.Header("x.go") + "\n\npackage p\n"))),
		}, nil, []string{
			"x.go:4:6: x_async.go has no digests of the functions in this file; an older movenext wrote it, so it cannot be seen whether it is stale; run go generate",
		}},
		{"edited", map[string]string{"x.go": functions, "x_async.go": changed(t, fresh, "package p\n", "package p\n\nvar x int\n")}, nil, []string{
			"x.go:4:6: x_async.go is not as it was generated; it was edited or merged, so its digests prove nothing; remove it and run go generate",
		}},
		{"in a merge conflict", map[string]string{
			"x.go": functions, "x_async.go": changed(t, fresh, "\n// Digest of T.M", "<<<<<<< ours\n// Digest of T.M"),
		}, nil, []string{
			"x.go:4:6: x_async.go is not as it was generated: it has the marks of a merge conflict; it was edited or merged, so its digests prove nothing; remove it and run go generate",
		}},
		{"excluded and changed", map[string]string{
			"x_plan9.go": changed(t, functions, "return 1", "return 2"), "x_plan9_async.go": generated(t, "x_plan9.go", functions),
		}, []string{"x_plan9.go", "x_plan9_async.go"}, []string{
			"x_plan9.go:4:6: the twin of F is stale; F has changed since x_plan9_async.go was generated, and machines run the old code; run go generate",
		}},
		{"excluded and renamed", map[string]string{
			"x_plan9.go": "package p\n", "x_plan9_async.go": generated(t, "x_plan9.go", durable),
		}, []string{"x_plan9.go", "x_plan9_async.go"}, []string{
			"x_plan9.go:1:9: x_plan9_async.go still has the twin of D, which is not annotated in this file; it was renamed, moved or removed, or lost its annotation, and whoever calls the twin runs the old code; run go generate",
		}},
		{"excluded and never generated", map[string]string{"x_plan9.go": functions}, []string{"x_plan9.go"}, nil},
		{"not Go", map[string]string{"x.go": functions + "}", "x_async.go": fresh}, nil, nil},
		{"prose", map[string]string{"x.go": "package p\n\n// F is not //movenext:async.\nfunc F() {}\n"}, nil, nil},
	}
}

// check returns the findings about a package as lines, in their order.
func check(files map[string]string, excluded []string) []string {
	p := &Package{Fset: token.NewFileSet(), Read: func(path string) ([]byte, error) {
		if text, ok := files[filepath.ToSlash(path)]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if slices.Contains(excluded, path) {
			p.Excluded = append(p.Excluded, path)
		} else {
			p.Files = append(p.Files, path)
		}
	}
	var lines []string
	for _, f := range p.Check() {
		lines = append(lines, source.Diagnostic{Pos: p.Fset.Position(f.Pos), What: f.What, Why: f.Why, Do: f.Do}.String())
	}
	slices.Sort(lines)
	return lines
}
