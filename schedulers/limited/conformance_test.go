package limited_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	for name, c := range map[string]struct{ limit, workers int }{
		"one over one":    {1, 1},
		"three over four": {3, 4},
	} {
		t.Run(name, func(t *testing.T) {
			schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
				return limited.New(pool.New(pool.Workers(c.workers, c.workers)), c.limit)
			})
		})
	}
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return limited.New(s, 3) })
}
