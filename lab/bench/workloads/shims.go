package workloads

import (
	"context"

	"github.com/movenext/movenext/lab/bench/suite"
)

// shims is V10: W1 through the schedulers that put an order on top of the pool.
func shims() *suite.Work {
	places := []suite.Place{suite.Default, suite.RoundRobin, suite.Priority, suite.Observed}
	return &suite.Work{
		ID:      "V10",
		Title:   "start a million empty jobs on a scheduler that lies over the pool",
		Op:      "job",
		N:       1_000_000,
		Bases:   []string{suite.Default.Name},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: suite.On(places, "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error { return spawnUnder(ctx, n) }
		}),
	}
}
