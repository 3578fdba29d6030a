package roundrobin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Run("scheduler", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return roundrobin.New(pool.New(pool.Workers(4, 4)))
		})
	})
	t.Run("queue", func(t *testing.T) {
		schedulertest.Run(t, func(t testing.TB) schedulertest.Scheduler {
			s := roundrobin.New(pool.New(pool.Workers(1, 1)))
			q, err := s.CreateQueue(roundrobin.Weight(3))
			require.NoError(t, err)
			return q
		})
	})
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return roundrobin.New(s) })
}
