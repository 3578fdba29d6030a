package codegen_test

import (
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/internal/testmodule"
)

var everything = flag.String("everything", "", "packages of the standard library, separated by commas, to annotate throughout beside the usual ones")

// TestEveryFunctionOfAPackageIsLoweredOrRefused copies packages of the standard library,
// annotates every function that they declare, so that almost every call suspends, and generates.
// Refused functions lose their annotation, until nothing is refused: then the machines of all
// others have been type-checked with their packages. Packages that import internal ones cannot be
// copied.
func TestEveryFunctionOfAPackageIsLoweredOrRefused(t *testing.T) {
	names := []string{
		"bufio", "compress/flate", "container/list", "container/heap", "encoding/csv", "go/constant", "go/printer",
		"net/textproto", "regexp/syntax", "text/tabwriter", "text/template/parse",
	}
	if *everything != "" {
		names = append(names, strings.Split(*everything, ",")...)
	}
	dir := testmodule.New(t, "example.com/std")
	total := 0
	for _, name := range names {
		total += annotateAll(t, name, filepath.Join(dir, name))
	}
	refused := 0
	for {
		result, err := codegen.Generate(codegen.Config{Dir: dir, DryRun: true})
		require.NoError(t, err)
		if len(result.Diagnostics) == 0 {
			require.Empty(t, result.Held)
			t.Logf("%d functions in %d packages, %d refused; %d files generated", total, len(names), refused, len(result.Files))
			require.Greater(t, len(result.Files), len(names))
			return
		}
		byFile := map[string][]int{}
		for _, found := range result.Diagnostics {
			assert.Equal(t, "unsupported", found.Category, "%s", found)
			require.NotZero(t, found.Pos.Line, "%s", found)
			byFile[found.Pos.Filename] = append(byFile[found.Pos.Filename], found.Pos.Line)
		}
		for path, lines := range byFile {
			refused += withdraw(t, path, lines)
		}
	}
}

// withdraw removes the annotations of the functions at the given lines, and returns their number.
func withdraw(t *testing.T, path string, lines []int) int {
	t.Helper()
	fset := token.NewFileSet()
	data := output(t, filepath.Dir(path), filepath.Base(path))
	file, err := parser.ParseFile(fset, path, data, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	count := 0
	found := func(n ast.Node) bool {
		return slices.ContainsFunc(lines, func(line int) bool {
			return fset.Position(n.Pos()).Line <= line && line <= fset.Position(n.End()).Line
		})
	}
	initial := calledByInitialisers(file, found)
	for _, decl := range slices.Backward(file.Decls) {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || !found(fn) && !initial[fn.Name.Name] {
			continue
		}
		at := fset.Position(fn.Pos()).Offset - len(annotation)
		require.Equal(t, annotation, data[at:at+len(annotation)], "refused twice: %s", fn.Name)
		data = data[:at] + data[at+len(annotation):]
		count++
	}
	require.NotZero(t, count, "findings outside of functions: %s %v", path, lines)
	testmodule.Write(t, path, []byte(data))
	return count
}

// calledByInitialisers returns the functions called by declarations of variables with a finding:
// initialisers of a package cannot suspend.
func calledByInitialisers(file *ast.File, found func(ast.Node) bool) map[string]bool {
	names := map[string]bool{}
	for _, decl := range file.Decls {
		if _, isFunc := decl.(*ast.FuncDecl); isFunc || !found(decl) {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok {
					names[id.Name] = true
				}
			}
			return true
		})
	}
	return names
}

const annotation = "//movenext:async\n"

// annotateAll copies a package of the standard library with annotations and returns their number.
func annotateAll(t *testing.T, name, dir string) int {
	t.Helper()
	pkg, err := build.Default.Import(name, "", 0)
	require.NoError(t, err)
	if slices.ContainsFunc(pkg.Imports, func(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }) {
		t.Logf("%s imports an internal package", name)
		return 0
	}
	count := 0
	for _, base := range pkg.GoFiles {
		fset := token.NewFileSet()
		data := output(t, pkg.Dir, base)
		file, err := parser.ParseFile(fset, base, data, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range slices.Backward(file.Decls) {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Body != nil && fn.Name.Name != "_" && (fn.Recv != nil || fn.Name.Name != "init") {
				at := fset.Position(fn.Pos()).Offset
				data = data[:at] + annotation + data[at:]
				count++
			}
		}
		testmodule.Write(t, filepath.Join(dir, base), []byte(data))
	}
	return count
}
