package histogram_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/histogram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	var h histogram.Histogram
	h.AddTime(300 * time.Microsecond)
	h.AddTime(2 * time.Second)
	v := h.Seconds(1)
	for i, n := range v.Counts {
		if n > 0 {
			fmt.Printf("%d below %g s\n", n, v.Bounds[i])
		}
	}
	fmt.Println(v.Sum)
	// Output:
	// 1 below 0.000512 s
	// 1 below 2.097152 s
	// 2.0003
}

// bucketOf returns the bounds of the bucket that contains the only value of v.
func bucketOf(t *testing.T, v histogram.Values) (from, to float64) {
	t.Helper()
	to = math.Inf(1)
	for i, n := range v.Counts {
		if n == 0 {
			from = v.Bounds[i]
			continue
		}
		if i < len(v.Bounds) {
			to = v.Bounds[i]
		}
		return from, to
	}
	t.Fatal("there is no value")
	return 0, 0
}

func TestAValueLiesBetweenTheBoundsOfItsBucket(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 4, 1000, 1<<26 - 1, 1 << 26, 1 << 40, math.MaxUint64} {
		var h histogram.Histogram
		h.Add(n)
		v := h.Numbers(1)
		require.Len(t, v.Counts, len(v.Bounds)+1)
		from, to := bucketOf(t, v)
		assert.GreaterOrEqual(t, float64(n), from, n)
		assert.Less(t, float64(n), to, n)
		assert.InEpsilon(t, float64(n)+1, v.Sum+1, 1e-9)
	}
	for _, d := range []time.Duration{0, time.Nanosecond, time.Microsecond, time.Millisecond, time.Minute, time.Hour} {
		var h histogram.Histogram
		h.AddTime(d)
		from, to := bucketOf(t, h.Seconds(1))
		assert.GreaterOrEqual(t, d.Seconds(), from, d)
		assert.Less(t, d.Seconds(), to, d)
	}
}

func TestATimeBelowZeroCountsAsZero(t *testing.T) {
	var h histogram.Histogram
	h.AddTime(-time.Hour)
	v := h.Seconds(1)
	assert.Equal(t, uint64(1), v.Counts[0])
	assert.Zero(t, v.Sum)
}

func TestASampleStandsForMany(t *testing.T) {
	var h histogram.Histogram
	h.Add(3)
	v := h.Numbers(100)
	assert.Equal(t, uint64(100), v.Counts[2])
	assert.InDelta(t, 300, v.Sum, 0)
}

func TestNoValueIsLost(t *testing.T) {
	var h histogram.Histogram
	var adders sync.WaitGroup
	for range 8 {
		adders.Go(func() {
			for i := range 1000 {
				h.Add(uint64(i))
			}
		})
	}
	adders.Wait()
	v, n := h.Numbers(1), uint64(0)
	for _, count := range v.Counts {
		n += count
	}
	assert.Equal(t, uint64(8000), n)
	assert.InDelta(t, 8*999*500, v.Sum, 0)
}

func ExampleValues_Write() {
	b := bufio.NewWriter(os.Stdout)
	histogram.Values{Bounds: []float64{1, 2}, Counts: []uint64{3, 0, 1}, Sum: 9.5}.Write(b, "seconds", `of="a"`)
	_ = b.Flush()
	// Output:
	// seconds_bucket{of="a",le="1"} 3
	// seconds_bucket{of="a",le="2"} 3
	// seconds_bucket{of="a",le="+Inf"} 4
	// seconds_sum{of="a"} 9.5
	// seconds_count{of="a"} 4
}

func TestWithoutLabelsThereAreNoBraces(t *testing.T) {
	var text strings.Builder
	b := bufio.NewWriter(&text)
	histogram.Values{Counts: []uint64{2}, Sum: 1}.Write(b, "n", "")
	require.NoError(t, b.Flush())
	assert.Equal(t, "n_bucket{le=\"+Inf\"} 2\nn_sum 1\nn_count 2\n", text.String())
}
