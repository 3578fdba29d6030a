package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/testmodule"
)

// clone makes a git repository of a module with this command as its tool.
func clone(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := folder(t, files)
	goCommand(t, dir, "", "mod", "edit", "-tool=github.com/movenext/movenext/codegen/cmd/movenext")
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_EDITOR": "true",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a",
	} {
		t.Setenv(name, value)
	}
	git(t, dir, 0, "init", "-q", "-b", "main")
	return dir
}

// git runs git, which has to end with a status, and returns its output.
func git(t *testing.T, dir string, status int, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // the status tells more
	require.NotNil(t, cmd.ProcessState)
	require.Equal(t, status, cmd.ProcessState.ExitCode(), string(out))
	return string(out)
}

func TestInitSaysWhatItWritesAndOverwritesNothing(t *testing.T) {
	dir := clone(t, map[string]string{
		"x.go": annotatedSource, ".gitattributes": "* text=auto", ".golangci.yaml": "version: \"2\"\n", ".vscode/tasks.json": "{}\n",
	})
	t.Chdir(dir)
	status, stdout, stderr := movenext("init")
	require.Equal(t, exitOK, status, stderr)
	hook := filepath.Join(dir, ".git", "hooks", "pre-merge-commit")
	for _, line := range []string{
		"set merge.movenext in the configuration of this clone\n",
		"created generate.go\n",
		"added to .gitattributes:\n\n\t*_async.go linguist-generated=true merge=movenext\n",
		"created .github/workflows/movenext.yml\n",
		"left .golangci.yaml as it is; add:\n\n\tversion: \"2\"\n",
		"\t      - example\\.com/p/\n",
		"created .vscode/launch.json\n",
		"left .vscode/tasks.json as it is; add:\n",
		"created .git/hooks/pre-merge-commit\n",
	} {
		assert.Contains(t, stdout, filepath.FromSlash(line))
	}
	for name, want := range map[string]string{
		"generate.go": "package p\n\n//go:generate go tool movenext ./...\n", ".golangci.yaml": "version: \"2\"\n", ".vscode/tasks.json": "{}\n",
		".gitattributes": "* text=auto\n" + text("attributes.txt"),
	} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
	launch, err := os.ReadFile(".vscode/launch.json")
	require.NoError(t, err)
	assert.Contains(t, string(launch), "-trimpath=example.com/p=>${workspaceFolder}'")

	testmodule.Write(t, "sub/go.mod", []byte("module example.com/sub\n"))
	status, stdout, stderr = movenext("init", "-C", "sub")
	require.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "\tcd 'sub/' || exit\n", "there is a hook of another module")
	assert.Contains(t, stdout, "the module is not the root of the repository")

	before := git(t, dir, 0, "status", "--porcelain", "-uall") + git(t, dir, 0, "config", "--list", "--local")
	testmodule.Write(t, hook, []byte("#!/bin/sh\n"))
	status, stdout, stderr = movenext("init")
	require.Equal(t, exitOK, status, stderr)
	assert.NotContains(t, stdout, "created")
	assert.Equal(t, 3, strings.Count(stdout, "as it is; add:"), stdout)
	assert.Equal(t, before, git(t, dir, 0, "status", "--porcelain", "-uall")+git(t, dir, 0, "config", "--list", "--local"))
}

func TestInitWithoutAModuleOrARepository(t *testing.T) {
	t.Chdir(t.TempDir())
	status, stdout, stderr := movenext("init")
	assert.Equal(t, exitUsage, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "movenext: init works in the root folder of a module: ")
	for _, args := range [][]string{{"init", "x"}, {"init", "-x"}} {
		status, _, stderr = movenext(args...)
		assert.Equal(t, exitUsage, status)
		assert.Contains(t, stderr, initUsage)
	}
	testmodule.Write(t, "go.mod", []byte("module example.com/shop/v2\n"))
	status, stdout, stderr = movenext("init")
	assert.Equal(t, exitOK, status, stderr)
	assert.Contains(t, stdout, "there is no git repository here: ")
	data, err := os.ReadFile("generate.go")
	require.NoError(t, err)
	assert.Equal(t, "package v\n\n//go:generate go tool movenext ./...\n", string(data))
}

// mergedSource has two functions that two people change.
const mergedSource = "package p\n\n//movenext:async\nfunc F() int { return 1 }\n\nvar between, them, lines = 1, 2, 3\n\n//movenext:async\nfunc G() int { return 1 }\n"

func TestAMergeGeneratesWhatItsSourcesSay(t *testing.T) {
	dir := clone(t, map[string]string{"x.go": mergedSource})
	commit := func(source string) {
		t.Helper()
		testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(source))
		status, _, stderr := movenext("-C", dir)
		require.Equal(t, exitOK, status, stderr)
		git(t, dir, 0, "add", ".")
		git(t, dir, 0, "commit", "-qm", "a")
	}
	merged := func() {
		t.Helper()
		status, stdout, stderr := movenext("check", "-C", dir)
		assert.Equal(t, exitOK, status, stdout+stderr)
		assert.Empty(t, git(t, dir, 0, "status", "--porcelain"))
	}
	status, _, stderr := movenext("init", "-C", dir)
	require.Equal(t, exitOK, status, stderr)
	changedF := strings.Replace(mergedSource, "F() int { return 1", "F() int { return 2", 1)
	commit(mergedSource)
	git(t, dir, 0, "checkout", "-qb", "other")
	commit(changedF)
	git(t, dir, 0, "checkout", "-q", "main")
	commit(strings.Replace(mergedSource, "G() int { return 1", "G() int { return 3", 1))
	assert.Contains(t, git(t, dir, 1, "merge", "other"), "updated x_async.go\nNot committing merge; use 'git commit' to complete the merge.\n")
	git(t, dir, 0, "commit", "-qm", "both")
	merged()

	// In a source in conflict somebody decides; then movenext merge does what the hook does.
	git(t, dir, 0, "checkout", "-q", "other")
	commit(strings.Replace(changedF, "return 2", "return 4", 1))
	git(t, dir, 0, "checkout", "-q", "main")
	commit(strings.Replace(changedF, "return 2", "return 5", 1))
	assert.Contains(t, git(t, dir, 1, "merge", "other"), "Merge conflict in x.go")
	assert.Equal(t, "UU x.go\n", git(t, dir, 0, "status", "--porcelain"))
	status, _, stderr = movenext("merge", "-C", dir)
	assert.Equal(t, exitFindings, status)
	assert.Contains(t, stderr, "x.go:")
	testmodule.Write(t, filepath.Join(dir, "x.go"), []byte(strings.Replace(changedF, "return 2", "return 9", 1)))
	git(t, dir, 0, "add", "x.go")
	status, _, stderr = movenext("merge", "-C", dir)
	require.Equal(t, exitOK, status, stderr)
	git(t, dir, 0, "commit", "-qm", "both")
	merged()

	// What does not generate is not committed.
	git(t, dir, 0, "checkout", "-qb", "broken")
	testmodule.Write(t, filepath.Join(dir, "y.go"), []byte("package p\n\nvar _ = G\n"))
	git(t, dir, 0, "add", ".")
	git(t, dir, 0, "commit", "-qm", "a user")
	git(t, dir, 0, "checkout", "-q", "main")
	commit("package p\n\n//movenext:async\nfunc F() {}\n")
	assert.Contains(t, git(t, dir, 1, "merge", "broken"), "y.go:3:9: ")
}
