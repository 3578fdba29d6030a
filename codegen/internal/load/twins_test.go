package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen/internal/source"
)

// checkedPackage loads one package of testdata in the same way as a run.
func checkedPackage(t *testing.T, pattern string) *source.Package {
	t.Helper()
	ws, err := List(&Settings{}, token.NewFileSet(), []string{pattern})
	require.NoError(t, err)
	f := Find(ws, NewSources(ws), nil)
	variants := f.Variants(func(dir string, found []source.Diagnostic) { require.Empty(t, found) })
	require.Len(t, variants, 1)
	require.NoError(t, ws.Add(source.StubPaths...))
	c := NewChecker(f, variants)
	require.Empty(t, c.Problems(variants[0]))
	pkg, found := c.Model(variants[0])
	require.Empty(t, found)
	return pkg
}

// TestSuspends compares the rule's result for each call in testdata/twins with the comment after
// the call.
func TestSuspends(t *testing.T) {
	pkg := checkedPackage(t, "../../testdata/twins")
	file := pkg.Files[0]
	want := comments(pkg, file)
	seen := 0
	for _, decl := range file.Syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Name.Name != "calls" {
			continue
		}
		for _, stmt := range fn.Body.List {
			call := statementCall(stmt)
			if call == nil {
				continue
			}
			seen++
			s, suspends := pkg.Twins.Suspends(call, pkg.Info)
			line := pkg.Position(stmt.Pos()).Line
			assert.Equal(t, want[line], describe(s, suspends), "line %d", line)
		}
	}
	assert.Greater(t, seen, 30)
}

// comments returns the trailing comments, by line.
func comments(pkg *source.Package, file *source.File) map[int]string {
	byLine := map[int]string{}
	for _, group := range file.Syntax.Comments {
		if pos := pkg.Position(group.Pos()); pos.Column > 4 {
			byLine[pos.Line] = strings.TrimSpace(group.Text())
		}
	}
	return byLine
}

// statementCall returns the call in "f()" or "_ = f()".
func statementCall(stmt ast.Stmt) *ast.CallExpr {
	var expr ast.Expr
	switch stmt := stmt.(type) {
	case *ast.ExprStmt:
		expr = stmt.X
	case *ast.AssignStmt:
		expr = stmt.Rhs[0]
	}
	call, _ := expr.(*ast.CallExpr)
	return call
}

func describe(s source.Suspension, suspends bool) string {
	name := func(p *types.Package) string { return p.Name() }
	result := func() string { return types.TypeString(s.Result, name) }
	switch {
	case !suspends:
		return "no"
	case s.Kind == source.KindAwaitJob:
		return "await job: " + result()
	case s.Kind == source.KindAwait:
		return "await: " + result()
	case s.Kind == source.KindYield:
		return "yield"
	case s.Kind == source.KindSwitchTo:
		return "switch"
	case s.Kind == source.KindSleep:
		return "sleep"
	case s.Kind == source.KindTwin:
		return "twin: " + result()
	}
	return fmt.Sprintf("enter %s %s: %s", s.Enter.Name(), types.TypeString(s.Frame, name), result())
}
