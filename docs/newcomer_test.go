package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// task is a block of a page that a newcomer acts on: commands to run,
// or their output.
var task = regexp.MustCompile("(?s)<!-- (run|prints|from: [^\n]*) -->\n```[a-z]*\n(.*?)```")

// TestANewcomersPath follows each page in an empty folder, and compares the output. The
// commands need what this module needs itself.
func TestANewcomersPath(t *testing.T) {
	clone, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, page := range []string{"getting-started.md", "howto/scheduler.md"} {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			printed := ""
			for _, m := range task.FindAllStringSubmatch(read(t, page), -1) {
				switch kind, text := m[1], m[2]; kind {
				case "run":
					printed = ""
					for line := range strings.Lines(text) {
						printed += typed(t, dir, strings.ReplaceAll(strings.TrimSpace(line), "../movenext", clone))
					}
				case "prints":
					assert.Equal(t, text, printed)
					printed = ""
				default:
					require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(kind)), []byte(text), 0o600))
				}
			}
			assert.Empty(t, printed, "the last command says nothing that the page does not show")
		})
	}
}

// typed runs a command and returns what it prints to its standard output.
func typed(t *testing.T, dir, line string) string {
	t.Helper()
	words := strings.Fields(line)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s: %s", line, stderr.String())
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}
