package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// goMod is the head of each small tree.
const goMod = "-- go.mod --\nmodule example.com/m\n"

// treeOf returns the tree of an archive in txtar's form.
func treeOf(t *testing.T, archive string) *Tree {
	t.Helper()
	fsys, err := txtar.FS(txtar.Parse([]byte(archive)))
	require.NoError(t, err)
	tree, err := Read(fsys)
	require.NoError(t, err)
	return tree
}

// rule returns the repository's rule of that name.
func rule(t *testing.T, name string) Rule {
	t.Helper()
	for _, r := range Rules() {
		if r.Name == name {
			return r
		}
	}
	require.Fail(t, "no such rule", name)
	return Rule{}
}

// finds applies a rule of the repository to a small tree, and returns its findings in the form
// "place: fact".
func finds(t *testing.T, name, archive string) []string {
	t.Helper()
	return facts(t, Apply(treeOf(t, goMod+archive), rule(t, name)))
}

// facts shortens findings for comparison, after having checked that each is
// complete.
func facts(t *testing.T, found []Finding) []string {
	t.Helper()
	var all []string
	for _, f := range found {
		assert.NotEmpty(t, f.Path)
		assert.NotEmpty(t, f.Mend, "%s: a finding says how to mend it", f.What)
		where, _ := strings.CutSuffix(f.String(), ": "+f.Mend)
		all = append(all, where)
	}
	return all
}

func trimDots(pattern string) string { return strings.TrimSuffix(pattern, "/...") }
