package main

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestThePoolFindsTheDisksBest runs for a minute of the bubble's time, so that
// the trace does not depend on the machine's speed. It does depend on the order
// of goroutines, which leads it astray once in a while: so it may be tried again.
func TestThePoolFindsTheDisksBest(t *testing.T) {
	for _, best := range []float64{8, 32} {
		found := 0.0
		for tries := 0; tries < 10 && math.Abs(found-best) > best/2; tries++ {
			found = minute(t, best)
		}
		assert.InDelta(t, best, found, best/2)
	}
}

// minute returns the average number of workers in the last third of a minute.
func minute(t *testing.T, best float64) (workers float64) {
	synctest.Test(t, func(t *testing.T) {
		trace, err := climb(best, time.Minute)
		require.NoError(t, err)
		assert.LessOrEqual(t, trace[0].Workers, 4, "it begins with few")
		tail := trace[len(trace)*2/3:]
		for _, s := range tail {
			workers += float64(s.Workers) / float64(len(tail))
		}
	})
	return workers
}
