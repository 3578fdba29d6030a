package affinity

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onAThread calls f on a thread that ends after the call.
func onAThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		f()
	}()
	<-done
}

// allowed returns the processors that the kernel reports for the calling thread.
func allowed(t *testing.T) string {
	status, err := os.ReadFile("/proc/thread-self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if list, is := strings.CutPrefix(line, "Cpus_allowed_list:"); is {
			return strings.TrimSpace(list)
		}
	}
	return ""
}

func TestAThreadIsBoundToAProcessorOrTheSystemHasNoWay(t *testing.T) {
	onAThread(func() {
		err := Pin(0)
		if runtime.GOOS != "linux" {
			assert.ErrorIs(t, err, errors.ErrUnsupported)
			return
		}
		if assert.NoError(t, err) {
			assert.Equal(t, "0", allowed(t))
		}
	})
}

func TestANumberWithoutAProcessorIsAnError(t *testing.T) {
	onAThread(func() {
		for _, cpus := range [][]int{{-1}, {1024}, {0, 5000}, {1023}, nil} {
			assert.ErrorContains(t, Pin(cpus...), "affinity: ", "%v", cpus)
		}
	})
}
