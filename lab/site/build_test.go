package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository writes files into a new folder, and returns a site of them with one lesson.
func repository(t *testing.T, files map[string]string) *site {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return &site{root: root, repository: "https://example.org/r", revision: "main", record: func(_ context.Context, _, folder string) error {
		return os.WriteFile(filepath.Join(folder, "lesson.html"), []byte("a player"), 0o600)
	}}
}

func TestALinkThatLeadsNowhereNamesItsLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[a](gone.md)", "README.md:5: gone.md: no such file"},
		{"more\ntext [a](gone.md)", "README.md:6: gone.md: no such file"},
		{"![a](gone.png)", "README.md:5: gone.png: no such file"},
		{"[a](#nothing)", "README.md:5: #nothing: README.md has no heading #nothing"},
		{"[a](docs/other.md#nothing)", "README.md:5: docs/other.md#nothing: docs/other.md has no heading #nothing"},
		{"[a](main.go#part)", "README.md:5: main.go#part: main.go is not a page, and #part is not a line of it"},
		{"[a](../outside.md)", "README.md:5: ../outside.md: outside of the repository"},
		{"[a](/etc/hosts)", "README.md:5: /etc/hosts: neither an address of the web nor a file relative to the page"},
		{"[a](javascript:alert)", "README.md:5: javascript:alert: neither an address of the web nor a file relative to the page"},
		{"[a](//example.org/x)", "README.md:5: //example.org/x: neither an address of the web nor a file relative to the page"},
		{"| a | b |\n| --- | --- |\n| c | [d](gone.md) |", "README.md:7: gone.md: no such file"},
		{"- a\n- b [d](gone.md)", "README.md:6: gone.md: no such file"},
		{"<b>bold</b>", "README.md:5: HTML, which the site does not pass on: <b>"},
		{"<div>\nbold\n</div>", "README.md:5: HTML, which the site does not pass on: <div>\nbold\n</div>"},
		{"<!-- replay: gone -->", "README.md:5: gone: no recording has this name"},
		{"words <!-- replay: gone -->", "README.md:5: gone: no recording has this name"},
		{"# Another title", "README.md:1: 2 headings of the first level, where one is the title"},
	} {
		s := repository(t, map[string]string{"README.md": "# Title\n\nwords\n\n" + c.text + "\n", "docs/other.md": "# Other\n", "main.go": "package main\n"})
		parent := t.TempDir()
		err := s.build(t.Context(), filepath.Join(parent, "out"))
		if assert.Error(t, err, c.text) {
			assert.Equal(t, c.want, strings.Split(err.Error(), "\nREADME.md:")[0])
		}
		assert.Empty(t, entries(t, parent), "%s: a build that fails leaves nothing", c.text)
	}
}

func TestLinksAreRewritten(t *testing.T) {
	s := repository(t, map[string]string{
		"README.md":            "# Title\n\n[a](docs/a%20b.md#two-words) [b](docs) [c](docs/main.go#L3) [d](https://example.org/x?y#z) [e](mailto:a@example.org) [f](#title) ![g](docs/p.png) [h](docs/decisions)\n\n`go test -n=<x> -- &lt;`\n\n1 000 000 jobs in 10 ms, `1 000`, 5 men\n",
		"docs/a b.md":          "# A\n\n## Two words\n\n[up](../README.md) [play](other/README.md) <!-- replay: lesson --> <!-- dropped -->\n\n<!-- replay: lesson -->\n\n## Two words\n\n<!-- language: ru -->\n\nтекст\n\n<!-- language: en -->\n\ntext\n",
		"docs/other/README.md": "# Other\n",
		"docs/decisions/1.md":  "# One\n",
		"docs/main.go":         "package main\n",
		"docs/p.png":           "a picture",
		"testdata/x.md":        "no page",
		".hidden/x.md":         "no page",
	})
	out := filepath.Join(t.TempDir(), "out")
	require.NoError(t, s.build(t.Context(), out))
	index := textOf(t, out, "index.html")
	for _, want := range []string{
		`href="docs/a%20b.html#two-words"`, `href="https://example.org/r/tree/main/docs"`, `href="https://example.org/r/blob/main/docs/main.go#L3"`,
		`href="https://example.org/x?y#z"`, `href="mailto:a@example.org"`, `href="#title"`, `src="docs/p.png"`, `href="docs/decisions/index.html"`,
		`<code>go test <span class="flag">-n=&lt;x&gt;</span> <span class="flag">--</span> &amp;lt;</code>`,
		"<p>1\u00a0000\u00a0000 jobs in 10\u00a0ms, <code>1 000</code>, 5 men</p>",
	} {
		assert.Contains(t, index, want)
	}
	assert.Equal(t, "a picture", textOf(t, out, "docs/p.png"))
	assert.Contains(t, textOf(t, out, "docs/decisions/index.html"), `href="../../docs/decisions/1.html">One</a></li>`)
	a := textOf(t, out, "docs/a b.html")
	for _, want := range []string{`href="../index.html">up`, `href="../docs/other/index.html"`, `<iframe src="../replays/lesson.html"`, `<a class="play" href="../replays/lesson.html"`, `id="two-words"`, `id="two-words-1"`, `data-root="../"`, "<div lang=\"ru\">\n<p>текст</p>\n</div>\n<p>text</p>"} {
		assert.Contains(t, a, want)
	}
	assert.NotContains(t, a, "dropped")
	assert.NoFileExists(t, filepath.Join(out, "testdata", "x.html"))
}

func textOf(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// entries returns the names in a folder.
func entries(t *testing.T, folder string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestASecondRunReplacesTheFirst(t *testing.T) {
	s := repository(t, map[string]string{"README.md": "# Title\n\n[a](docs/a.md)\n", "docs/a.md": "# A\n"})
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	require.NoError(t, os.Mkdir(out, 0o750), "an empty folder may be there")
	require.NoError(t, s.build(t.Context(), out))
	require.FileExists(t, filepath.Join(out, "docs", "a.html"))
	require.NoError(t, os.Remove(filepath.Join(s.root, "docs", "a.md")))
	require.NoError(t, os.WriteFile(filepath.Join(s.root, "README.md"), []byte("# New title\n"), 0o600))
	require.NoError(t, s.build(t.Context(), out))
	assert.NoDirExists(t, filepath.Join(out, "docs", "a.html"))
	assert.Contains(t, textOf(t, out, "index.html"), "New title")
	assert.Equal(t, []string{"out"}, entries(t, parent), "nothing is left beside it")
	info, err := os.Stat(out)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm(), "a server can read it")
}

func TestABuildThatFailsLeavesTheSiteOfTheLastRun(t *testing.T) {
	s := repository(t, map[string]string{"README.md": "# Title\n"})
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	require.NoError(t, s.build(t.Context(), out))
	broken := errors.New("broken")
	s.record = func(context.Context, string, string) error { return broken }
	assert.ErrorIs(t, s.build(t.Context(), out), broken)
	assert.Contains(t, textOf(t, out, "index.html"), "Title")
	assert.Equal(t, []string{"out"}, entries(t, parent))
}

func TestABadFolderIsAnErrorBeforeAnythingElse(t *testing.T) {
	s := repository(t, map[string]string{"README.md": "# Title\n"})
	s.record = func(context.Context, string, string) error { panic("the build has begun") }
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	linked := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(folder, linked))
	full := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(full, "sub"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(full, "sub", "notes"), []byte("mine"), 0o600))
	forged := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(forged, manifest), []byte("../file\n"), 0o600))
	for target, want := range map[string]string{
		file:                                    "is not a folder",
		filepath.Join(file, "out"):              "not a directory",
		filepath.Join(folder, "missing", "out"): "no such file",
		linked:                                  "is not a folder",
		folder:                                  "has file, which this command has not made",
		full:                                    "has " + filepath.Join("sub", "notes"),
		forged:                                  "names ../file, which is not in its folder",
	} {
		assert.ErrorContains(t, s.build(t.Context(), target), want)
	}
	assert.Equal(t, "mine", textOf(t, folder, "file"))
	assert.Equal(t, "mine", textOf(t, full, "sub/notes"))
	assert.Equal(t, []string{"file"}, entries(t, folder))
}

func TestAFileThatCameWhileTheSiteWasBuiltIsKept(t *testing.T) {
	s := repository(t, map[string]string{"README.md": "# Title\n"})
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	require.NoError(t, s.build(t.Context(), out))
	lesson := s.record
	s.record = func(ctx context.Context, root, folder string) error {
		return errors.Join(os.WriteFile(filepath.Join(out, "mine"), []byte("mine"), 0o600), lesson(ctx, root, folder))
	}
	assert.ErrorContains(t, s.build(t.Context(), out), "-before")
	kept, err := filepath.Glob(filepath.Join(parent, ".out-building-*-before", "mine"))
	require.NoError(t, err)
	assert.Len(t, kept, 1, "the error names the folder with the file")
	assert.Contains(t, textOf(t, out, "index.html"), "Title")
}

func TestTheCommandSaysHowItIsUsed(t *testing.T) {
	var stderr strings.Builder
	assert.Equal(t, 2, run(t.Context(), nil, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "usage: go run . -out DIR")
	assert.Equal(t, 2, run(t.Context(), []string{"-gone"}, io.Discard, io.Discard))
	assert.Equal(t, 0, run(t.Context(), []string{"-h"}, io.Discard, io.Discard))
	stderr.Reset()
	assert.Equal(t, 1, run(t.Context(), []string{"-out", filepath.Join(t.TempDir(), "out"), "-root", t.TempDir()}, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "has no README.md: is it the folder of the repository?")
}

func TestTerms(t *testing.T) {
	assert.Equal(t, []string{"call", "job", "whenall", "when", "all", "http2", "http", "2", "straße", "x_y", "x", "y", "tls", "dialtls", "dial", "tls"}, terms("Call job.WhenAll: HTTP2, Straße; x_y TLS DialTLS"))
}
