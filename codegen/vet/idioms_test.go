package vet_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/vet"
	"github.com/movenext/movenext/internal/testmodule"
)

// TestBlockingCallsAreReported checks that a call of a suspending function suspends or is
// reported, whichever way a program reaches the function. Only one of the two packages is vetted.
func TestBlockingCallsAreReported(t *testing.T) {
	leaveOutStale(t)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "idioms.txtar"))
	require.NoError(t, err)
	dir := testmodule.New(t, "example.com/idioms")
	for _, f := range archive.Files {
		testmodule.Write(t, filepath.Join(dir, f.Name), f.Data)
	}
	_, err = codegen.Generate(codegen.Config{Dir: dir}, "./lib")
	require.NoError(t, err)
	found, err := vet.Packages(codegen.Config{Dir: dir}, ".")
	require.NoError(t, err)
	path := filepath.Join(dir, "idioms.go")
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, path, nil, 0)
	require.NoError(t, err)
	parts := regexp.MustCompile(`^[^;]+; [^;]+; [^;]+ \[[a-z]+\]$`)
	named := map[string][]string{}
	for _, d := range found {
		require.Equal(t, path, d.Pos.Filename, "only what was asked for")
		assert.Regexp(t, parts, d.What)
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fset.Position(fn.Pos()).Line <= d.Pos.Line && d.Pos.Line <= fset.Position(fn.End()).Line {
				named[fn.Name.Name] = append(named[fn.Name.Name], d.What)
			}
		}
	}
	tried := 0
	for _, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := fn.Name.Name
		switch {
		case strings.HasPrefix(name, "suspends"):
			assert.Empty(t, named[name], name)
			tried++
		case strings.HasPrefix(name, "blocks"):
			assert.NotEmpty(t, called(named, fn), name)
			tried++
		}
	}
	assert.Greater(t, tried, 80)
}

// called returns the findings in fn, and in functions of its package that it names in either form.
func called(named map[string][]string, fn *ast.FuncDecl) []string {
	all := named[fn.Name.Name]
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			all = append(all, named[strings.TrimSuffix(id.Name, "Async")]...)
		}
		return true
	})
	return all
}
