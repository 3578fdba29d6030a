package workstealing_test

import (
	"testing"

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
				// No watch: on a loaded machine it hands on the processor of work that merely is slow,
				// and the suite counts what runs at a time.
				return workstealing.New(append(opts, workstealing.Patience(0))...)
			})
		})
	}
}
