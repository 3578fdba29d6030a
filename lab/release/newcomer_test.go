package main

import (
	"bufio"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tools are what a team has already. The linter has the version of CI.
var tools = []string{
	"golang.org/x/tools/gopls@v0.23.0",
	"github.com/go-delve/delve/cmd/dlv@v1.27.2", // can read the output of this version of Go
}

// newcomer follows pages in an empty folder, as somebody who has only them.
type newcomer struct {
	proxy *proxy
	dir   string
	env   []string

	printed, said string // by the last block of commands: to the standard output, and to both
}

// deeds are what a page says without a command.
var deeds = map[string]func(*testing.T, *newcomer){
	"watch":    watches,
	"debugs":   debugs,
	"released": func(t *testing.T, n *newcomer) { t.Helper(); n.proxy.publish(t, "v0.2.0") },
}

// TestANewcomersFirstDay follows the list of steps for those who want to adopt the library, from
// an empty folder. Each step is a test, and needs those before it. Then it follows the page on
// schedulers.
func TestANewcomersFirstDay(t *testing.T) {
	n := newNewcomer(t)
	n.install(t)
	before, list, _ := strings.Cut(must[string](t)(n.proxy.clone.read("docs/adopting.md")), "\n### ")
	steps := strings.Split(list, "\n### ")
	require.Len(t, steps, 27)
	require.Empty(t, directive.FindString(before))
	for _, step := range steps {
		title, _, _ := strings.Cut(step, "\n")
		passed := t.Run(title, func(t *testing.T) { n.follow(t, step) })
		require.True(t, passed, "what comes next needs this step")
	}
	n.dir = filepath.Join(t.TempDir(), "newest")
	require.NoError(t, os.Mkdir(n.dir, 0o755))
	t.Run("a scheduler", func(t *testing.T) {
		n.follow(t, must[string](t)(n.proxy.clone.read("docs/howto/scheduler.md")))
	})
}

func newNewcomer(t *testing.T) *newcomer {
	t.Helper()
	n := &newcomer{proxy: newProxy(t), dir: filepath.Join(must[string](t)(filepath.EvalSymlinks(t.TempDir())), "hello")}
	require.NoError(t, os.Mkdir(n.dir, 0o755))
	n.proxy.publish(t, "v0.1.0")
	n.env = append(os.Environ(), n.proxy.settings(t)...)
	return n
}

// install puts the tools into the path.
func (n *newcomer) install(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	n.env = append(n.env, "GOBIN="+bin, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	ci := must[string](t)(n.proxy.clone.read(".ci/run"))
	linter := regexp.MustCompile(`(?m)^golangci=(.*)$`).FindStringSubmatch(ci)
	require.NotNil(t, linter)
	for _, tool := range append(tools, linter[1]) {
		must[string](t)(run(".", []string{"GOBIN=" + bin}, "go", "install", tool))
	}
}

// directive is a part of a page that a newcomer acts on.
var directive = regexp.MustCompile("(?s)<!-- (run|fails|prints|says|(?:from|follow|test): [^\n]*?) -->\n(?:```[a-z]*\n(.*?)```)?")

// follow acts on a part of a page, and compares what it shows.
func (n *newcomer) follow(t *testing.T, text string) {
	t.Helper()
	found := directive.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		block := m[2]
		switch kind, name, _ := strings.Cut(m[1], ": "); kind {
		case "run", "fails":
			n.types(t, kind == "run", block)
		case "prints":
			require.Equal(t, block, n.printed)
		case "says":
			for line := range strings.Lines(block) {
				assert.Contains(t, n.said, strings.TrimSpace(line))
			}
		case "from":
			require.NoError(t, os.WriteFile(filepath.Join(n.dir, filepath.Base(name)), []byte(block), 0o644))
		case "follow":
			n.follow(t, must[string](t)(n.proxy.clone.read("docs/"+name)))
		case "test":
			require.Contains(t, slices.Collect(maps.Keys(deeds)), name)
			deeds[name](t, n)
		}
	}
}

// types runs commands, which have to succeed or to fail, and returns all they say.
func (n *newcomer) types(t *testing.T, succeed bool, commands string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	cmd.Dir, cmd.Env = n.dir, n.env
	var printed, said strings.Builder
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&printed, &said), &said
	err := cmd.Run()
	require.Equal(t, succeed, err == nil, "%s\n%s%v", commands, &said, err)
	n.printed, n.said = printed.String(), said.String()
	return n.said
}

// watches changes a file beside a command that generates after each change.
func watches(t *testing.T, n *newcomer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "movenext", "-watch")
	cmd.Dir, cmd.Env = n.dir, n.env
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	name := filepath.Join(n.dir, "main.go")
	source := string(must[[]byte](t)(os.ReadFile(name)))
	// The first change may come before the command looks at the file.
	for _, text := range []string{strings.Replace(source, `"tick"`, `"tack"`, 1), source} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		require.True(t, lines.Scan())
		assert.Equal(t, "updated main_async.go", lines.Text())
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
}
