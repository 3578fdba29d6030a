package codegen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryRefusalIsOnItsPage compares the messages of refusals with the table in which users look
// them up: each message must have a row, and each row a message.
func TestEveryRefusalIsOnItsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/refusals.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| the message begins |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\|.*\\| `(.*)`.* \\|$").FindAllStringSubmatch(table, -1) {
		row := strings.TrimSuffix(m[1], " …")
		rows = append(rows, strings.Replace(row, "yield", "x", 1))
	}
	messages := refusals(t)
	for _, m := range messages {
		assert.True(t, slices.ContainsFunc(rows, func(row string) bool { return says(m, row) }), "no row of docs/refusals.md for: %s", m)
	}
	for _, row := range rows {
		assert.True(t, slices.ContainsFunc(messages, func(m [2]string) bool { return says(m, row) }), "no message begins with: %s", row)
	}
}

// says reports whether the what or the why of a message begins with the text.
func says(message [2]string, text string) bool {
	return strings.HasPrefix(message[0], text) || strings.HasPrefix(message[1], text)
}

// refusals returns the what and the why of the messages, with x for each name in them. It omits
// the message about syntax that the generator does not know, which no valid source can have.
func refusals(t *testing.T) (list [][2]string) {
	t.Helper()
	phases, err := filepath.Glob("internal/*/diagnostics.go")
	require.NoError(t, err)
	for _, name := range append(phases, "diagnostics.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if fn, ok := n.(*ast.FuncDecl); ok && fn.Name.Name == "UnknownSyntax" {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && isRefusal(call.Fun) {
				list = append(list, [2]string{sample(t, call.Args[1]), sample(t, call.Args[2])})
			}
			return true
		})
	}
	require.NotEmpty(t, list)
	return list
}

// isRefusal reports whether a function is source.Unsupported, with or without the package.
func isRefusal(fun ast.Expr) bool {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name == "Unsupported"
	case *ast.SelectorExpr:
		return fun.Sel.Name == "Unsupported"
	}
	return false
}

// sample returns the value of an expression of constants and names, with x for each name.
func sample(t *testing.T, e ast.Expr) string {
	t.Helper()
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return sample(t, e.X) + sample(t, e.Y)
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		require.NoError(t, err)
		return s
	}
	return "x"
}
