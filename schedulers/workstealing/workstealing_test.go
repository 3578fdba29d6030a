package workstealing_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers/schedulertest"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	for name, opts := range map[string][]workstealing.Option{
		"one processor":   {workstealing.Processors(1)},
		"four processors": {workstealing.Processors(4)},
		"many looks":      {workstealing.Processors(3), workstealing.Looks(20)},
	} {
		t.Run(name, func(t *testing.T) {
			schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
				// No watch: on a loaded machine it hands off the processor of
				// work that is merely slow, and the suite counts the work items
				// that run at a time.
				return workstealing.New(append(opts, workstealing.Patience(0))...)
			})
		})
	}
}

func TestMoreProcessorsThanMemoryHolds(t *testing.T) {
	s := workstealing.New(workstealing.Processors(math.MaxInt))
	assert.Equal(t, 1<<16, s.MaxConcurrency())
	require.NoError(t, s.Shutdown(t.Context()))
}
