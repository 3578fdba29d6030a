package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The functions of job, coord and parallel are those of a library: what machines do with a call of
// one follows from types. The generator names the runtime in runtime.go, for the awaiting
// primitives, and where it writes generated code, with the names of package statemachine.

// writers are the generator's functions whose arguments are names in generated code.
var writers = []string{"runtime", "gentype", "record", "resultOf"}

// others are names in other files that look like those of a function of the runtime.
var others = map[string]string{
	"analyse/literals.go: Run":    "a suffix of generated names",
	"emit/running.go: MoveNext":   "a method of each machine",
	"load/annotatedtypes.go: Run": "the parameter of an entry",
	"load/stubs.go: Run":          "the parameter of an entry",
	"lower/literals.go: Run":      "the parameter of a companion",
	"lower/loops.go: Value":       "of a reflect.MapIter",
	"lower/rangefunc.go: Next":    "of an iterator of package statemachine",
	"lower/rangefunc.go: Stop":    "of an iterator of package statemachine",
	"lower/scan.go: Do":           "of package runtime/pprof",
	"naming/choose.go: Err":       "a part of the name of a field",
	"naming/choose.go: Value":     "a part of the name of a field",
	"naming/names.go: Location":   "a method of each machine",
	"naming/names.go: MoveNext":   "a method of each machine",
	"naming/names.go: Results":    "a method of each machine",
	"typeset/parts.go: Lock":      "of a sync.Locker",
	"typeset/parts.go: Unlock":    "of a sync.Locker",
}

func TestTheGeneratorNamesTheRuntimeInOneFile(t *testing.T) {
	files := generator(t)
	found := namesIn(files, libraryNames(t))
	assert.ElementsMatch(t, slices.Collect(maps.Keys(others)), found,
		"a name of the runtime: read what it stands for from types, or add it to the primitives of runtime.go")
	assert.Empty(t, comparisons(files), "a function is recognised by the path of its package: do that in runtime.go")
}

func TestTheTestFindsNamesOfTheRuntime(t *testing.T) {
	files := map[string]*ast.File{}
	for name, text := range map[string]string{
		"analyse/key.go":    `var operations = map[string]bool{source.ParallelPath + ".Map": true}`,
		"analyse/name.go":   `func f(fn *types.Func) bool { return fn.Name() == "Then" }`,
		"analyse/case.go":   `func f(fn *types.Func) { switch fn.Name() { case "InTurn": } }`,
		"analyse/object.go": `func f(fn *types.Func) bool { return source.IsObject(fn, source.JobPath, name) }`,
		"analyse/path.go":   `func f(fn *types.Func) bool { return fn.Pkg().Path() == source.JobPath }`,
		"analyse/text.go":   `const coordPath = source.Module + "/coord"`,
		"emit/write.go":     `func f(p *printer) { p.runtime("Run"); p.path(source.JobPath, "job") }`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), name, "package p\n"+text, 0)
		require.NoError(t, err)
		files[name] = file
	}
	assert.ElementsMatch(t, []string{"analyse/key.go: Map", "analyse/name.go: Then", "analyse/case.go: InTurn", "analyse/text.go: /coord"},
		namesIn(files, libraryNames(t)))
	assert.ElementsMatch(t, []string{"analyse/object.go: JobPath", "analyse/path.go: JobPath"}, comparisons(files))
}

// generator returns the files of the generator, without its tests, runtime.go, what it knows of
// durable functions, and vet, whose findings name what to use.
func generator(t *testing.T) map[string]*ast.File {
	root := ".."
	files := map[string]*ast.File{}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || rel == "durable"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || rel == "source/runtime.go":
			return nil
		}
		files[rel], err = parser.ParseFile(token.NewFileSet(), name, nil, 0)
		return err
	}))
	require.Greater(t, len(files), 100)
	return files
}

// libraryNames are the exported functions and methods of job, coord, parallel and awaiter.
func libraryNames(t *testing.T) map[string]bool {
	names := map[string]bool{}
	for _, dir := range []string{"job", "coord", "coord/rate", "coord/retry", "parallel", "awaiter"} {
		list, err := filepath.Glob("../../../" + dir + "/*.go")
		require.NoError(t, err)
		for _, name := range list {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			for _, decl := range regexp.MustCompile(`(?m)^func (?:\(\w* ?\*?[A-Z][^)]*\) )?([A-Z]\w*)`).FindAllSubmatch(text, -1) {
				names[string(decl[1])] = true
			}
		}
	}
	delete(names, "Context") // package context has it, too
	require.Subset(t, slices.Collect(maps.Keys(names)), []string{"Map", "Then", "InTurn", "Use", "Do", "Await"})
	return names
}

// namesIn returns the string literals of files that name the library or its functions.
func namesIn(files map[string]*ast.File, library map[string]bool) (found []string) {
	for name, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.CallExpr:
				return !slices.Contains(writers, calleeName(n))
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				last := text[strings.LastIndexByte(text, '.')+1:]
				at := name + ": "
				switch {
				case n.Kind != token.STRING || err != nil:
				case library[last] && (last == text || strings.Trim(text[:len(text)-len(last)], "/.abcdefghijklmnopqrstuvwxyz") == ""):
					at += last
				case slices.Contains([]string{"job", "coord", "parallel", "awaiter", "statemachine"}, path.Base(text)) && strings.HasPrefix(text, "/"), strings.Contains(text, Module):
					at += text
				default:
					return true
				}
				if !slices.Contains(found, at) && !strings.HasSuffix(at, ": ") {
					found = append(found, at)
				}
			}
			return true
		})
	}
	return found
}

// comparisons returns the places where files compare the path of a package of the library.
func comparisons(files map[string]*ast.File) (found []string) {
	for name, file := range files {
		note := func(list ...ast.Expr) {
			for _, e := range list {
				ast.Inspect(e, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && slices.Contains([]string{"JobPath", "RootPath", "AwaiterPath"}, id.Name) {
						found = append(found, name+": "+id.Name)
					}
					return true
				})
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if calleeName(n) == "IsObject" {
					note(n.Args...)
				}
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					note(n.X, n.Y)
				}
			case *ast.CaseClause:
				note(n.List...)
			}
			return true
		})
	}
	return found
}

func calleeName(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
