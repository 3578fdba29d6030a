package transpose

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/testmodule"
)

func TestMain(m *testing.M) {
	testmodule.CollectLess()
	goleak.VerifyTestMain(m)
}

// TestProgramsOfEachKind uses a program that is the same in both forms, one with a refused
// function, one that prints something unexpected, and two that must not run.
func TestProgramsOfEachKind(t *testing.T) {
	testmodule.StartsPrograms(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"same.go":    "// run\n\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor i := range 3 {\n\t\tif i%2 == 0 {\n\t\t\tfmt.Println(double(i))\n\t\t}\n\t}\n}\n\nfunc double(n int) int { return 2 * n }\n",
		"same.out":   "0\n4\n",
		"refused.go": "// run\n\npackage main\n\nfunc main() {\n\tdefer caught()\n\tpanic(1)\n}\n\nfunc caught() {\n\tif recover() == nil {\n\t\tpanic(2)\n\t}\n}\n",
		"prints.go":  "// run\n\npackage main\n\nfunc main() {\n\tprintln(1)\n}\n",
		"stack.go":   "// run\n\npackage main\n\nimport \"runtime\"\n\nfunc main() { runtime.Callers(0, nil) }\n",
		"compile.go": "// compile\n\npackage main\n\nfunc main() {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	report, err := Run(t.Context(), folder, filepath.Join(t.TempDir(), "module"),
		Options{Only: regexp.MustCompile(""), AtOnce: 10, Patience: time.Minute, Progress: io.Discard,
			// With a separate cache, it would compile the standard library.
			Cache: strings.TrimSpace(string(cache))})
	require.NoError(t, err)
	assert.Empty(t, report.Different)
	assert.Equal(t, 4, report.Programs)
	assert.Equal(t, 2, report.Same)
	assert.Equal(t, map[string]int{"an annotated function cannot call recover itself": 1}, report.Refused)
	assert.Len(t, report.LeftOut, 2)
}
