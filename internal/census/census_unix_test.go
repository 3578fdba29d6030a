//go:build unix

package census

import (
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoroutinesInSystemCallsAreBusy(t *testing.T) {
	var pipe [2]int
	require.NoError(t, syscall.Pipe(pipe[:]))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = syscall.Read(pipe[0], make([]byte, 1))
	}()
	var active, busy Counter
	for active.Active() > 1 || busy.Busy() == 1 { // until the reader is in its system call
		runtime.Gosched()
	}
	assert.Equal(t, 2, busy.Busy(), "the one that asks, and the reader")
	require.NoError(t, syscall.Close(pipe[1]))
	<-ended
	require.NoError(t, syscall.Close(pipe[0]))
}
