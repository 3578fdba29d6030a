package codegen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/codegen"
	"github.com/movenext/movenext/codegen/internal/coverage"
	"github.com/movenext/movenext/internal/testmodule"
)

// covered are cases that have all kinds of statements, and most ways to leave them. They are
// formatted: where several blocks are in one line, their counts may be mixed up.
var covered = []string{
	"straight", "loops", "c4_switch", "c7_exits", "c4_defer", "c4_tail", "rangefunc", "c3_flow", "streams",
	"panics",
}

// TestMachinesCoverWhatThePlainFormCovers runs cases of TestTwoExecutions in both forms, with
// counters, and compares the profiles: each block of a source has been executed by both forms or
// by none.
func TestMachinesCoverWhatThePlainFormCovers(t *testing.T) {
	testmodule.StartsPrograms(t)
	cases := archives(t, "testdata/exec/*.txtar")
	cases = slices.DeleteFunc(cases, func(c archive) bool { return !slices.Contains(covered, c.name) })
	require.Len(t, cases, len(covered))
	dir := testmodule.New(t, "example.com/cases")
	for _, c := range cases {
		for _, f := range c.Files {
			testmodule.Write(t, filepath.Join(dir, c.name, f.Name), f.Data)
		}
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "trace"), os.DirFS("testdata/exec/trace")))

	plain := blocksRun(t, dir, codegen.Plain, cases)
	machines := blocksRun(t, dir, codegen.Release, cases)
	total, executed := 0, 0
	for block, ran := range plain {
		total++
		if ran == "1" {
			executed++
		}
		assert.Equal(t, ran, machines[block], "%s", block)
	}
	assert.Len(t, machines, total)
	t.Logf("%d blocks, of which %d run", total, executed)
	assert.Greater(t, executed, total/2)
}

// blocksRun runs the cases in one mode, and says for each block whether it has been executed.
func blocksRun(t *testing.T, dir string, mode codegen.Mode, cases []archive) map[string]string {
	t.Helper()
	binary, refused := buildCases(t, dir, mode, cases, "-cover", "-coverpkg=example.com/cases/...")
	require.Empty(t, refused)
	counters := t.TempDir()
	t.Setenv("GOCOVERDIR", counters)
	execute(t, binary, 2)
	profile := filepath.Join(counters, "c.out")
	out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile).CombinedOutput()
	require.NoError(t, err, string(out))
	data, err := os.ReadFile(profile)
	require.NoError(t, err)
	if mode == codegen.Release {
		var found []codegen.Diagnostic
		data, found, err = coverage.Move(codegen.Config{Dir: dir}, data)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	blocks := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "/trace/") || strings.Contains(line, "/main/") || strings.Contains(line, "_async.go:") || strings.HasPrefix(line, "mode: ") || strings.Contains(line, " 0 ") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		blocks[line[:i]] = strings.TrimSpace(line[i:])
	}
	return blocks
}
