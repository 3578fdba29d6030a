package usage

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// childVariable makes the test binary report its peak, or grow, and exit.
const childVariable = "USAGE_TEST_CHILD"

const megabyte = 1 << 20

var held []byte

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "peak":
		_, _ = os.Stdout.WriteString(strconv.FormatInt(PeakMemory(), 10))
	case "grow":
		if err := LimitMemory(200 * megabyte); err != nil {
			os.Exit(0)
		}
		grow(1000 * megabyte)
	default:
		goleak.VerifyTestMain(m)
	}
}

// grow uses n bytes: memory that nobody has written to is not resident.
func grow(n int) {
	held = make([]byte, n)
	for i := 0; i < n; i += 4096 {
		held[i] = 1
	}
}

func child(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"="+what)
	return cmd
}

func TestPeakMemoryStaysWhenTheMemoryIsGivenBack(t *testing.T) {
	before := PeakMemory()
	if before == Unknown {
		assert.Equal(t, "windows", runtime.GOOS)
		return
	}
	grow(100 * megabyte)
	held = nil
	runtime.GC()
	assert.Greater(t, PeakMemory(), int64(100*megabyte))
}

func TestPeakMemoryOfAChildIsNotThatOfItsParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // elsewhere it may be: the system has nothing better than getrusage
	}
	grow(200 * megabyte)
	out, err := child(t, "peak").Output()
	held = nil
	require.NoError(t, err)
	peak, err := strconv.ParseInt(string(out), 10, 64)
	require.NoError(t, err)
	assert.Positive(t, peak)
	assert.Less(t, peak, int64(100*megabyte))
}

func TestAProcessThatOutgrowsItsLimitEnds(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no limit to set
	}
	var said strings.Builder
	cmd := child(t, "grow")
	cmd.Stderr = &said
	require.Error(t, cmd.Run())
	assert.Contains(t, said.String(), "out of memory")
}

func TestCPUGrowsWithWork(t *testing.T) {
	before, v := CPU(), 1.0
	for CPU() == before { // the clock is as coarse as the system's tick
		v = math.Sqrt(v + 1)
	}
	assert.Greater(t, CPU(), before)
	assert.Positive(t, v)
}

func TestTheMachineIsBusyWithThisProcessToo(t *testing.T) {
	before, ok := Busy()
	if !ok {
		assert.NotEqual(t, "linux", runtime.GOOS)
		return
	}
	for own := CPU(); CPU() < own+50*time.Millisecond; {
		continue
	}
	after, _ := Busy()
	assert.Greater(t, after, before)
}
