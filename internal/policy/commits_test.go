package policy

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommitsOfThisRepository(t *testing.T) {
	for _, f := range CheckSubjects(Commits("../..")) {
		t.Error(f)
	}
}

func TestCheckSubjects(t *testing.T) {
	fits := "job: " + strings.Repeat("ä", subjectWidth-6)
	got := facts(t, CheckSubjects([]string{
		"pool: a wait finds its worker",
		"job, coord: two areas", "docs/book: a folder", ".ci/run: a file", "codegen/vet: x",
		fits, fits + "s",
		"a wait finds its worker", "Pool: a wait", "pool:a wait", "pool: ", ": a wait", "fix the pool: a wait",
	}))
	assert.Equal(t, []string{
		`commit: the subject "` + fits + `s" has 72 characters`,
		`commit: the subject "a wait finds its worker" does not begin with an area`,
		`commit: the subject "Pool: a wait" does not begin with an area`,
		`commit: the subject "pool:a wait" does not begin with an area`,
		`commit: the subject "pool: " does not begin with an area`,
		`commit: the subject ": a wait" does not begin with an area`,
		`commit: the subject "fix the pool: a wait" does not begin with an area`,
	}, got)
}

func TestCommitsAreThoseSinceTheRuleHolds(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GIT_DIR", filepath.Join(root, ".git")) // git hooks set it to another repository
	t.Setenv("GIT_WORK_TREE", root)
	assert.Empty(t, Commits(root), "no repository")

	git := func(args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		command.Dir = root
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	git("init", "-q")
	assert.Empty(t, Commits(root), "no commit")
	for _, c := range []struct{ subject, when string }{
		{"Before.", "2026-11-22T20:59:59Z"},
		{"after: all", "2026-11-22T21:00:01Z"},
	} {
		t.Setenv("GIT_COMMITTER_DATE", c.when)
		git("commit", "-q", "--allow-empty", "-m", c.subject)
	}
	assert.Equal(t, []string{"after: all"}, Commits(root))
	t.Setenv("PATH", "")
	assert.Empty(t, Commits(root), "no git")
}
