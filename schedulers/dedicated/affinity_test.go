package dedicated_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/dedicated"
)

// allowed returns the processors that the Linux kernel reports for the calling thread.
func allowed() string {
	status, _ := os.ReadFile("/proc/thread-self/status")
	for line := range strings.Lines(string(status)) {
		if list, is := strings.CutPrefix(line, "Cpus_allowed_list:"); is {
			return strings.TrimSpace(list)
		}
	}
	return "unknown"
}

// A thread that replaces a lost one is bound, too.
func TestAThreadIsBoundToItsProcessor(t *testing.T) {
	s := dedicated.New(1, dedicated.Affinity(0))
	var seen []string
	submit(t, s, func() { seen = append(seen, allowed()) })
	submit(t, s, runtime.Goexit)
	submit(t, s, func() { seen = append(seen, allowed()) })
	require.NoError(t, s.Shutdown(context.Background()))
	if runtime.GOOS != "linux" {
		require.ErrorIs(t, s.AffinityErr(), errors.ErrUnsupported)
		return
	}
	require.NoError(t, s.AffinityErr())
	assert.Equal(t, []string{"0", "0"}, seen)
}

func TestAThreadThatCannotBeBoundRunsAllTheSame(t *testing.T) {
	s := dedicated.New(2, dedicated.Affinity(5000))
	require.NoError(t, s.AffinityErr(), "no thread has started")
	ran := false
	submit(t, s, func() { ran = true })
	require.NoError(t, s.Shutdown(context.Background()))
	assert.True(t, ran)
	require.ErrorContains(t, s.AffinityErr(), "affinity: there is no processor 5000")
}

func TestAffinityToNoProcessorDoesNothing(t *testing.T) {
	s := dedicated.New(1, dedicated.Affinity())
	submit(t, s, func() {})
	require.NoError(t, s.Shutdown(context.Background()))
	require.NoError(t, s.AffinityErr())
}
