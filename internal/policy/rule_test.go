package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func TestReadRefusesATreeThatItCannotJudge(t *testing.T) {
	for name, archive := range map[string]string{
		"no module":      "-- a.go --\npackage a\n",
		"does not parse": goMod + "-- a.go --\npackage\n",
	} {
		t.Run(name, func(t *testing.T) {
			fsys, err := txtar.FS(txtar.Parse([]byte(archive)))
			require.NoError(t, err)
			_, err = Read(fsys)
			assert.ErrorContains(t, err, "policy: ")
		})
	}
}

func TestMatches(t *testing.T) {
	assert.True(t, matches([]string{"a"}, "a"))
	assert.False(t, matches([]string{"a"}, "a/b"))
	assert.True(t, matches([]string{"a/..."}, "a"))
	assert.True(t, matches([]string{"x", "a/..."}, "a/b/c"))
	assert.False(t, matches([]string{"a/..."}, "ab"))
	assert.True(t, matches([]string{"..."}, "."))
	assert.False(t, matches(nil, "a"))
}

func TestOpenSeesWhatGitWouldCommit(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GIT_DIR", filepath.Join(root, ".git")) // git hooks set it to another repository
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/m\n")
	write("new/a.go", "package a\n")
	write("built/a.go", "package a\n")
	write(".gitignore", "/built/\n")

	tree, err := Open(root)
	require.NoError(t, err)
	assert.Equal(t, []string{".gitignore", "built/a.go", "go.mod", "new/a.go"}, pathsOf(tree), "without a repository")

	require.NoError(t, exec.Command("git", "init", "-q", root).Run())
	tree, err = Open(root)
	require.NoError(t, err)
	assert.Equal(t, []string{".gitignore", "go.mod", "new/a.go"}, pathsOf(tree), "in a repository")
	assert.Equal(t, "example.com/m", tree.Module)
}

func pathsOf(t *Tree) []string {
	var paths []string
	for _, f := range t.Files {
		paths = append(paths, f.Path)
	}
	return paths
}
