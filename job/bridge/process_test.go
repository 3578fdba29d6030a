package bridge_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
)

// The process of these tests is the test binary itself, so that they run on every
// system.
func TestProcessItself(t *testing.T) {
	switch os.Getenv("BE_A_PROCESS") {
	case "speak":
		fmt.Println("hello")
		os.Exit(0)
	case "fail":
		os.Exit(3)
	case "wait":
		fmt.Println("waiting")
		select {}
	}
}

func process(how string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcessItself$")
	cmd.Env = append(os.Environ(), "BE_A_PROCESS="+how)
	return cmd
}

func TestAProcessThatSucceeds(t *testing.T) {
	cmd := process("speak")
	var out strings.Builder
	cmd.Stdout = &out
	state, err := bridge.FromProcess(t.Context(), cmd).Await()
	require.NoError(t, err)
	assert.True(t, state.Success())
	assert.Contains(t, out.String(), "hello")
}

func TestAProcessThatFails(t *testing.T) {
	j := bridge.FromProcess(t.Context(), process("fail"))
	state, err := j.Await()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 3, state.ExitCode())
	assert.Equal(t, job.Faulted, j.Status())
}

func TestTheEndOfItsContextKillsAProcess(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cmd := process("wait")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	j := bridge.FromProcess(ctx, cmd)
	_, err = out.Read(make([]byte, 1)) // it runs
	require.NoError(t, err)
	cancel(errBoom)
	_, err = j.Await()
	assert.ErrorIs(t, err, errBoom)
	assert.Equal(t, job.Canceled, j.Status())
}

func TestAProcessThatCannotBeStarted(t *testing.T) {
	_, err := bridge.FromProcess(t.Context(), exec.Command("there-is-no-such-command")).Await()
	assert.ErrorIs(t, err, exec.ErrNotFound)
	assert.Equal(t, bridge.ErrNil, bridge.FromProcess(t.Context(), nil).Err())
}
