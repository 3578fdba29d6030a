package jobtest_test

import (
	"context"
	"testing"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// twentySteps is a program of twenty steps.
//
//movenext:async
func twentySteps(ctx context.Context) error {
	count := 0
	a := job.Go(ctx, func(context.Context) error { steps(7, &count); return nil })
	b := job.Go(ctx, func(context.Context) error { steps(7, &count); return nil })
	_, _ = a.Await()
	_, err := b.Await()
	return err
}

// An operation is one schedule.
func BenchmarkExplore(b *testing.B) {
	jobtest.Explore(b, awaited(twentyStepsAsync), jobtest.Schedules(b.N), jobtest.Random, jobtest.POS)
}
