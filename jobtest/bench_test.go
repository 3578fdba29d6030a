package jobtest_test

import (
	"context"
	"testing"

	"github.com/movenext/movenext/jobtest"
)

// twentySteps is a program of twenty steps.
func twentySteps(ctx context.Context) error {
	count := 0
	return machines(ctx, steps(7, &count), steps(6, &count))
}

// An operation is one schedule.
func BenchmarkExplore(b *testing.B) {
	jobtest.Explore(b, twentySteps, jobtest.Schedules(b.N), jobtest.Random, jobtest.POS)
}
