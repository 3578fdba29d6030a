package statemachine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheListOfNamesIsComplete compares the list in doc.go with the declarations.
func TestTheListOfNamesIsComplete(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(text), "# Who names what")
	require.True(t, found)
	var listed []string
	for _, line := range regexp.MustCompile(`(?m)^//\t.* {2,}(.*)$`).FindAllStringSubmatch(list, -1) {
		listed = append(listed, strings.Split(line[1], ", ")...)
	}
	var declared []string
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for name := range file.Scope.Objects {
			if ast.IsExported(name) {
				declared = append(declared, name)
			}
		}
	}
	assert.ElementsMatch(t, declared, listed)
}
