package parallel_test

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// looking lets one goroutine at a time look for itself in the profile.
var looking sync.Mutex

// isBlue reports whether a profile shows the label blue for the calling goroutine.
func isBlue() bool {
	looking.Lock()
	defer looking.Unlock()
	return foundBlue()
}

func foundBlue() bool {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1)
	for block := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(block, "foundBlue") {
			return strings.Contains(block, `"tenant":"blue"`)
		}
	}
	return false
}

func TestHelpersHaveTheLabelsOfTheOperation(t *testing.T) {
	p := pool.New(pool.Workers(2, 2))
	ctx := schedulers.With(context.Background(), p)
	pprof.Do(ctx, pprof.Labels("tenant", "blue"), func(ctx context.Context) {
		// A body waits for another one, so there are two goroutines. Without the
		// degree there would be one on a single processor.
		meet := func(f func(body func() error) error) {
			var both sync.WaitGroup
			both.Add(2)
			require.NoError(t, f(func() error {
				both.Done()
				both.Wait()
				assert.True(t, isBlue())
				return nil
			}))
		}
		meet(func(body func() error) error {
			return parallel.For(ctx, 0, 2, func(context.Context, int) error { return body() }, parallel.Degree(2), parallel.Chunk(1))
		})
		meet(func(body func() error) error {
			return parallel.ForEach(ctx, []int{1, 2}, func(context.Context, int) error { return body() }, parallel.Degree(2), parallel.Chunk(1))
		})
		_, err := parallel.ForEachAsync(ctx, []int{1, 2}, func(context.Context, int) *job.Job[job.Void] {
			assert.True(t, isBlue())
			return job.FromResult(job.Void{})
		}).Wait(ctx)
		require.NoError(t, err)
	})
	_, err := job.Go(ctx, func(context.Context) error { assert.False(t, isBlue()); return nil }).Wait(ctx)
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(context.Background()))
}
