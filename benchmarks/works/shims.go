package works

import (
	"context"

	"github.com/movenext/movenext/benchmarks/contest"
)

// shims is V10: W1 through the schedulers that put an order on top of the pool.
func shims() *contest.Work {
	places := []contest.Place{contest.Default, contest.RoundRobin, contest.Priority, contest.Observed}
	return &contest.Work{
		ID:      "V10",
		Title:   "start a million empty jobs on a scheduler that lies over the pool",
		Op:      "job",
		N:       1_000_000,
		Bases:   []string{contest.Default.Name},
		Guarded: []contest.Measure{contest.Bytes, contest.Allocs},
		Contenders: contest.On(places, "", "", func(ctx context.Context, _ contest.Setting) contest.Run {
			return func(_ *contest.Meter, n int) error { return spawnUnder(ctx, n) }
		}),
	}
}
