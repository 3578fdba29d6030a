package jobtest_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// TestAProgramWithoutEndDoesNotSpoilTheNextTest checks that a program that takes too many steps is
// ended if that is possible, and otherwise is not run again and again for a shorter schedule.
func TestAProgramWithoutEndDoesNotSpoilTheNextTest(t *testing.T) {
	var over atomic.Bool
	for name, c := range map[string]struct {
		program func(context.Context) error
		runs    bool // even when its context has ended
	}{
		"a loop until the context ends": {func(ctx context.Context) error {
			for ctx.Err() == nil {
				job.Yield()
			}
			return nil
		}, false},
		"jobs that start jobs": {func(ctx context.Context) error {
			var again func(context.Context) error
			again = func(ctx context.Context) error { job.Go(ctx, again); return nil }
			return again(context.WithoutCancel(ctx))
		}, false},
		"a loop that ignores its context": {func(context.Context) error {
			for !over.Load() {
				job.Yield()
			}
			return nil
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var running sync.WaitGroup
			w := explored(t, func(ctx context.Context) error {
				calls++
				running.Add(1)
				defer running.Done()
				return c.program(ctx)
			}, jobtest.Steps(100))
			over.Store(c.runs)
			running.Wait()
			require.Len(t, w.failures, 1)
			assert.Contains(t, w.failures[0], "no end: the program has not ended after 100 steps")
			if c.runs {
				assert.Contains(t, w.failures[0], "is still running")
				assert.Equal(t, 2, calls, "once, and once for the report")
			} else {
				assert.NotContains(t, w.failures[0], "is still running")
			}
			assert.Empty(t, ran(t, func(ctx context.Context) error { _, err := job.YieldAsync().Wait(ctx); return err }).failures)
		})
	}
}
