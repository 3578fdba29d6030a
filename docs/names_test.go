package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ours are the packages whose names occur in the tables of names.
var ours = []string{
	"awaiter", "continuation", "coord", "coord/rate", "coord/retry", "inspect", "job", "netio", "parallel", "schedulers",
	"schedulers/pool", "schedulers/roundrobin", "schedulers/ums", "schedulers/workstealing", "statemachine",
}

// qualified is a name of a package, in code.
var qualified = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)

// foreign are names of other modules that look like ours.
var foreign = map[string]bool{"pool.WithMaxGoroutines": true}

// listing matches code in another language, with other names.
var listing = regexp.MustCompile("(?s)```(?:c|csharp)\n.*?```")

// TestTheTablesOfNamesNameWhatExists reads the declarations of each package, and checks all names
// in the tables, and the folders of schedulers.
func TestTheTablesOfNamesNameWhatExists(t *testing.T) {
	declared := map[string]map[string]bool{}
	for _, dir := range ours {
		declared[path.Base(dir)] = exported(t, filepath.Join(root, dir))
	}
	pages, err := filepath.Glob("sources/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "book/names.md") {
		text := listing.ReplaceAllString(read(t, page), "")
		for _, m := range qualified.FindAllStringSubmatch(text, -1) {
			if names, known := declared[m[1]]; known && !foreign[m[0]] {
				assert.True(t, names[m[2]], "%s: %s does not exist", page, m[0])
			}
		}
		for _, m := range regexp.MustCompile("`(schedulers/[a-z]+)`").FindAllStringSubmatch(text, -1) {
			assert.DirExists(t, filepath.Join(root, m[1]), page)
		}
	}
}

// exported returns the names that the package in a folder exports.
func exported(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			declares(d, names)
		}
	}
	return names
}

func declares(d ast.Decl, names map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			}
		}
	}
}
