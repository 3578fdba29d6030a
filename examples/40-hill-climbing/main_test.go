package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestThePoolFindsTheDisksBest runs a minute of the bubble's time, so that the trace does not depend on the machine.
func TestThePoolFindsTheDisksBest(t *testing.T) {
	for _, best := range []float64{8, 32} {
		synctest.Test(t, func(t *testing.T) {
			trace, err := climb(best, time.Minute)
			require.NoError(t, err)
			assert.LessOrEqual(t, trace[0].Workers, 4, "it begins with few")
			tail := trace[len(trace)*2/3:]
			sum := 0
			for _, s := range tail {
				sum += s.Workers
			}
			assert.InEpsilon(t, best, float64(sum)/float64(len(tail)), 0.6)
		})
	}
}
