package exclusive_test

import (
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Run("strand", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return exclusive.NewStrand(pool.New(pool.Workers(1, 1)))
		})
	})
	t.Run("pair", func(t *testing.T) {
		schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
			return &both{Pair: exclusive.New(pool.New(pool.Workers(4, 4)), 3)}
		})
	})
}

// both submits every third work to the exclusive side.
type both struct {
	*exclusive.Pair
	submitted atomic.Uint64
}

func (b *both) Submit(w schedulers.Work, from schedulers.Hint) error {
	if b.submitted.Add(1)%3 == 0 {
		return b.Exclusive().Submit(w, from)
	}
	return b.Concurrent().Submit(w, from)
}

func (b *both) MaxConcurrency() int { return b.Concurrent().MaxConcurrency() }
