package policy

import (
	"errors"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLargeFilesAreFoundUnderAnyName(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	tree, err := Read(fstest.MapFS{
		"go.mod":             {Data: []byte("module example.com/m\n")},
		"examples/chat/chat": {Data: program},
		"large.txt":          {Data: make([]byte, maxFileBytes+1)},
		"full.txt":           {Data: make([]byte, maxFileBytes)},
	})
	require.NoError(t, err)
	var paths []string
	for _, f := range Apply(tree, rule(t, "binaries")) {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{"examples/chat/chat", "large.txt"}, paths)
}

// What go build and go test -c leave in a folder is not about to be committed.
func TestGitIgnoresWhatGoBuildLeaves(t *testing.T) {
	tree, err := repository()
	require.NoError(t, err)
	var left []string
	for _, f := range tree.Go {
		if f.Syntax.Name.Name == "main" && !f.Test {
			program := path.Join(f.Dir, path.Base(f.Dir))
			left = append(left, program, program+".exe", program+".test")
		}
	}
	require.NotEmpty(t, left)
	ignored := exec.Command("git", "check-ignore", "--no-index", "--stdin", "-z")
	ignored.Dir = "../.."
	ignored.Stdin = strings.NewReader(strings.Join(left, "\x00") + "\x00")
	out, err := ignored.Output()
	if exit := (*exec.ExitError)(nil); errors.Is(err, exec.ErrNotFound) || errors.As(err, &exit) && exit.ExitCode() == 128 {
		t.Skip("git does not know this folder")
	}
	require.NoError(t, err)
	got := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	assert.ElementsMatch(t, left, got)
}
