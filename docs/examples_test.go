package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryExampleIsListedSaysWhatItShowsAndIsTested checks the folders. The test of the links
// finds lines for a missing folder.
func TestEveryExampleIsListedSaysWhatItShowsAndIsTested(t *testing.T) {
	folder := filepath.Join(root, "examples")
	index := read(t, filepath.Join(folder, "README.md"))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		name := e.Name()
		assert.Equal(t, 1, strings.Count(index, "\n- ["+name+"]("+name+"): "), "examples/README.md needs one line for %s", name)
		tests, err := filepath.Glob(filepath.Join(folder, name, "*_test.go"))
		require.NoError(t, err)
		assert.NotEmpty(t, tests, "%s has no test", name)
		assert.True(t, strings.HasPrefix(read(t, filepath.Join(folder, name, "main.go")), "// "), "%s does not begin with what it shows", name)
	}
}

// TestNoTwoExamplesHaveOneNumber checks the folders that begin with a number. An example that is
// removed leaves a gap, since pages name the others by their numbers.
func TestNoTwoExamplesHaveOneNumber(t *testing.T) {
	numbered, err := filepath.Glob(filepath.Join(root, "examples", "[0-9][0-9]-*"))
	require.NoError(t, err)
	for i, dir := range numbered[1:] { // Glob sorts
		assert.NotEqual(t, filepath.Base(numbered[i])[:2], filepath.Base(dir)[:2])
	}
}

// TestEachExampleOfASourceDocumentNamesIt checks the links of the pages about source documents: a
// reader who starts at the example finds the page.
func TestEachExampleOfASourceDocumentNamesIt(t *testing.T) {
	sources, err := filepath.Glob(filepath.Join(root, "docs", "sources", "*.md"))
	require.NoError(t, err)
	of := map[string][]string{}
	for _, page := range sources {
		for _, m := range exampleLink.FindAllStringSubmatch(read(t, page), -1) {
			of[m[1]] = append(of[m[1]], "docs/sources/"+filepath.Base(page))
		}
	}
	require.Greater(t, len(of), 20)
	for name, pages := range of {
		first, _, _ := strings.Cut(read(t, filepath.Join(root, "examples", name, "main.go")), "\npackage main")
		named := false
		for _, page := range pages {
			named = named || strings.Contains(first, page)
		}
		assert.True(t, named, "the first comment of %s names none of %v", name, pages)
	}
}

var exampleLink = regexp.MustCompile(`\(\.\./\.\./examples/([0-9][0-9]-[a-z-]+)/`)
