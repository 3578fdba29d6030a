package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// proxy is a folder in the form of a module proxy, with versions of this repository's modules that
// were released in a clone.
type proxy struct {
	dir   string
	clone *release
}

// newProxy clones the repository as it is, changes that are not committed included.
func newProxy(t *testing.T) *proxy {
	t.Helper()
	commitsAsNobody(t)
	origin := &release{root: must[string](t)(filepath.Abs("../.."))}
	changed := must[string](t)(origin.git("stash", "create"))
	clone := &release{root: filepath.Join(t.TempDir(), "clone")}
	must[string](t)(origin.git("clone", "-q", "--shared", "--no-checkout", ".", clone.root))
	must[string](t)(clone.git("checkout", "-q", "-B", "main", cmp.Or(changed, "origin/HEAD")))
	return &proxy{dir: t.TempDir(), clone: clone}
}

// publish makes the tags of a version, and puts it into the proxy.
func (p *proxy) publish(t *testing.T, version string) {
	t.Helper()
	p.clone.version = version
	require.NoError(t, p.clone.tag("2030-01-02"))
	p.add(t, "", version)
	for _, dir := range tagged {
		p.add(t, dir, version)
	}
}

// add adds the module in a folder of the repository.
func (p *proxy) add(t *testing.T, folder, version string) {
	t.Helper()
	name, tag := path.Join(modulePath, folder), path.Join(folder, version)
	versions := filepath.Join(p.dir, filepath.FromSlash(name), "@v")
	require.NoError(t, os.MkdirAll(versions, 0o755))
	archive := must[*os.File](t)(os.Create(filepath.Join(versions, version+".zip")))
	err := zip.CreateFromVCS(archive, module.Version{Path: name, Version: version}, p.clone.root, tag, folder)
	require.NoError(t, errors.Join(err, archive.Close()))
	mod := must[string](t)(p.clone.git("show", tag+":"+path.Join(folder, "go.mod")))
	info := must[[]byte](t)(json.Marshal(map[string]string{"Version": version}))
	list, _ := os.ReadFile(filepath.Join(versions, "list"))
	for name, text := range map[string]string{
		"list": string(list) + version + "\n", version + ".mod": mod, version + ".info": string(info),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte(text), 0o644))
	}
}

// settings returns those of the go command with which the proxy's versions are published. Other
// modules come from the cache of this computer, or from where it has them from.
func (p *proxy) settings(t *testing.T) []string {
	t.Helper()
	others := must[string](t)(run(".", nil, "go", "env", "GOPROXY", "GOMODCACHE", "GOFLAGS"))
	values := strings.SplitN(others, "\n", 3)
	var env []string
	for name, value := range map[string]string{
		"GOPROXY":    strings.Join([]string{folderURL(p.dir), folderURL(filepath.Join(values[1], "cache", "download")), values[0]}, ","),
		"GONOSUMDB":  modulePath,
		"GOWORK":     "",
		"GOMODCACHE": t.TempDir(),
		"GOFLAGS":    values[2] + " -modcacherw", // so that it can be removed
	} {
		env = append(env, name+"="+value)
	}
	return env
}

func folderURL(dir string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") }

// commitsAsNobody keeps the settings of git on this computer from a test.
func commitsAsNobody(t *testing.T) {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "GIT_EDITOR": "true",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a",
	} {
		t.Setenv(name, value)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}
