package jobtest_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/jobtest"
)

// hangs marks this process as the child of a test, which must hang.
const hangs = "MOVENEXT_TEST_HANGS"

// TestATestThatHangsPrintsTheMachines runs itself in a child, where it hangs.
func TestATestThatHangsPrintsTheMachines(t *testing.T) {
	if os.Getenv(hangs) != "" {
		var a, b coord.Mutex
		require.NoError(t, a.Lock(context.Background()))
		<-bothAsync(context.Background(), &a, &b).Done()
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=2s")
	child.Env = append(os.Environ(), hangs+"=1")
	out, err := child.CombinedOutput()
	require.Error(t, err)
	text := string(out)
	machines := strings.Index(text, "1 suspended machine at 1 place")
	assert.True(t, 0 <= machines && machines < strings.Index(text, "panic: test timed out"), "%s", text)
	assert.Contains(t, text, "jobtest_test.both")
	assert.Contains(t, text, "the time limit of 2s is near")
}

// counted is a Main that counts its runs.
type counted struct{ times int }

func (r *counted) Run() int { r.times++; return 7 }

func TestTestsThatEndAreNotDisturbed(t *testing.T) {
	limit := flag.Lookup("test.timeout").Value.String()
	defer func() { require.NoError(t, flag.Set("test.timeout", limit)) }()
	for _, timeout := range []string{"0", "1h"} {
		require.NoError(t, flag.Set("test.timeout", timeout))
		m := &counted{}
		assert.Equal(t, 7, jobtest.DumpOnHang(m).Run())
		assert.Equal(t, 1, m.times)
	}
}

func ExampleDumpOnHang() {
	// The whole TestMain of a package:
	_ = func(m *testing.M) { os.Exit(jobtest.DumpOnHang(m).Run()) }
	// Output:
}
