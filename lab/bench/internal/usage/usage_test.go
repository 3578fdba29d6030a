package usage

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// childVariable makes the test binary report its peak and exit.
const childVariable = "USAGE_TEST_CHILD"

const megabyte = 1 << 20

var held []byte

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "peak" {
		_, _ = os.Stdout.WriteString(strconv.FormatInt(PeakMemory(), 10))
		return
	}
	goleak.VerifyTestMain(m)
}

// grow uses n bytes: untouched memory is not resident.
func grow(n int) {
	held = make([]byte, n)
	for i := 0; i < n; i += 4096 {
		held[i] = 1
	}
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
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"=peak")
	out, err := cmd.Output()
	held = nil
	require.NoError(t, err)
	peak, err := strconv.ParseInt(string(out), 10, 64)
	require.NoError(t, err)
	assert.Positive(t, peak)
	assert.Less(t, peak, int64(100*megabyte))
}

func TestMemoryOfAProcessGrowsWithIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		assert.EqualValues(t, Unknown, MemoryOf(os.Getpid()))
		return
	}
	grow(200 * megabyte)
	assert.Greater(t, MemoryOf(os.Getpid()), int64(200*megabyte))
	held = nil
	assert.EqualValues(t, Unknown, MemoryOf(-1), "there is no such process")
	assert.Greater(t, Available(), int64(megabyte))
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
