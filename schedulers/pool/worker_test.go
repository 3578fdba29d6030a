package pool_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func TestWorkThroughASchedulerOnTopOfThePoolIsOnAPoolWorker(t *testing.T) {
	p := pool.New()
	over := limited.New(p, 1)
	for _, s := range []schedulers.Scheduler{p, over} {
		inside, err := job.Run(context.Background(), func(ctx context.Context) (bool, error) {
			return pool.IsPoolWorker(ctx), nil
		}, job.On(s)).Wait(context.Background())
		require.NoError(t, err)
		assert.True(t, inside)
	}
	require.NoError(t, over.Shutdown(context.Background()))
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestElsewhereIsNoPoolWorker(t *testing.T) {
	var none context.Context
	assert.False(t, pool.IsPoolWorker(none))
	assert.False(t, pool.IsPoolWorker(context.Background()))
	p, threads, stealing := pool.New(), dedicated.New(1), workstealing.New()
	ask := func(ctx context.Context) (bool, error) { return pool.IsPoolWorker(ctx), nil }
	for _, o := range [][]job.Option{{job.On(threads)}, {job.On(stealing)}, {job.On(p), job.LongRunning()}} {
		inside, err := job.Run(context.Background(), ask, o...).Wait(context.Background())
		require.NoError(t, err)
		assert.False(t, inside)
	}
	for _, s := range []schedulers.Shutdowner{p, threads, stealing} {
		require.NoError(t, s.Shutdown(context.Background()))
	}
}

// Only code that runs on a pool's worker reports true.
func ExampleIsPoolWorker() {
	p, own := pool.New(), dedicated.New(1)
	ctx := schedulers.With(context.Background(), p)
	say := func(name string) func(context.Context) error {
		return func(ctx context.Context) error {
			fmt.Println(name, pool.IsPoolWorker(ctx))
			return nil
		}
	}
	_, _ = job.Go(ctx, say("job:")).Wait(ctx)
	_, _ = job.Go(ctx, say("long-running job:"), job.LongRunning()).Wait(ctx)
	_, _ = job.Go(ctx, say("own thread:"), job.On(own)).Wait(ctx)
	_ = parallel.Invoke(ctx, say("Invoke, the caller's part:"))
	_ = say("main:")(ctx)
	fmt.Println(p.Shutdown(ctx), own.Shutdown(ctx))
	// Output:
	// job: true
	// long-running job: false
	// own thread: false
	// Invoke, the caller's part: false
	// main: false
	// <nil> <nil>
}

// onTop is work that runs other work with a worker of its own, as a scheduler on top does.
type onTop struct{ found chan schedulers.Worker }

func (w onTop) Run(on schedulers.Worker) {
	dispatch.RunOnTop(found(w), &ownWorker{}, on)
}

func (onTop) Abandon(error) {}

// found is work that sends the worker that it finds.
type found onTop

func (w found) Run(schedulers.Worker) { w.found <- schedulers.Here() }

func (found) Abandon(error) {}

type ownWorker struct{ schedulers.Worker }

// There are 4096 entries, and each worker keeps one: it must be free when the worker ends.
func TestAWorkerThatEndsKeepsNoEntry(t *testing.T) {
	w := onTop{make(chan schedulers.Worker)}
	for range 5000 {
		p := pool.New()
		require.NoError(t, p.Submit(w, schedulers.Hint{}))
		require.IsType(t, &ownWorker{}, <-w.found)
		require.NoError(t, p.Shutdown(context.Background()))
	}
}
