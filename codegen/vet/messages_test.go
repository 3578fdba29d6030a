package vet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryMessageSaysWhatWhyAndWhatToDo checks that messages are built only in messages.go,
// each in three parts, and that no part contains a semicolon, which would split it in two.
func TestEveryMessageSaysWhatWhyAndWhatToDo(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	made := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		ast.Inspect(syntax, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if id, ok := lit.Type.(*ast.Ident); !ok || id.Name != "message" {
				return true
			}
			made++
			assert.Equal(t, "messages.go", f.Name())
			assert.Len(t, lit.Elts, 3)
			for _, part := range lit.Elts {
				text := literals(part)
				assert.NotContains(t, text, ";")
				_, isName := part.(*ast.Ident)
				_, isCall := part.(*ast.CallExpr)
				assert.True(t, text != "" || isName || isCall, "an empty part in %s", f.Name())
			}
			return true
		})
	}
	assert.Greater(t, made, 20)
	for _, advice := range []map[string]string{blockers} {
		for name, do := range advice {
			assert.NotContains(t, do, ";", name)
			assert.NotEmpty(t, do, name)
		}
	}
	for _, r := range []reason{{Twin: true}, {}} {
		assert.NotContains(t, r.remedy(), ";")
	}
}

// literals returns the string literals in an expression.
func literals(e ast.Expr) string {
	var all strings.Builder
	ast.Inspect(e, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			all.WriteString(strings.Trim(lit.Value, `"`))
		}
		return true
	})
	return all.String()
}
