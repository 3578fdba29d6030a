package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheCommitCanBeReleased(t *testing.T) {
	require.NoError(t, (&release{root: "../.."}).check())
}

// commit makes a repository with the files of one that can be released.
func commit(t *testing.T) *release {
	t.Helper()
	commitsAsNobody(t)
	r := &release{root: t.TempDir(), version: "v0.2.0"}
	files := map[string]string{
		"go.mod": "module " + modulePath + "\n", "LICENSE": "as you like\n", "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- it is new\n\n## 0.1.0\n",
		"statemachine/version.go": "package statemachine\n\nconst (\n\tContractMin = 1\n\tContractMax = 2\n)\n",
		"codegen/file.go":         "package codegen\n\nconst Contract = 2\n",
	}
	for _, dir := range tagged {
		files[dir+"/go.mod"] = "module " + modulePath + "/" + dir + "\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => ../..\n"
	}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(r.root, filepath.Dir(name)), 0o755))
		require.NoError(t, r.replace(name, []byte(text)))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "all"}} {
		_, err := r.git(args...)
		require.NoError(t, err)
	}
	return r
}

func TestTagsAreMadeBesideTheBranch(t *testing.T) {
	r := commit(t)
	require.NoError(t, r.check())
	require.NoError(t, r.tag("2030-01-02"))
	text, err := r.read("CHANGELOG.md")
	require.NoError(t, err)
	assert.Equal(t, "# Changelog\n\n## Unreleased\n\n## 0.2.0, 2030-01-02\n\n- it is new\n\n## 0.1.0\n", text)
	branch, err := r.git("rev-parse", "--abbrev-ref", "HEAD")
	require.NoError(t, err)
	assert.Equal(t, "main", branch)
	assert.Equal(t, "v0.2.0", r.last())
	text, err = r.read("inspect/prom/go.mod")
	require.NoError(t, err)
	assert.Contains(t, text, "replace")
	text, err = r.git("show", "inspect/prom/v0.2.0:inspect/prom/go.mod")
	require.NoError(t, err)
	assert.Contains(t, text, "require "+modulePath+" v0.2.0")
	assert.NotContains(t, text, "replace")
	require.ErrorContains(t, r.changelog(), "there is nothing below Unreleased")

	require.NoError(t, r.replace("statemachine/version.go", []byte("ContractMin = 3\nContractMax = 3\n")))
	require.NoError(t, r.replace("codegen/file.go", []byte("Contract = 3\n")))
	require.ErrorContains(t, r.contract(), "the runtime does not run what v0.2.0 has generated for contract 2")
	require.ErrorContains(t, r.tag("2030-01-03"), "there are changes that are not committed")
}

func TestAReleaseIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, text, says string }{
		"contract":            {"codegen/file.go", "const Contract = 3\n", "the generator makes contract 3, and the runtime knows 1 to 2"},
		"changelog":           {"CHANGELOG.md", "# Changelog\n", "CHANGELOG.md: there is nothing below Unreleased"},
		"a new module":        {"new/go.mod", "module x\n", "new/go.mod: say in lab/release whether this module has tags"},
		"another replacement": {"inspect/prom/go.mod", "module x\n\nreplace y => ../y\n", "inspect/prom/go.mod: want a requirement of the root module, and its replacement alone"},
	} {
		t.Run(name, func(t *testing.T) {
			r := commit(t)
			require.NoError(t, os.MkdirAll(filepath.Join(r.root, filepath.Dir(c.file)), 0o755))
			require.NoError(t, r.replace(c.file, []byte(c.text)))
			_, err := r.git("add", ".")
			require.NoError(t, err)
			assert.ErrorContains(t, r.check(), c.says)
		})
	}
}
