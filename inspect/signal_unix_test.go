//go:build unix

package inspect_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
)

// asChild says that the test binary is the child that hangs.
const asChild = "MOVENEXT_TEST_HANGS"

// hangForever is the child: machines that wait for a source, and a signal to come.
func hangForever() {
	inspect.Track()
	inspect.OnSignal(syscall.SIGQUIT)
	s := newStuck()
	for range 7 {
		s.forSourceAsync(context.Background())
	}
	for inspect.Snapshot().Suspended < 7 {
		runtime.Gosched()
	}
	fmt.Println("hangs")
	select {}
}

func TestSIGQUITPrintsTheMachinesBeforeTheGoroutines(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), asChild+"=1", "GOTRACEBACK=all")
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	dump, err := child.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hangs\n", line)
	require.NoError(t, child.Process.Signal(syscall.SIGQUIT))
	text, err := io.ReadAll(dump)
	require.NoError(t, err)
	require.Error(t, child.Wait(), "the signal has ended it")
	machines := strings.Index(string(text), "movenext: 7 suspended machines at 1 place")
	source := strings.Index(string(text), lines(t)["source"])
	goroutines := strings.Index(string(text), "SIGQUIT: quit")
	assert.True(t, 0 <= machines && machines < source && source < goroutines, "%s", text)
}
